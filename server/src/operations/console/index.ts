// The admin console at /console/: the built files, and what the console asks of the admin API about its caller.
// Owns no table. The console itself is in web/console; a server without it built says so.
export { consoleRoutes } from "./routes.ts";
export { whoAmIRoutes } from "./whoami.routes.ts";
