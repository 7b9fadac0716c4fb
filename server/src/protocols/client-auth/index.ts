// Client authentication (RFC 6749 §2.3, RFC 7523, RFC 8705 §2) and service-account sessions.
// Owns `client_activity` and the cache of clients' keys.
export { serviceAccountSessionRoutes } from "./activity.routes.ts";
export { deleteExpiredActivity } from "./activity.store.ts";
export { type ClientActivity, createClientActivity } from "./activity.ts";
export { authenticateClient, type ClientAuthParts, type ClientRequest, ForeignOrigin, isPublic } from "./authenticate.ts";
export { type ClientKeys, createClientKeys } from "./client-keys.ts";
export { currentSecrets } from "./client-secret.ts";
export type { Form } from "./presented.ts";
