import { errors } from "oidc-provider";
import { AppError } from "../../../kernel/errors.ts";
import { OAuthError, oauthErrors } from "../../../kernel/oauth-error.ts";

/** Converts our errors to the engine's, which it sends to the client if possible, otherwise to the user. */
export function toEngineError(cause: unknown): unknown {
  if (cause instanceof AppError && cause.status < 500) return toEngineError(oauthErrors.invalidRequest(cause.message, { cause }));
  if (!(cause instanceof OAuthError)) return cause;
  const { error, message, status, scope } = cause;
  const translated = new errors.CustomOIDCProviderError(error, message);
  return Object.assign(translated, { status, statusCode: status, ...(scope !== undefined && { scope }), cause });
}

/** Runs code whose errors the engine has to handle. */
export async function translated<T>(run: () => Promise<T> | T): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw toEngineError(error);
  }
}
