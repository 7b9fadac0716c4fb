// The userinfo endpoint (OpenID Connect Core §5.3).
export { userinfoAudience, userinfoRoutes } from "./routes.ts";
