import { errors } from "oidc-provider";
import { AppError } from "../../../kernel/errors.ts";
import { OAuthError, oauthErrors } from "../../../kernel/oauth-error.ts";

/** An error of ours as the engine renders it: to the client where that is possible, otherwise to the user. */
export function toEngineError(cause: unknown): unknown {
  if (cause instanceof AppError && cause.status < 500) return toEngineError(oauthErrors.invalidRequest(cause.message, { cause }));
  if (!(cause instanceof OAuthError)) return cause;
  const { error, message, status, scope } = cause;
  const translated = new errors.CustomOIDCProviderError(error, message);
  return Object.assign(translated, { status, statusCode: status, ...(scope !== undefined && { scope }), cause });
}

/** Runs what may throw errors of ours where the engine waits for its own. */
export async function translated<T>(run: () => Promise<T> | T): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw toEngineError(error);
  }
}
