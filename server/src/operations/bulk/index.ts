// One action for many users, each row under its own rules. Owns no table.
export { bulkRoutes } from "./routes.ts";
