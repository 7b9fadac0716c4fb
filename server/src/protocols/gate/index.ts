// What protocol routes share at their door: the form of OAuth's errors, CORS, and the access tokens that callers present.
export { allowAnyOrigin, allowOrigin, preflight, sendOAuthError, single } from "./oauth.ts";
export { createTokenReader, type TokenReader } from "./token-reader.ts";
