// What the tokens of a client would say about a user, for administrators. It makes payloads and never a token.
export { previewRoutes } from "./routes.ts";
