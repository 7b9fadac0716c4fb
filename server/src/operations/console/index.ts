// The admin console at /console/: the built files, and the endpoint by which the console learns who its caller is.
// Owns no table. The console itself is in web/console; a server without it built says so.
export { consoleRoutes } from "./routes.ts";
export { whoAmIRoutes } from "./whoami.routes.ts";
