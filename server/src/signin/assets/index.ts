// The scripts of our pages, for what a browser does for scripts alone, and the account console's style sheet. Served as they are written, from files beside the program.
export { type AssetName, assetHref } from "./files.ts";
export { assetRoutes } from "./routes.ts";
