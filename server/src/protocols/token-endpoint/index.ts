// /token with every grant, /introspect and /revoke. `pipeline.ts` is the token endpoint; a grant is a file in `grants/`.
import { grants } from "./grants/index.ts";

export { introspectionRoutes } from "./introspection.routes.ts";
export type { TokenEndpointParts, TokenEndpoints } from "./parts.ts";
export { tokenRoutes } from "./routes.ts";

/** As discovery announces them. */
export const grantTypes: readonly string[] = [...grants.keys()];
