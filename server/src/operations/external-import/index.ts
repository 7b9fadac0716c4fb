// Imports exports of other systems. For each system, a file in `sources` makes our document and rows of users of them, which operations/transfer imports.
export { externalImportRoutes } from "./routes.ts";
