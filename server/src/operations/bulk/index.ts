// One action for many users, each by the rules of its single request. Owns no table.
export { bulkRoutes } from "./routes.ts";
