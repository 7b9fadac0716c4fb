// UMA 2.0 Federated Authorization (the protection API of resource servers) and AuthZEN 1.0, on the evaluator of applications/authorization.
// The uma-ticket grant is in protocols/token-endpoint.
export { AccessError, sendAccessError } from "./authzen.errors.ts";
export { authzenRoutes } from "./authzen.routes.ts";
export { protectionAudience } from "./caller.ts";
export { protectionRoutes } from "./protection.routes.ts";
