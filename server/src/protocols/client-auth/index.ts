// Client authentication (RFC 6749 §2.3, RFC 7523, RFC 8705 §2) and service-account sessions. This room also verifies the tokens of other
// issuers (workload identity). Owns `client_activity` and the caches of keys.
export { serviceAccountSessionRoutes } from "./activity.routes.ts";
export { deleteExpiredActivity } from "./activity.store.ts";
export { type ClientActivity, createClientActivity } from "./activity.ts";
export { authenticateClient, type ClientAuthParts, ForeignOrigin, isPublic, limitedTo } from "./authenticate.ts";
export { withBearerSubject } from "./bearer-subject.ts";
export { currentSecrets } from "./client-assertion.ts";
export { type ClientKeys, createClientKeys } from "./client-keys.ts";
export { createIssuerKeys } from "./issuer-keys.ts";
export type { Form } from "./presented.ts";
export { isWorkload, verifyWorkloadToken, type Workload } from "./workload-token.ts";
