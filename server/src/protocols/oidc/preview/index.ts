// A preview of a client's tokens for a user, for administrators. It makes payloads and never a token.
export { previewRoutes } from "./routes.ts";
