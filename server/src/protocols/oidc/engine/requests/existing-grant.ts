import type { Client, Grant, KoaContextWithOIDC, Provider } from "oidc-provider";
import { clock, SECOND } from "../../../../kernel/clock.ts";
import { newId } from "../../../../kernel/ids.ts";
import type { Db } from "../../../../platform/db/index.ts";
import type { RealmSnapshot } from "../../../../tenancy/realms/index.ts";
import { consentToClaim, IMPLIED_CLAIMS, isAllowedByUser, lifetimesOf } from "../../../tokens/index.ts";
import { snapshotOf } from "../models/client.ts";
import { liveGrantOf } from "../models/grant.ts";
import { draftGrant } from "../models/grant-draft.ts";
import { liveSessionOf } from "../models/session.ts";
import { requestedDetails } from "./authorization-details.ts";

interface Requested {
  readonly scopes: readonly string[];
  readonly claims: readonly string[];
  readonly resources: readonly string[];
}

function requestedBy(ctx: KoaContextWithOIDC): Requested {
  return {
    scopes: [...ctx.oidc.requestParamOIDCScopes],
    claims: [...ctx.oidc.requestParamClaims].filter((name) => !IMPLIED_CLAIMS.has(name)),
    resources: Object.keys(ctx.oidc.resourceServers ?? {}),
  };
}

/**
 * The grant that a request is answered from without a prompt: what the client may have anyway, or what the user has consented to. For a
 * request for more there is none, which brings up the consent page.
 */
export async function loadGrant(db: Db, realm: RealmSnapshot, ctx: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { session, provider } = ctx.oidc;
  const live = liveSessionOf(session);
  if (!live) return undefined;
  const client = snapshotOf(ctx.oidc.client as Client);
  const requested = requestedBy(ctx);
  const consents = [...requested.scopes, ...requested.claims.map(consentToClaim)];
  if (!(await isAllowedByUser(db, realm.realmId, client, live.userId, consents))) return undefined;

  // What outlives the session is a grant of its own, each time. Nothing outlives one in which an administrator acts as the user.
  const isOffline = requested.scopes.includes("offline_access") && live.impersonator === null;
  const known = isOffline ? undefined : await knownGrant(provider, session?.authorizations?.[client.clientId]?.grantId);
  const grant = known ?? new provider.Grant({ accountId: live.userId, clientId: client.clientId });
  const before = known && contentOf(known);
  fill(grant, requested, requestedDetails(ctx));
  const now = clock.now();
  const expiresAt = isOffline ? now + lifetimesOf(realm.settings, client).offline * SECOND : live.absoluteExpiry;
  if (!known) grant.jti = newId();
  if (before !== contentOf(grant) || (liveGrantOf(known)?.expiresAt ?? 0) < expiresAt)
    draftGrant(grant, { userId: live.userId, clientId: client.clientId, sessionId: isOffline ? null : live.sessionId, now, expiresAt });
  return grant;
}

const knownGrant = (provider: Provider, grantId: string | undefined) => (grantId ? provider.Grant.find(grantId) : undefined);

const contentOf = ({ openid, resources, rar }: Grant): string => JSON.stringify({ openid, resources, rar });

function fill(grant: Grant, { scopes, claims, resources }: Requested, details: readonly object[]): void {
  if (scopes.length > 0) grant.addOIDCScope(scopes.join(" "));
  if (claims.length > 0) grant.addOIDCClaims([...claims]);
  for (const resource of resources) grant.addResourceScope(resource, scopes.join(" "));
  const known = new Set((grant.rar ?? []).map((detail) => JSON.stringify(detail)));
  for (const detail of details) if (!known.has(JSON.stringify(detail))) grant.addRar(detail as Parameters<Grant["addRar"]>[0]);
}
