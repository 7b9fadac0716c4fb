// The userinfo endpoint (OpenID Connect Core §5.3).
export { userinfoRoutes } from "./routes.ts";
