import { AppError, defineErrors } from "../../kernel/errors.ts";

export const accountErrors = {
  ...defineErrors("account", {
    csrf: [403, "The CSRF token is missing or stale: read the cookie XSRF-TOKEN again and send it in the header X-XSRF-TOKEN"],
    impersonated: [403, "You are acting as this user: this is for them alone"],
    two_credentials: [400, "Send either a session cookie or a bearer token, not both"],
  }),
  // RFC 9110 §15.5.2: a 401 names a way to get in. Browsers show no dialog for this scheme.
  no_session: () =>
    new AppError("account.no_session", 401, "Sign in first: there is no valid session for this realm", {
      headers: { "www-authenticate": "Bearer" },
    }),
  // RFC 6750 §3.1
  bearer: () =>
    new AppError("account.bearer", 401, "The bearer token is not valid for this realm's account", {
      headers: { "www-authenticate": 'Bearer error="invalid_token"' },
    }),
};
