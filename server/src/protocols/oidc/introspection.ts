import { errors } from "oidc-provider";
import { claimsOf, needsOf, serviceAccountData } from "../../applications/claims/index.ts";
import { type ClientSnapshot, isWithinServer } from "../../applications/clients/index.ts";
import { clock, SECOND } from "../../kernel/clock.ts";
import { sha256 } from "../../kernel/vault.ts";
import { mappersFor, subjectOf } from "./accounts.ts";
import { deleteGrant, findLiveGrant } from "./adapter/grants.store.ts";
import { findRecord } from "./adapter/records.store.ts";
import { isPublic } from "./client.ts";
import type { RealmParts } from "./parts.ts";
import type { Issuer } from "./provider.ts";
import { type LiveToken, readAccessToken } from "./tokens/live.ts";
import { revokeToken } from "./tokens/liveness.store.ts";
import { verifyJwt } from "./tokens/verify.ts";

const isJwt = (token: string) => token.split(".").length === 3;

/** RFC 7662. What the caller may not see is inactive, like what does not exist (§2.2): the answer tells nothing of it. */
export async function introspect(issuer: Issuer, caller: ClientSnapshot, token: string): Promise<Record<string, unknown>> {
  const found = isJwt(token) ? await introspectAccessToken(issuer, caller, token) : await introspectRefreshToken(issuer, caller, token);
  return found ?? { active: false };
}

async function introspectAccessToken(issuer: Issuer, caller: ClientSnapshot, jwt: string): Promise<Record<string, unknown> | null> {
  const { parts } = issuer;
  const live = await readAccessToken(parts, parts.realm, parts.issuer, jwt);
  if (!live || !maySee(parts, caller, live)) return null;
  const { gid: _grant, userinfo_claims: _asked, ...payload } = live.payload;
  const claims = await introspectionClaims(issuer, live);
  return {
    ...claims,
    ...payload,
    active: true,
    token_type: live.confirmation?.jkt === undefined ? "Bearer" : "DPoP",
    ...(live.holder && { username: live.holder.username }),
  };
}

/** A client sees the tokens that were issued to it, and those that are meant for it: by its client id, or by one of its resources. */
function maySee({ baseUrl }: RealmParts, caller: ClientSnapshot, { clientId, audience }: LiveToken): boolean {
  if (clientId === caller.clientId || caller.settings.introspectAll || audience.includes(caller.clientId)) return true;
  // The admin API is a resource that a client may ask for, and nobody's own.
  return caller.allowedResources.some((resource) => audience.includes(resource) && !isWithinServer(baseUrl, resource));
}

async function introspectionClaims({ parts }: Issuer, live: LiveToken): Promise<Record<string, unknown>> {
  const { db, clients, scopesOfRealm: scopes } = parts;
  const client = await clients.get(live.realm, live.clientId);
  if (!client) return {};
  const mappers = mappersFor({ db, realm: live.realm, scopes }, client, live.scopes).filter(({ targets }) =>
    targets.includes("introspection"),
  );
  if (mappers.length === 0) return {};
  const needs = needsOf(mappers, "introspection");
  const subject = live.holder
    ? await subjectOf({ db, realm: live.realm }, live.holder.userId, live.holder.user, needs)
    : await serviceAccountData(db, live.realm, client.id, needs);
  return subject ? claimsOf(mappers, "introspection", subject, { clientId: client.clientId }) : {};
}

async function introspectRefreshToken(issuer: Issuer, caller: ClientSnapshot, token: string): Promise<Record<string, unknown> | null> {
  const { db, realm, issuer: iss, subjectOf } = issuer.parts;
  const now = clock.now();
  const record = await findRecord(db, { realm: realm.realmId, model: "RefreshToken", recordId: sha256(token) }, now);
  if (!record?.grantId || record.consumedAt !== null || record.payload.clientId !== caller.clientId) return null;
  const grant = await findLiveGrant(db, realm.realmId, record.grantId, now);
  if (!grant) return null;
  const { scope, exp, iat, sid } = record.payload;
  const sub = await subjectOf(realm.realmId, caller, grant.userId);
  return { active: true, iss, sub, client_id: caller.clientId, scope, exp, iat, sid, token_type: "refresh_token" };
}

/** RFC 7009. A refresh token takes with it everything that was given with it; a token that nobody knows is no error. */
export async function revoke(issuer: Issuer, caller: ClientSnapshot, token: string): Promise<void> {
  const { db, realm } = issuer.parts;
  const isTheirs = (clientId: unknown): boolean => {
    if (clientId === caller.clientId) return true;
    if (isPublic(caller)) return false;
    throw new errors.InvalidRequest("client is not authorized to revoke the presented token");
  };
  if (isJwt(token)) {
    const verified = verifyJwt(realm, token, { issuer: issuer.parts.issuer, typ: "at+jwt" });
    const { jti, exp, client_id } = verified?.payload ?? {};
    if (typeof jti === "string" && isTheirs(client_id)) await revokeToken(db, realm.realmId, jti, Number(exp) * SECOND);
    return;
  }
  const record = await findRecord(db, { realm: realm.realmId, model: "RefreshToken", recordId: sha256(token) }, clock.now());
  if (record?.grantId && isTheirs(record.payload.clientId)) await deleteGrant(db, realm.realmId, record.grantId);
}
