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
  /** The expiry in seconds. */
  readonly expiresAt: number;
  readonly issuedAt: number;
  /** The id of the grant, or null for a client credentials token. */
  readonly grantId: string | null;
  /** The user, or null for a client credentials token. */
  readonly holder: Holder | null;
  /** True if the authorization endpoint issued the token, or it was exchanged for such a token. */
  readonly isFromFrontChannel: boolean;
  /** The actor (RFC 8693 §4.1). */
  readonly actor: Readonly<Record<string, unknown>> | null;
  /** The keys that the token is bound to (RFC 7800). */
  readonly confirmation: Binding | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * Tells whether all agents of the `act` chain may act. Each must be active, and an agent under a grant of another client still needs the
 * user's consent, so tokens that others hold through an agent end with it. Tokens without such a chain cost no query.
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
  // `findHolder` has checked the token's own agent.
  const isChecked = agents.every(({ agentId, needsConsent }) => agentId === payload.agent_id && !needsConsent);
  return isChecked || mayAllAct(db, realmId, { userId: holder.userId, issuedAt: Number(payload.iat) }, agents, clock.now());
}

/**
 * Tells whether a client still has the consent for a token under the grant of another client. The realm itself needs a consent for scopes,
 * another resource or an RPT, as when the token was issued. `mayActorsAct` has checked agents.
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

/** Verifies an access token. If this node does not know the key, another node may have rotated it, so the newest snapshot is read. */
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

/** Returns the epochs of the client that a token may have. Tokens of earlier releases may have any epoch up to their issue. */
const epochsOf = ({ client_epoch: epoch, iat }: VerifiedJwt["payload"]) =>
  typeof epoch === "number" ? { since: epoch, until: epoch } : { since: 0, until: (Number(iat) + 1) * SECOND - 1 };

/** RFC 9068 §4: checks signature, issuer, type and times, then liveness. The caller checks the audience. */
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
  // The user may have lost the role that the client requires (decision 0025). Clients without such a role cost no query.
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
