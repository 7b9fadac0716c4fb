/** An error response of an OAuth endpoint (RFC 6749 §5.2). `message` is the public `error_description`; `cause` is for the log. */
export class OAuthError extends Error {
  /** The registered code, such as `invalid_grant`. */
  readonly error: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The scope in question (RFC 6749 §5.2, RFC 6750 §3.1). */
  readonly scope: string | undefined;
  /** The next permission ticket (UMA 2.0 Grant §3.3.6). */
  readonly ticket: string | undefined;

  constructor(error: string, description: string, options: OAuthErrorOptions = {}) {
    super(description, { cause: options.cause });
    this.name = "OAuthError";
    this.error = error;
    this.status = options.status ?? STATUS[error] ?? 400;
    this.headers = options.headers ?? {};
    this.scope = options.scope;
    this.ticket = options.ticket;
  }

  /** Returns the body of the response. */
  toBody(): { error: string; error_description: string; scope?: string; ticket?: string } {
    const { error, message, scope, ticket } = this;
    return { error, error_description: message, ...(scope !== undefined && { scope }), ...(ticket !== undefined && { ticket }) };
  }
}

export interface OAuthErrorOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly scope?: string;
  readonly ticket?: string;
  readonly cause?: unknown;
}

/** The status of errors that are not a 400. */
const STATUS: Readonly<Record<string, number>> = { invalid_client: 401, invalid_token: 401, insufficient_scope: 403 };

const code =
  (error: string, description?: string) =>
  (text: string | undefined = description, options?: OAuthErrorOptions): OAuthError =>
    new OAuthError(error, text ?? error, options);

/** The errors by code. A description that could help only an attacker is always the same. */
export const oauthErrors = {
  invalidRequest: code("invalid_request", "the request is not valid"),
  invalidGrant: code("invalid_grant", "grant request is invalid"),
  invalidScope: code("invalid_scope", "the scope is not valid"),
  invalidTarget: code("invalid_target", "resource indicator is missing, or unknown"),
  invalidDpopProof: code("invalid_dpop_proof", "the DPoP proof is not valid"),
  invalidToken: code("invalid_token", "invalid token provided"),
  insufficientScope: code("insufficient_scope", "the token lacks a scope"),
  invalidAuthorizationDetails: code("invalid_authorization_details", "the authorization details are not valid"),
  unauthorizedClient: code("unauthorized_client", "the client may not do this"),
  unsupportedGrantType: code("unsupported_grant_type", "unsupported grant_type requested"),
  accessDenied: code("access_denied", "the request was denied"),
  authorizationPending: code("authorization_pending", "the user has not answered yet: ask again"),
  slowDown: code("slow_down", "you are polling too quickly and should back off at a reasonable rate"),
  expiredToken: code("expired_token", "it has expired: start again"),
  temporarilyUnavailable: code("temporarily_unavailable", "try again in a moment"),
  /** The description never gives the reason: neither that a client exists nor what was wrong with its proof. */
  invalidClient: (cause?: string): OAuthError => new OAuthError("invalid_client", "client authentication failed", { cause }),
};
