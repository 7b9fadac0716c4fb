import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { DAY, SECOND } from "../../kernel/clock.ts";
import type { Settings } from "../../tenancy/settings/index.ts";

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
  code: settings.codeLifetime ?? tokens.codeSeconds,
  offline: settings.refreshTokenLifetime ?? (tokens.offlineIdleDays * DAY) / SECOND,
  refresh: settings.refreshTokenLifetime,
});
