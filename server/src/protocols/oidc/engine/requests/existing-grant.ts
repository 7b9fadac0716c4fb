import type { Client, Grant, KoaContextWithOIDC, Provider } from "oidc-provider";
import { findConsent } from "../../../../directory/consents/index.ts";
import { clock, SECOND } from "../../../../kernel/clock.ts";
import { newId } from "../../../../kernel/ids.ts";
import type { Db } from "../../../../platform/db/index.ts";
import type { RealmSnapshot } from "../../../../tenancy/realms/index.ts";
import { needsConsent } from "../../../token-endpoint/index.ts";
import { lifetimesOf } from "../../../tokens/index.ts";
import { snapshotOf } from "../models/client.ts";
import { liveGrantOf } from "../models/grant.ts";
import { draftGrant } from "../models/grant-draft.ts";
import { liveSessionOf } from "../models/session.ts";
import { requestedDetails } from "./authorization-details.ts";

/** A claim that was asked for by itself, as it stands among the scopes of a consent. No scope's name holds a colon and a space. */
export const consentToClaim = (name: string): string => `claim:${name}`;

interface Wanted {
  readonly scopes: readonly string[];
  readonly claims: readonly string[];
  readonly resources: readonly string[];
}

const impliedClaims = new Set(["sub", "sid", "auth_time", "acr", "amr", "iss"]);

function wantedBy(ctx: KoaContextWithOIDC): Wanted {
  return {
    scopes: [...ctx.oidc.requestParamOIDCScopes],
    claims: [...ctx.oidc.requestParamClaims].filter((name) => !impliedClaims.has(name)),
    resources: Object.keys(ctx.oidc.resourceServers ?? {}),
  };
}

/**
 * The grant that a request is answered from, without asking: what the client may have anyway, or what the user allowed it before. A request
 * that wants more gets none, and with it the consent page.
 */
export async function loadGrant(db: Db, realm: RealmSnapshot, ctx: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { session, provider } = ctx.oidc;
  const live = liveSessionOf(session);
  if (!live) return undefined;
  const client = snapshotOf(ctx.oidc.client as Client);
  const wanted = wantedBy(ctx);
  if (needsConsent(client) && !(await isCovered(db, realm.realmId, live.userId, client.clientId, wanted))) return undefined;

  // What outlives the session is a grant of its own, each time. Nothing outlives one in which an administrator plays the user.
  const isOffline = wanted.scopes.includes("offline_access") && live.impersonator === null;
  const known = isOffline ? undefined : await knownGrant(provider, session?.authorizations?.[client.clientId]?.grantId);
  const grant = known ?? new provider.Grant({ accountId: live.userId, clientId: client.clientId });
  const before = known && contentOf(known);
  fill(grant, wanted, requestedDetails(ctx));
  const now = clock.now();
  const expiresAt = isOffline ? now + lifetimesOf(realm.settings, client).offline * SECOND : live.absoluteExpiry;
  if (!known) grant.jti = newId();
  if (before !== contentOf(grant) || (liveGrantOf(known)?.expiresAt ?? 0) < expiresAt)
    draftGrant(grant, { userId: live.userId, clientId: client.clientId, sessionId: isOffline ? null : live.sessionId, now, expiresAt });
  return grant;
}

const knownGrant = (provider: Provider, grantId: string | undefined) => (grantId ? provider.Grant.find(grantId) : undefined);

const contentOf = ({ openid, resources, rar }: Grant): string => JSON.stringify({ openid, resources, rar });

async function isCovered(db: Db, realm: string, userId: string, clientId: string, wanted: Wanted): Promise<boolean> {
  const allowed = new Set((await findConsent(db, realm, userId, clientId))?.scopes);
  return [...wanted.scopes, ...wanted.claims.map(consentToClaim)].every((each) => allowed.has(each));
}

function fill(grant: Grant, { scopes, claims, resources }: Wanted, details: readonly object[]): void {
  if (scopes.length > 0) grant.addOIDCScope(scopes.join(" "));
  if (claims.length > 0) grant.addOIDCClaims([...claims]);
  for (const resource of resources) grant.addResourceScope(resource, scopes.join(" "));
  const known = new Set((grant.rar ?? []).map((detail) => JSON.stringify(detail)));
  for (const detail of details) if (!known.has(JSON.stringify(detail))) grant.addRar(detail as Parameters<Grant["addRar"]>[0]);
}
