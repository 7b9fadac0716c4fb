// Client authentication (RFC 6749 §2.3, RFC 7523, RFC 8705 §2) and what is recorded of clients that act in their own name.
// Owns `client_activity`, and the one cache of the keys that clients publish.
export { serviceAccountSessionRoutes } from "./activity.routes.ts";
export { deleteExpiredActivity } from "./activity.store.ts";
export { type ClientActivity, createClientActivity } from "./activity.ts";
export { authenticateClient, type ClientAuthParts, type ClientRequest, ForeignOrigin, isPublic } from "./authenticate.ts";
export { type ClientKeys, createClientKeys } from "./client-keys.ts";
export { currentSecrets } from "./client-secret.ts";
export type { Form } from "./presented.ts";
