import type { IncomingMessage } from "node:http";
import type { Db } from "../../platform/db/index.ts";
import type { RealmSnapshots } from "../../tenancy/realms/index.ts";
import { hasShown } from "../proof/index.ts";

import { issuerOf, type LiveToken, readAccessToken } from "../tokens/index.ts";

export interface TokenReader {
  /** Null: not of this realm, not valid, or ended. Whether it is meant for whoever asks (`audience`) is for them to say. */
  verifyAccessToken(realm: string, jwt: string): Promise<LiveToken | null>;
  /**
   * RFC 8705 §3, RFC 9449 §7.2: what was bound to a key is worth nothing without it. A certificate is seen by the proxy; proofs (DPoP) are
   * not taken where this is asked.
   */
  isBroughtByOwner(token: LiveToken, request: IncomingMessage): boolean;
}

export const createTokenReader = ({
  db,
  realms,
  baseUrl,
  tlsClientCertHeader,
}: {
  readonly db: Db;
  readonly realms: RealmSnapshots;
  readonly baseUrl: string;
  readonly tlsClientCertHeader: string | null;
}): TokenReader => ({
  async verifyAccessToken(name, jwt) {
    const realm = await realms.get(name);
    return realm && readAccessToken({ db, realms }, realm, issuerOf(baseUrl, name), jwt);
  },
  isBroughtByOwner({ confirmation }, request) {
    if (confirmation === null) return true;
    const { "x5t#S256": thumbprint, ...others } = confirmation;
    return Object.keys(others).length === 0 && thumbprint !== undefined && hasShown(request, tlsClientCertHeader, thumbprint);
  },
});
