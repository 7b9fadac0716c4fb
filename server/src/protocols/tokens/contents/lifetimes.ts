import { type ClientSnapshot, profileOf } from "../../../applications/clients/index.ts";
import { clock, DAY, SECOND } from "../../../kernel/clock.ts";
import type { Settings } from "../../../tenancy/settings/index.ts";

/** In seconds. */
export interface Lifetimes {
  readonly accessToken: number;
  readonly idToken: number;
  readonly code: number;
  /** The idle time of an offline refresh token. */
  readonly offline: number;
  /** The lifetime of a refresh token with a session; null: as long as the session. */
  readonly refresh: number | null;
}

/** The client's settings override those of the realm. */
export const lifetimesOf = ({ tokens }: Pick<Settings, "tokens">, { settings }: ClientSnapshot): Lifetimes => ({
  accessToken: settings.accessTokenLifetime ?? tokens.accessTokenSeconds,
  idToken: settings.idTokenLifetime ?? tokens.idTokenSeconds,
  code: Math.min(settings.codeLifetime ?? tokens.codeSeconds, profileOf(settings).maxCodeSeconds ?? Infinity),
  offline: settings.refreshTokenLifetime ?? (tokens.offlineIdleDays * DAY) / SECOND,
  refresh: settings.refreshTokenLifetime,
});

/** The lifetime of a new refresh token in seconds: limited by its session, or the idle time of offline access. */
export function refreshLifetime(
  { sessionId, expiresAt }: { readonly sessionId: string | null; readonly expiresAt: number },
  { offline, refresh }: Lifetimes,
): number {
  if (sessionId === null) return offline;
  const left = Math.max(1, Math.floor(expiresAt / SECOND) - Math.floor(clock.now() / SECOND));
  return refresh === null ? left : Math.min(refresh, left);
}
