import type { FastifyRequest } from "fastify";
import { type ClientSnapshot, isUsable } from "../../applications/clients/index.ts";
import { grantConsent } from "../../directory/consents/index.ts";
import { clock, SECOND } from "../../kernel/clock.ts";
import { AppError, defineErrors } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/vault.ts";
import type { Ctx } from "../../platform/context.ts";
import { joinSession, type LiveSession } from "../../signin/sessions/index.ts";
import * as tokens from "../tokens/index.ts";
import { enqueuePing } from "./ciba-ping.ts";
import type { DecoupledParts } from "./parts.ts";
import * as store from "./requests.store.ts";

/** The request, as the approval page shows it. */
export interface Requested {
  readonly scopes: readonly string[];
  /** The individually requested claims that no scope contains. */
  readonly claims: readonly string[];
  readonly resources: readonly string[];
  /** The authorization details (RFC 9396). */
  readonly details: readonly tokens.AuthorizationDetail[];
}

interface RequestParams {
  readonly max_age?: string | number;
  readonly prompt?: string;
  readonly acr_values?: string;
  readonly scope?: string;
  readonly claims?: string;
  readonly resource?: string | readonly string[];
  readonly binding_message?: string;
  readonly authorization_details?: string;
}

const paramsOf = ({ payload }: store.OpenRequest): RequestParams => (payload.params ?? {}) as RequestParams;

export function requestedBy({ scopesOfRealm, issuer, realm }: DecoupledParts, request: store.OpenRequest): Requested {
  const { scope, resource, authorization_details: details } = paramsOf(request);
  const scopes = (scope ?? "").split(" ").filter((name) => scopesOfRealm.byName.has(name));
  const covered = tokens.claimsOfScopes(scopesOfRealm, scopes);
  const { id_token, userinfo } = claimsOf(request);
  const claims = [...new Set([...Object.keys(id_token ?? {}), ...Object.keys(userinfo ?? {})])];
  return {
    scopes,
    claims: claims.filter((claim) => !covered.has(claim) && !tokens.IMPLIED_CLAIMS.has(claim)),
    resources: resource === undefined ? [issuer] : [resource].flat(),
    details: tokens.requestedDetails(details, realm.settings.tokens.authorizationDetailsTypes),
  };
}

/** OpenID Connect Core §5.5: returns the requested claims. The engine has validated the JSON. */
const claimsOf = (request: store.OpenRequest): { id_token?: object; userinfo?: object } => {
  const { claims } = paramsOf(request);
  return claims === undefined ? {} : (JSON.parse(claims) as { id_token?: object; userinfo?: object });
};

export const acrParamsOf = (request: store.OpenRequest): Parameters<typeof tokens.requestedAcr>[0] => ({
  acr_values: paramsOf(request).acr_values,
  claims: claimsOf(request),
});

/**
 * OpenID Connect Core §3.1.2.1: tells whether the session's sign-in is older than `max_age`. A sign-in for the request itself is not: with
 * `max_age=0` the user signs in once, however long they look at the page.
 */
export function isTooOld(request: store.OpenRequest, { authTime }: Pick<LiveSession, "authTime">, now: number): boolean {
  const { max_age, prompt = "" } = paramsOf(request);
  // The engine turns `max_age=0` into `prompt=login`.
  const maxAge = prompt.split(" ").includes("login") ? 0 : max_age;
  if (maxAge === undefined) return false;
  const { iat } = request.payload;
  const requestedAt = typeof iat === "number" ? iat * SECOND : Number.POSITIVE_INFINITY;
  return authTime < Math.min(requestedAt, now - Number(maxAge) * SECOND);
}

/** A pending request whose client may be used. */
export interface Waiting {
  readonly request: store.OpenRequest;
  readonly client: ClientSnapshot;
}

async function withClient({ clients, realm }: DecoupledParts, request: store.OpenRequest | null): Promise<Waiting | null> {
  const client = request && (await clients.get(realm.realmId, request.clientId));
  return request && client && isUsable(client, clock.now()) ? { request, client } : null;
}

/** Finds a device request by user code. */
export const findDevice = async (parts: DecoupledParts, code: string): Promise<Waiting | null> =>
  withClient(parts, await store.findOpenDevice(parts.db, parts.realm.realmId, sha256(code), clock.now()));

/** Finds a request, only if it is for this user. */
export const findRequest = async (parts: DecoupledParts, { userId }: LiveSession, id: string): Promise<Waiting | null> =>
  withClient(parts, await store.findOpenRequest(parts.db, parts.realm.realmId, userId, id, clock.now()));

