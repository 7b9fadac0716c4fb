import { type ClientSnapshot, profileOf } from "../../../applications/clients/index.ts";
import { clock, DAY, SECOND } from "../../../kernel/clock.ts";
import type { Settings } from "../../../tenancy/settings/index.ts";

/** Lifetimes in seconds. */
export interface Lifetimes {
  readonly accessToken: number;
  readonly idToken: number;
  readonly code: number;
  /** The idle time of an offline refresh token. */
  readonly offline: number;
  /** The lifetime of a refresh token with a session, or null if it lives as long as the session. */
  readonly refresh: number | null;
}

/** Returns the lifetimes for a client, whose settings override those of the realm. */
export const lifetimesOf = ({ tokens }: Pick<Settings, "tokens">, { settings }: ClientSnapshot): Lifetimes => ({
  accessToken: settings.accessTokenLifetime ?? tokens.accessTokenSeconds,
  idToken: settings.idTokenLifetime ?? tokens.idTokenSeconds,
  code: Math.min(settings.codeLifetime ?? tokens.codeSeconds, profileOf(settings).maxCodeSeconds ?? Infinity),
  offline: settings.refreshTokenLifetime ?? (tokens.offlineIdleDays * DAY) / SECOND,
  refresh: settings.refreshTokenLifetime,
});

/** Returns the lifetime of a new refresh token in seconds. Its session, or the idle time of offline access, limits it. */
export function refreshLifetime(
  { sessionId, expiresAt }: { readonly sessionId: string | null; readonly expiresAt: number },
  { offline, refresh }: Lifetimes,
): number {
  if (sessionId === null) return offline;
  const left = Math.max(1, Math.floor(expiresAt / SECOND) - Math.floor(clock.now() / SECOND));
  return refresh === null ? left : Math.min(refresh, left);
}
