import type { Db } from "../../../platform/db/index.ts";
import type { RealmSnapshots } from "../../../tenancy/realms/index.ts";
import { issuerOf } from "../parts.ts";
import { type LiveToken, readAccessToken } from "./live.ts";

export interface TokenReader {
  /** Null: not of this realm, not valid, or ended. Whether it is meant for whoever asks (`audience`) is for them to say. */
  verifyAccessToken(realm: string, jwt: string): Promise<LiveToken | null>;
}

export const createTokenReader = ({
  db,
  realms,
  baseUrl,
}: {
  readonly db: Db;
  readonly realms: RealmSnapshots;
  readonly baseUrl: string;
}): TokenReader => ({
  async verifyAccessToken(name, jwt) {
    const realm = await realms.get(name);
    return realm && readAccessToken({ db, realms }, realm, issuerOf(baseUrl, name), jwt);
  },
});
