// What protocol routes share at their door: forms, the form of OAuth's errors, CORS, and the access tokens that callers present.
export { FORM, formOf, takeForms } from "./forms.ts";
export { issuerFor } from "./issuer.ts";
export { allowAnyOrigin, allowOrigin, preflight, sendOAuthError, single } from "./oauth.ts";
export { createTokenReader, type TokenReader } from "./token-reader.ts";
