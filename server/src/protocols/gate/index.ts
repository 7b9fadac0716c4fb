// Enforces what everything below /realms/:realm declares: caller, CSRF, limits and form of errors. Also has the parts that OAuth endpoints
// share: forms, errors and CORS. The admin API's gate is a configuration of it.
export type { Audience, PresentedAccess } from "./access-token.ts";
export { ACCOUNT_SCOPE, mayChangeAccount, mayReadAccount } from "./account-access.ts";
export { countAdminWrite, recordDenial } from "./admin-writes.ts";
export { type CallerParts, createCallers, type SessionRules } from "./callers.ts";
export { clientForm, exchangedTokens, formOf, takeForms } from "./forms.ts";
export { guardRealmRoutes, type RealmGateParts, refuseUnguardedRoutes } from "./gate.ts";
export { issuerFor } from "./issuer.ts";
export { allowOrigin, preflight, sendOAuthError, single } from "./oauth.ts";
export type { PermissionTokens } from "./permission-token.ts";
export { publishAt } from "./preflights.ts";
export { refuse } from "./refusals.ts";
export { createUnservedAnswer } from "./unserved.ts";
