// Moving in from other systems: one file in `sources` for each turns its export into our document and rows of users, which operations/transfer imports.
export { externalImportRoutes } from "./routes.ts";
