// The API's description, generated from the live routes: OpenAPI, a page, and the links to them at `/`.
// `apiDescription` is registered before every other route, or it would not see them.
export { apiDescription, describeApi } from "./describe.ts";
export { homeRoutes } from "./home.routes.ts";
export {
  isReference,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  type Parameter,
  type Reference,
  type Response,
  type Schema,
} from "./openapi.ts";
export { apiDocsRoutes } from "./routes.ts";
