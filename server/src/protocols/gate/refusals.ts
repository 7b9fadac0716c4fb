import type { FastifyRequest } from "fastify";
import { AppError } from "../../kernel/errors.ts";
import { OAuthError } from "../../kernel/oauth-error.ts";

/** The reason for refusing a token (RFC 6750 §3.1). */
export interface TokenRefusal {
  readonly error: "invalid_token" | "insufficient_scope" | "invalid_request";
  readonly description: string;
  readonly scope?: string;
}

const quoted = (value: string) => value.replace(/["\\]/g, "");

/** RFC 6750 §3, RFC 9728 §5.1: makes the `WWW-Authenticate` header, with the error and the resource metadata. */
export function challenge(issuer: string, scheme: string, refusal?: Omit<TokenRefusal, "error"> & { readonly error: string }): string {
  const parameters = {
    realm: issuer,
    error: refusal?.error,
    error_description: refusal?.description,
    scope: refusal?.scope,
    resource_metadata: `${issuer}/.well-known/oauth-protected-resource`,
  };
  const spelled = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${quoted(value)}"`]));
  return `${scheme} ${spelled.join(", ")}`;
}

const TABLE = {
  csrf: [403, "The CSRF token is missing or stale: read the cookie XSRF-TOKEN again and send it in the header X-XSRF-TOKEN"],
  impersonated: [403, "You are impersonating this user: only the user can do this"],
  two_credentials: [400, "Send either a session cookie or a bearer token, not both"],
  forbidden: [403, "You are signed in, but your roles do not allow this"],
  token_forbidden: [403, "The permissions of this token do not allow this"],
} as const satisfies Record<string, readonly [number, string]>;

/** Makes an error of the gate, with the prefix that the route declares in `codes`. */
export function refuse(request: FastifyRequest, name: keyof typeof TABLE): AppError {
  const [status, message] = TABLE[name];
  return new AppError(`${codesOf(request)}.${name}`, status, message);
}

const codesOf = ({ routeOptions }: FastifyRequest): string => routeOptions.config.codes ?? "auth";

/** RFC 9110 §15.5.2: makes a 401 with a challenge. Browsers show no dialog for these schemes. */
export const noSession = (request: FastifyRequest, wwwAuthenticate: string): AppError =>
  new AppError(`${codesOf(request)}.no_session`, 401, "Sign in first: there is no valid session for this realm", {
    headers: { "www-authenticate": wwwAuthenticate },
  });

type Headers = Readonly<Record<string, string>>;

/** Makes the refusal in the route's form of errors. It contains no secret, so scripts of any origin may read it. */
export function refuseToken(request: FastifyRequest, refusal: TokenRefusal, wwwAuthenticate: string, readable: Headers): Error {
  const { error, description, scope } = refusal;
  const headers = { "www-authenticate": wwwAuthenticate, ...readable };
  if (request.routeOptions.config.errors === "oauth") return new OAuthError(error, description, { headers, ...(scope && { scope }) });
  if (error === "insufficient_scope") return new AppError(`${codesOf(request)}.insufficient_scope`, 403, description, { headers });
  return new AppError(`${codesOf(request)}.bearer`, 401, description, { headers });
}
