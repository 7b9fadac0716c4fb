import { UNAVAILABLE_SECONDS } from "../../directory/credentials/index.ts";
import { type OAuthError, oauthErrors } from "../../kernel/oauth-error.ts";

/** The request is right, but cannot be answered now. */
export const unavailable = (why: string, seconds: number): OAuthError =>
  oauthErrors.temporarilyUnavailable(`${why}: try again in a moment`, { status: 503, headers: { "retry-after": String(seconds) } });

export const directorySilent = (): OAuthError => unavailable("the user's directory does not answer", UNAVAILABLE_SECONDS);
