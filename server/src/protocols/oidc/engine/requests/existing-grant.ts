import { type AuthorizationDetail, type Client, errors, type Grant, type KoaContextWithOIDC, type Provider } from "oidc-provider";
import { clock, SECOND } from "../../../../kernel/clock.ts";
import { newId } from "../../../../kernel/ids.ts";
import { addedDetails, consentToClaim, HIDDEN, hidesPart, IMPLIED_CLAIMS, isAllowedByUser, lifetimesOf } from "../../../tokens/index.ts";
import type { RealmParts } from "../../parts.ts";
import { snapshotOf } from "../models/client.ts";
import { draftGrant, liveGrantOf } from "../models/grant.ts";
import { liveSessionOf } from "../models/session.ts";

/** RFC 9396: returns the requested details. The engine has validated the JSON. */
export function requestedDetails(ctx: KoaContextWithOIDC): AuthorizationDetail[] {
  const asked = (ctx.oidc.params as { authorization_details?: string } | undefined)?.authorization_details;
  return asked === undefined ? [] : (JSON.parse(asked) as AuthorizationDetail[]);
}

/**
 * RFC 9396 §5: refuses unknown types, and details that a user could not read. The resource server validates the rest of the content, which
 * the consent page shows and the token contains.
 */
export const richAuthorizationRequests = (types: readonly string[]) => ({
  enabled: types.length > 0,
  types: Object.fromEntries(types.map((type) => [type, { validate: refuseHidden }])),
  authorizationDetailsForGrantSource: (ctx: KoaContextWithOIDC) => requestedDetails(ctx),
});

function refuseHidden(_ctx: KoaContextWithOIDC, detail: AuthorizationDetail): void {
  if (hidesPart(detail)) throw new errors.InvalidAuthorizationDetails(HIDDEN);
}

interface Requested {
  readonly scopes: readonly string[];
  readonly claims: readonly string[];
  /** The requested resources with their scopes. */
  readonly resources: Readonly<Record<string, ReadonlySet<string>>>;
}

function requestedBy(ctx: KoaContextWithOIDC): Requested {
  return {
    scopes: [...ctx.oidc.requestParamOIDCScopes],
    claims: [...ctx.oidc.requestParamClaims].filter((name) => !IMPLIED_CLAIMS.has(name)),
    resources: Object.fromEntries(Object.entries(ctx.oidc.resourceServers ?? {}).map(([resource, { scopes }]) => [resource, scopes])),
  };
}

/**
 * Returns the grant of a request that needs no consent prompt: the client needs no consent, or the user has consented before. Returns
 * undefined if the engine has to prompt for consent.
 */
export async function loadGrant(parts: RealmParts, ctx: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { session, provider } = ctx.oidc;
  const live = liveSessionOf(session);
  if (!live) return undefined;
  const client = snapshotOf(ctx.oidc.client as Client);
  const requested = requestedBy(ctx);
  const scopes = [...requested.scopes, ...requested.claims.map(consentToClaim)];
  const wanted = { scopes, resources: Object.keys(requested.resources) };
  if (!(await isAllowedByUser(parts.db, parts, client, live.userId, wanted))) return undefined;

  // Each request for offline access gets its own grant. An impersonation session cannot grant offline access.
  const isOffline = requested.scopes.includes("offline_access") && live.impersonator === null;
  const known = isOffline ? undefined : await knownGrant(provider, session?.authorizations?.[client.clientId]?.grantId);
  const grant = known ?? new provider.Grant({ accountId: live.userId, clientId: client.clientId });
  const before = known && contentOf(known);
  fill(grant, requested, requestedDetails(ctx));
  const now = clock.now();
  const expiresAt = isOffline ? now + lifetimesOf(parts.realm.settings, client).offline * SECOND : live.absoluteExpiry;
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
  for (const [resource, known] of Object.entries(resources))
    grant.addResourceScope(resource, scopes.filter((name) => known.has(name)).join(" "));
  for (const detail of addedDetails(grant.rar ?? [], details)) grant.addRar(detail as Parameters<Grant["addRar"]>[0]);
}
