// The metadata of a realm as an identity provider.
export { samlMetadataRoutes } from "./routes.ts";
