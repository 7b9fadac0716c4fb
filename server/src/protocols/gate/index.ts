// The gate of everything below /realms/:realm: routes declare their caller, CSRF, limits and form of errors, and it enforces them. What
// OAuth endpoints share besides (forms, errors, CORS) is here, too. The admin API's gate is a configuration of it.
export { type Audience, actorOfToken, type PresentedAccess } from "./access-token.ts";
export { assertMayBegin, countAnonymousRequest } from "./anonymous-limit.ts";
export { type CallerParts, createCallers, type SessionRules } from "./callers.ts";
export { clientForm, formOf, takeForms } from "./forms.ts";
export { guardRealmRoutes, type RealmGateParts } from "./gate.ts";
export { issuerFor } from "./issuer.ts";
export { allowAnyOrigin, allowOrigin, preflight, sendOAuthError, single } from "./oauth.ts";
export { refuse, type TokenRefusal } from "./refusals.ts";
