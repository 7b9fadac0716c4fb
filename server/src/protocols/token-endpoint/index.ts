// /token with every grant, /introspect and /revoke. `pipeline.ts` is the token endpoint; a grant is a file in `grants/`.
export { introspectionRoutes } from "./introspection.routes.ts";
export type { TokenEndpointParts, TokenEndpoints } from "./parts.ts";
export { tokenRoutes } from "./routes.ts";
