import { mayUseApplication } from "../../applications/access/index.ts";
import type { Clients } from "../../applications/clients/index.ts";
import { clock } from "../../kernel/clock.ts";
import { isId } from "../../kernel/ids.ts";
import type { Db } from "../../platform/db/index.ts";
import type { RealmSnapshot, RealmSnapshots } from "../../tenancy/realms/index.ts";
import { findHolder, type Holder, isMachineAlive } from "./records/liveness.store.ts";
import { isKnownKey, verifyJwt } from "./verify.ts";

/** An access token of this realm that was verified, and that nothing has ended. */
export interface LiveToken {
  readonly realm: string;
  readonly jti: string;
  readonly clientId: string;
  /** As the client knows the subject. */
  readonly sub: string;
  readonly scopes: readonly string[];
  readonly audience: readonly string[];
  /** Seconds. */
  readonly expiresAt: number;
  readonly issuedAt: number;
  /** The grant it hangs on; null where a client acts in its own name. */
  readonly grantId: string | null;
  /** Null where a client acts in its own name. */
  readonly holder: Holder | null;
  /** It was handed out by the authorization endpoint, or exchanged for one that was. */
  readonly isFromFrontChannel: boolean;
  /** RFC 8693 §4.1: who acts. */
  readonly actor: Readonly<Record<string, unknown>> | null;
  /** RFC 7800: the key it is bound to. */
  readonly confirmation: { readonly jkt?: string; readonly "x5t#S256"?: string } | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** RFC 9068 §4, and whether it is alive: signature, issuer, type and times first, then one query. The audience is the caller's to check. */
export async function readAccessToken(
  { db, realms, clients }: { readonly db: Db; readonly realms: RealmSnapshots; readonly clients: Clients },
  realm: RealmSnapshot,
  issuer: string,
  jwt: string,
): Promise<LiveToken | null> {
  const rules = { issuer, typ: "at+jwt" };
  let verified = verifyJwt(realm, jwt, rules);
  // Another node may have rotated the key a moment ago.
  const newer = verified || isKnownKey(realm, jwt) ? null : await realms.catchUp(realm.realmId);
  if (newer && newer !== realm) verified = verifyJwt(newer, jwt, rules);
  if (!verified) return null;
  const { payload } = verified;
  const { jti, client_id: clientId, gid, sub, scope } = payload as Record<string, string | undefined>;
  if (!jti || !clientId || !sub) return null;
  const asked = { realm: realm.realmId, jti, clientId, now: clock.now() };
  const isUsers = gid !== undefined;
  const holder = isUsers && isId(gid) ? await findHolder(db, { ...asked, grantId: gid }) : null;
  if (isUsers ? !holder : !(await isMachineAlive(db, asked))) return null;
  // A user who lost the role that the client asks for (decision 0025). The snapshot says whether there is anything to ask the database.
  const client = holder && (await clients.get(realm.realmId, clientId));
  if (client && !(await mayUseApplication(db, realm.realmId, holder.userId, client.settings))) return null;
  return {
    realm: realm.realmId,
    jti,
    clientId,
    sub,
    scopes: scope ? scope.split(" ") : [],
    audience: [payload.aud].flat().filter((each): each is string => typeof each === "string"),
    expiresAt: payload.exp as number,
    issuedAt: payload.iat as number,
    grantId: gid ?? null,
    holder,
    isFromFrontChannel: payload.front_channel === true,
    actor: (payload.act as LiveToken["actor"]) ?? null,
    confirmation: (payload.cnf as LiveToken["confirmation"]) ?? null,
    payload,
  };
}
