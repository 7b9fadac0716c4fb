import { type ClientSnapshot, profileOf } from "../../../applications/clients/index.ts";
import { clock, DAY, SECOND } from "../../../kernel/clock.ts";
import type { Settings } from "../../../tenancy/settings/index.ts";

/** In seconds. */
export interface Lifetimes {
  readonly accessToken: number;
  readonly idToken: number;
  readonly code: number;
  /** Of a refresh token that lives without a session, since its last use. */
  readonly offline: number;
  /** Of one that lives with its session; null: as long as that. */
  readonly refresh: number | null;
}

/** What a client says counts before what its realm says. */
export const lifetimesOf = ({ tokens }: Pick<Settings, "tokens">, { settings }: ClientSnapshot): Lifetimes => ({
  accessToken: settings.accessTokenLifetime ?? tokens.accessTokenSeconds,
  idToken: settings.idTokenLifetime ?? tokens.idTokenSeconds,
  code: Math.min(settings.codeLifetime ?? tokens.codeSeconds, profileOf(settings).maxCodeSeconds ?? Infinity),
  offline: settings.refreshTokenLifetime ?? (tokens.offlineIdleDays * DAY) / SECOND,
  refresh: settings.refreshTokenLifetime,
});

/** Of a refresh token, in seconds: with its session, or since its last use where it lives without one. */
export function refreshLifetime(
  { sessionId, expiresAt }: { readonly sessionId: string | null; readonly expiresAt: number },
  { offline, refresh }: Lifetimes,
): number {
  if (sessionId === null) return offline;
  const left = Math.max(1, Math.floor(expiresAt / SECOND) - Math.floor(clock.now() / SECOND));
  return refresh === null ? left : Math.min(refresh, left);
}
