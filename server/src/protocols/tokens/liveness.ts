import { hasConsented, mayAllAct, refusalOf } from "../../applications/access/index.ts";
import type { ClientSnapshot, Clients } from "../../applications/clients/index.ts";
import { clock, SECOND } from "../../kernel/clock.ts";
import { isId } from "../../kernel/ids.ts";
import { listOf } from "../../kernel/lists.ts";
import type { Db } from "../../platform/db/index.ts";
import type { RealmSnapshot, RealmSnapshots } from "../../tenancy/realms/index.ts";
import type { Binding } from "./access-token.ts";
import { agentsIn } from "./contents/act.ts";
import { requestedResources } from "./contents/audience.ts";
import { needsConsent } from "./contents/consent.ts";
import { findHolder, type Holder, isClientTokenLive } from "./records/liveness.store.ts";
import { isKnownKey, type VerifiedJwt, verifyJwt } from "./verify.ts";

/** A verified access token of this realm that is not expired or revoked, and whose grant, session, user and client are live. */
export interface LiveToken {
  readonly realm: string;
  readonly jti: string;
  readonly clientId: string;
  /** The subject for this client (public or pairwise). */
  readonly sub: string;
  readonly scopes: readonly string[];
  readonly audience: readonly string[];
  /** Seconds. */
  readonly expiresAt: number;
  readonly issuedAt: number;
  /** Null: a client credentials token. */
  readonly grantId: string | null;
  /** The user; null: a client credentials token. */
  readonly holder: Holder | null;
  /** Issued by the authorization endpoint, or exchanged for such a token. */
  readonly isFromFrontChannel: boolean;
  /** RFC 8693 §4.1 */
  readonly actor: Readonly<Record<string, unknown>> | null;
  /** RFC 7800 */
  readonly confirmation: Binding | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * Ending an agent ends what others hold through it: every agent of the `act` chain must be active, and those that act under a grant of another
 * client need the user's consent still. Tokens without such a chain cost no query.
 */
async function mayActorsAct(
  db: Db,
  { realmId, settings }: RealmSnapshot,
  holder: Holder,
  payload: VerifiedJwt["payload"],
): Promise<boolean> {
  const agents = agentsIn(payload.act).map(({ agentId, clientId }) => ({
    ...{ agentId, clientId },
    needsConsent: clientId !== holder.grantClientId && !settings.agents.allowDelegationWithoutConsent,
  }));
  // `findHolder` has looked at the token's own agent.
  const isChecked = agents.every(({ agentId, needsConsent }) => agentId === payload.agent_id && !needsConsent);
  return isChecked || mayAllAct(db, realmId, { userId: holder.userId, issuedAt: Number(payload.iat) }, agents, clock.now());
}

/**
 * A client that holds a token under the grant of another client has lost it when the user withdraws the consent that it was issued by. As then, the
 * realm itself needs one for scopes, another resource or an RPT in any case. `mayActorsAct` has looked at agents.
 */
async function isAllowedStill(
  db: Db,
  client: ClientSnapshot,
  { userId, grantClientId }: Holder,
  issuer: string,
  { aud, iat, scope, authorization }: VerifiedJwt["payload"],
): Promise<boolean> {
  if (grantClientId === client.clientId || client.agent !== null || !needsConsent(client)) return true;
  const resources = requestedResources(client, listOf(aud as string | string[]));
  if (authorization === undefined && !resources.some((each) => each !== issuer || Boolean(scope))) return true;
  return hasConsented(db, client.realmId, { userId, issuedAt: Number(iat) }, client.clientId);
}

/** Another node may have rotated the key, and this node's snapshot is older: then the newest one decides. */
export async function verifyAccessToken(
  realms: RealmSnapshots,
  realm: RealmSnapshot,
  issuer: string,
  jwt: string,
): Promise<VerifiedJwt | null> {
  const rules = { issuer, typ: "at+jwt" };
  const verified = verifyJwt(realm, jwt, rules);
  const newer = verified || isKnownKey(realm, jwt) ? null : await realms.catchUp(realm.realmId);
  return newer && newer !== realm ? verifyJwt(newer, jwt, rules) : verified;
}

/** The epoch of the client that a token names. One of an earlier release names none: it is of any epoch that had begun when it was issued. */
const epochsOf = ({ client_epoch: epoch, iat }: VerifiedJwt["payload"]) =>
  typeof epoch === "number" ? { since: epoch, until: epoch } : { since: 0, until: (Number(iat) + 1) * SECOND - 1 };

/** RFC 9068 §4: checks signature, issuer, type and times, then liveness in one query. The caller checks the audience. */
export async function readAccessToken(
  { db, realms, clients }: { readonly db: Db; readonly realms: RealmSnapshots; readonly clients: Clients },
  realm: RealmSnapshot,
  issuer: string,
  jwt: string,
): Promise<LiveToken | null> {
  const verified = await verifyAccessToken(realms, realm, issuer, jwt);
  if (!verified) return null;
  const { payload } = verified;
  const { jti, client_id: clientId, gid, sub, scope } = payload as Record<string, string | undefined>;
  if (!jti || !clientId || !sub) return null;
  const isUsers = gid !== undefined;
  const { realmId } = realm;
  const agentId = typeof payload.agent_id === "string" ? payload.agent_id : null;
  const asked = { realm: realmId, jti, clientId, agentId, ...epochsOf(payload), now: clock.now(), grantId: gid ?? "" };
  const holder = isUsers && isId(gid) ? await findHolder(db, asked) : null;
  if (isUsers ? !holder : !(await isClientTokenLive(db, asked))) return null;
  if (holder && payload.act !== undefined && !(await mayActorsAct(db, realm, holder, payload))) return null;
  // The user may have lost the role that the client requires (decision 0025). Without such a role there is no query.
  const client = holder && (await clients.get(realmId, clientId));
  if (client && (await refusalOf(db, { realm: realmId, userId: holder.userId, application: client.settings }))) return null;
  if (client && !(await isAllowedStill(db, client, holder, issuer, payload))) return null;
  return {
    realm: realmId,
    jti,
    clientId,
    sub,
    scopes: scope ? scope.split(" ") : [],
    audience: listOf(payload.aud).filter((each) => typeof each === "string"),
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
