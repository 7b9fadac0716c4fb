import { AppError, defineErrors, invalidFields } from "../../kernel/errors.ts";

/** RFC 6750 §3, RFC 9728 §5.1: how to ask, why it was refused, and where it says who gives tokens. */
export interface Challenge {
  readonly error?: "invalid_token" | "insufficient_scope";
  readonly description?: string;
  readonly scope?: string;
}

export function challenge(issuer: string, { error, description, scope }: Challenge = {}): Record<string, string> {
  const parameters = {
    realm: issuer,
    error,
    error_description: description,
    scope,
    resource_metadata: `${issuer}/.well-known/oauth-protected-resource`,
  };
  const spelled = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${value}"`]));
  return { "www-authenticate": `Bearer ${spelled.join(", ")}` };
}

export const accountErrors = {
  ...defineErrors("account", {
    csrf: [403, "The CSRF token is missing or stale: read the cookie XSRF-TOKEN again and send it in the header X-XSRF-TOKEN"],
    impersonated: [403, "You are acting as this user: this is for them alone"],
    two_credentials: [400, "Send either a session cookie or a bearer token, not both"],
    administrator: [403, "You administer this realm: change how you sign in from your own session, not through an application"],
    erase_off: [403, "People do not erase their own accounts in this realm: ask an administrator"],
    no_password: [409, "You have no password yet: ask for a reset, or sign in as you do"],
    application_not_found: [404, "This application has nothing from you"],
  }),
  // Browsers show no dialog for this scheme.
  no_session: (issuer: string) =>
    new AppError("account.no_session", 401, "Sign in first: there is no valid session for this realm", { headers: challenge(issuer) }),
  // Nothing in it is secret, so scripts of any origin may read why their token was refused.
  bearer: (issuer: string, description = "The token is not valid for this realm's account, or not any more") =>
    new AppError("account.bearer", 401, description, {
      headers: {
        ...challenge(issuer, { error: "invalid_token", description }),
        "access-control-allow-origin": "*",
        "access-control-expose-headers": "WWW-Authenticate",
      },
    }),
  insufficient_scope: (issuer: string) => {
    const description = "The token needs the scope account: an administrator gives it to the client, which then asks for it";
    return new AppError("account.insufficient_scope", 403, description, {
      headers: challenge(issuer, { error: "insufficient_scope", description, scope: "account" }),
    });
  },
  wrong_password: () =>
    invalidFields([{ field: "currentPassword", code: "wrong", message: "currentPassword is not your present password" }], "password.wrong"),
  wait: (seconds: number) =>
    new AppError("account.wait", 429, `Too many attempts. Please try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`, {
      headers: { "retry-after": String(seconds) },
    }),
};
