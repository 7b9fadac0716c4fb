import { refusalOf } from "../../applications/access/index.ts";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { clock, SECOND } from "../../kernel/clock.ts";
import { oauthErrors } from "../../kernel/oauth-error.ts";
import { sha256 } from "../../kernel/vault.ts";
import { isPublic } from "../client-auth/index.ts";
import * as tokens from "../tokens/index.ts";
import type { TokenEndpointParts } from "./parts.ts";

const isJwt = (token: string) => token.split(".").length === 3;

/** RFC 7662 §2.2: returns the claims of a token. One that the caller may not see is inactive, like an unknown one. */
export async function introspect(parts: TokenEndpointParts, caller: ClientSnapshot, token: string): Promise<Record<string, unknown>> {
  const found = isJwt(token) ? await introspectAccessToken(parts, caller, token) : await introspectRefreshToken(parts, caller, token);
  return found ?? { active: false };
}

async function introspectAccessToken(
  parts: TokenEndpointParts,
  caller: ClientSnapshot,
  jwt: string,
): Promise<Record<string, unknown> | null> {
  const live = await tokens.readAccessToken(parts, parts.realm, parts.issuer, jwt);
  if (!live || !maySee(caller, live)) return null;
  const claims = await introspectionClaims(parts, live);
  // JSON leaves out undefined members.
  return Object.assign({}, claims, live.payload, permissionsOf(live), {
    gid: undefined,
    client_epoch: undefined,
    userinfo_claims: undefined,
    active: true,
    token_type: tokens.tokenTypeOf(live.confirmation ?? {}),
    username: live.holder?.username,
  });
}

/** UMA 2.0 Federated Authorization §5.1.1: returns the permissions with its names and Keycloak's. */
function permissionsOf({ payload }: tokens.LiveToken): Record<string, unknown> | null {
  const { permissions } = (payload.authorization ?? {}) as { permissions?: readonly { rsid?: string; scopes?: readonly string[] }[] };
  if (!Array.isArray(permissions)) return null;
  return { permissions: permissions.map((each) => ({ ...each, resource_id: each.rsid, resource_scopes: each.scopes ?? [] })) };
}

/** Tells whether the token is the client's own or meant for it. A client that may request a resource is not the resource server. */
const maySee = (caller: ClientSnapshot, { clientId, audience }: tokens.LiveToken): boolean =>
  clientId === caller.clientId || caller.settings.introspectAll || tokens.isMeantFor(caller, audience);

async function introspectionClaims(parts: TokenEndpointParts, live: tokens.LiveToken): Promise<Record<string, unknown>> {
  const client = await parts.clients.get(live.realm, live.clientId);
  if (!client) return {};
  if (!live.holder) return tokens.clientClaims(parts, client, "introspection", live.scopes);
  const { userId, user } = live.holder;
  const about = { userId, user, session: null };
  return (await tokens.userClaims(parts, client, about, [{ target: "introspection", scopes: live.scopes }]))?.[0] ?? {};
}

async function introspectRefreshToken(
  parts: TokenEndpointParts,
  caller: ClientSnapshot,
  token: string,
): Promise<Record<string, unknown> | null> {
  const { db, realm, issuer: iss, subjectOf } = parts;
  const found = await findRefreshToken(parts, caller, token);
  if (!found || (await refusalOf(db, { realm: realm.realmId, userId: found.grant.userId, application: caller.settings }))) return null;
  const { record, grant } = found;
  const { scope, exp, iat, sid } = record.payload;
  const sub = await subjectOf(realm.realmId, caller, grant.userId);
  return { active: true, iss, sub, client_id: caller.clientId, scope, exp, iat, sid, token_type: "refresh_token" };
}

/** Finds a client's own refresh token with its grant. Returns null if there is none that can be used. */
export async function findRefreshToken({ db, realm }: TokenEndpointParts, caller: ClientSnapshot, token: string) {
  const now = clock.now();
  const record = await tokens.findRecord(db, { realm: realm.realmId, model: tokens.REFRESH_TOKEN, recordId: sha256(token) }, now);
  if (!record?.grantId || record.consumedAt !== null || record.payload.clientId !== caller.clientId) return null;
  const grant = await tokens.findLiveGrant(db, realm.realmId, record.grantId, now);
  return grant && { record, grant };
}

/** RFC 7009 §2.1, §2.2: revokes a token. A refresh token is revoked with its grant, and an unknown token is no error. */
export async function revoke(parts: TokenEndpointParts, caller: ClientSnapshot, token: string): Promise<void> {
  const { db, realm } = parts;
  const isTheirs = (clientId: unknown): boolean => {
    if (clientId === caller.clientId) return true;
    if (isPublic(caller)) return false;
    throw oauthErrors.invalidRequest("client is not authorized to revoke the presented token");
  };
  if (isJwt(token)) {
    const verified = await tokens.verifyAccessToken(parts.realms, realm, parts.issuer, token);
    const { jti, exp, client_id } = verified?.payload ?? {};
    if (typeof jti === "string" && isTheirs(client_id)) await tokens.revokeToken(db, realm.realmId, jti, Number(exp) * SECOND);
    return;
  }
  const record = await tokens.findRecord(db, { realm: realm.realmId, model: tokens.REFRESH_TOKEN, recordId: sha256(token) }, clock.now());
  if (record?.grantId && isTheirs(record.payload.clientId)) await tokens.deleteGrant(db, realm.realmId, record.grantId);
}