export async function listRequests(parts: DecoupledParts, { userId }: LiveSession): Promise<Waiting[]> {
  const open = await store.openRequestsOf(parts.db, parts.realm.realmId, userId, clock.now());
  return (await Promise.all(open.map((request) => withClient(parts, request)))).filter((each) => each !== null);
}

/** Returns the binding message (CIBA §7.1). */
export const messageOf = ({ request }: Waiting): string | null => paramsOf(request).binding_message ?? null;

export interface Approval extends Waiting {
  readonly parts: DecoupledParts;
  readonly model: store.DecoupledModel;
  readonly session: LiveSession;
}

const EVENTS = { DeviceCode: "DEVICE_APPROVED", BackchannelAuthenticationRequest: "CIBA_APPROVED" } as const;

export const approvalErrors = defineErrors("oidc", {
  answered: [409, "This request was already answered or has ended"],
  unmet: [403, "The application asks for a level of authentication that cannot be reached here"],
  impersonated: [403, "Only the users themselves can consent to an application: stop impersonating the user first"],
});

/** Stores the user's decision. Returns false if it was decided already, perhaps in another tab, or has expired. */
export async function answer(req: FastifyRequest, approval: Approval, isAllowed: boolean): Promise<boolean> {
  const { model, request, client } = approval;
  try {
    await req.transact(async (ctx) => {
      const isFirst = isAllowed ? await approve(ctx, approval) : await deny(ctx, model, request);
      if (!isFirst) throw approvalErrors.answered(); // rolls back the grant
      if (model === "BackchannelAuthenticationRequest" && client.settings.cibaDeliveryMode === "ping")
        await enqueuePing(ctx, client.clientId, request.recordId);
    });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "oidc.answered") return false;
    throw error;
  }
}

/** Stores grant, decision, consent and event of an approval in one transaction. */
async function approve(ctx: Ctx, { parts, model, request, client, session }: Approval): Promise<boolean> {
  const { scopes, claims, resources, details } = requestedBy(parts, request);
  const scope = scopes.join(" ");
  const isOffline = scopes.includes("offline_access");
  const grantId = newId();
  // The session is locked for offline access as well: a concurrent password change waits, and then ends the new grant.
  if (!(await store.holdSession(ctx.tx, ctx.realm, session.sessionId))) return false;
  await tokens.writeGrant(ctx.tx, ctx.realm, {
    grantId,
    userId: session.userId,
    clientId: client.clientId,
    sessionId: isOffline ? null : session.sessionId,
    payload: {
      openid: { scope, ...(claims.length > 0 && { claims: [...claims] }) },
      resources: Object.fromEntries(resources.map((resource) => [resource, scope])),
      ...(details.length > 0 && { rar: details }),
    },
    now: ctx.now,
    expiresAt: isOffline ? ctx.now + tokens.lifetimesOf(parts.realm.settings, client).offline * SECOND : session.absoluteExpiry,
  });
  const requestedClaims = claimsOf(request);
  const payload = {
    accountId: session.userId,
    grantId,
    scope,
    resource: resources.length === 1 ? resources[0] : resources,
    ...(details.length > 0 && { rar: details }),
    acr: session.acr,
    amr: [...session.amr],
    authTime: Math.floor(session.authTime / SECOND),
    ...(Object.keys(requestedClaims).length > 0 && { claims: requestedClaims }),
    ...(!isOffline && { sessionUid: session.sessionId, sid: session.sessionId }),
  };
  const key = { realm: ctx.realm, model, recordId: request.recordId };
  if (!(await store.decide(ctx.tx, key, { grantId, payload }, ctx.now))) return false;
  // The client becomes a participant of the session, and is notified when the session ends.
  if (!isOffline)
    await joinSession(ctx.tx, ctx.realm, { sessionId: session.sessionId, protocol: "oidc", clientId: client.clientId, now: ctx.now });
  if (tokens.needsConsent(client))
    for (const resource of resources)
      await grantConsent(ctx, { userId: session.userId, clientId: client.clientId, resource: tokens.consentResource(parts, resource) }, [
        ...scopes,
        ...claims.map(tokens.consentToClaim),
      ]);
  ctx.audit({ category: "AUTHN", type: EVENTS[model], resourceType: "clients", resourceId: client.id, detail: client.clientId });
  return true;
}

function deny(ctx: Ctx, model: store.DecoupledModel, request: store.OpenRequest): Promise<boolean> {
  const payload = { error: "access_denied", errorDescription: "the user did not allow it" };
  return store.decide(ctx.tx, { realm: ctx.realm, model, recordId: request.recordId }, { grantId: null, payload }, ctx.now);
}
