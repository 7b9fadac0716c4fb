import { findRequiredActions, findUser, type UserRow } from "../../../directory/users/index.ts";
import { findLinkedUser, type ReadAssertion, readIdentityAssertion, touchLink } from "../../../federation/index.ts";
import { clock, SECOND } from "../../../kernel/clock.ts";
import { newId } from "../../../kernel/ids.ts";
import { listOf } from "../../../kernel/lists.ts";
import { oauthErrors } from "../../../kernel/oauth-error.ts";
import { sha256 } from "../../../kernel/vault.ts";
import { systemActor } from "../../../platform/context.ts";
import { IDENTITY_PROVIDER } from "../../../signin/authenticators/index.ts";
import * as tokens from "../../tokens/index.ts";
import type { Grant, Presented, Source, TokenCtx } from "../grant.ts";

interface AssertedSource extends Source {
  readonly record: null;
  readonly grant: tokens.LiveGrant;
  readonly scopes: readonly string[];
  readonly target: tokens.Target;
  readonly authTime: number | undefined;
}

/**
 * RFC 7523 §2.1 with draft-ietf-oauth-identity-assertion-authz-grant §5: an identity provider of the realm asserts that its user is signed
 * in to the client. The user is the one who is linked with that account: an assertion neither creates users nor links them.
 */
export const jwtBearer: Grant<AssertedSource> = {
  parameters: ["assertion", "scope", "resource"],
  lists: ["resource"],

  async find(ctx, { params, lists }) {
    const { parts } = ctx;
    if (params.assertion === undefined) throw oauthErrors.invalidRequest("missing required parameter 'assertion'");
    const read = await readIdentityAssertion(parts.brokers, parts.realm.realmId, parts.issuer, params.assertion);
    if (!read) throw oauthErrors.invalidGrant("the assertion is not valid here");
    const reason = await reasonAgainst(ctx, read);
    if (reason !== null) throw await refused(ctx, read, reason);
    const target = await targetWithin(ctx, read, lists);
    const scopes = scopesWithin(ctx, read, params.scope);
    const user = await userOf(ctx, read, scopes, target);
    const { jti, exp, auth_time } = read.claims;
    const key = { realm: parts.realm.realmId, model: "IdentityAssertion", recordId: sha256(JSON.stringify([read.claims.iss, jti])) };
    if (!(await tokens.isFirst(parts.db, key, (Number(exp) + 61) * SECOND))) throw await refused(ctx, read, "it was used already");
    const grant = await makeGrant(ctx, read, user, scopes, target);
    return { record: null, grant, scopes, target, authTime: typeof auth_time === "number" ? Math.floor(auth_time) : undefined };
  },

  /** Issues no refresh token (§5.2), because the identity provider decides again about the next token. */
  issue({ client }, { grant, scopes, target, authTime }) {
    const { grantId, userId, user } = grant;
    return {
      kind: "user",
      tokens: {
        ...{ grantId, userId, user, impersonator: null, scopes: tokens.scopesAt(target, scopes), authentication: { authTime } },
        audience: tokens.audienceOf(client, target.resource),
        ...{ idToken: null, claims: undefined, authorizationDetails: undefined },
      },
      refresh: null,
    };
  },
};

/** §5.1: returns why the assertion is refused, or null. It must be for this client, and no actor may act for its subject. */
async function reasonAgainst({ client }: TokenCtx, { claims }: ReadAssertion): Promise<string | null> {
  if (claims.client_id !== client.clientId) return "it was issued for another client";
  return claims.act === undefined ? null : "its subject is not alone";
}

/** Records the reason in the audit trail, and returns an error that does not reveal it to the client. */
async function refused({ parts, sourceIp, requestId }: TokenCtx, { provider }: ReadAssertion, reason: string) {
  await parts.brokers.failed(parts.work, provider, `identity assertion: ${reason}`, { sourceIp, requestId });
  return oauthErrors.invalidGrant("the assertion is not valid here");
}

async function targetWithin(
  { parts, client }: TokenCtx,
  { claims }: ReadAssertion,
  { resource = [] }: Presented["lists"],
): Promise<tokens.Target> {
  const named = listOf(claims.resource as string | string[] | undefined).filter((each) => typeof each === "string");
  const granted = await Promise.all(named.slice(0, 10).map((each) => tokens.targetOf(parts, client, each)));
  return tokens.resourceOf(
    parts,
    client,
    granted.map((each) => each.resource),
    resource,
  );
}

/** Returns the scopes that the assertion, the request and the client have in common, but never `offline_access`. */
function scopesWithin({ parts, client }: TokenCtx, { claims }: ReadAssertion, scope: string | undefined): readonly string[] {
  const asserted = typeof claims.scope === "string" ? claims.scope.split(" ") : [];
  const beyond = scope?.split(" ").find((name) => !asserted.includes(name));
  if (beyond !== undefined) throw oauthErrors.invalidScope("the assertion does not have this scope", { scope: beyond });
  const allowed = tokens.allowedScopes(parts.scopesOfRealm, client);
  return (scope?.split(" ") ?? asserted).filter((name) => allowed.has(name) && name !== "offline_access");
}

async function userOf(ctx: TokenCtx, read: ReadAssertion, scopes: readonly string[], { resource }: tokens.Target): Promise<UserRow> {
  const { parts, client } = ctx;
  const { db, realm } = parts;
  const linked = await findLinkedUser(db, realm.realmId, read.provider.providerId, read.subject);
  const user = linked && (await findUser(db, realm.realmId, linked.userId, clock.now()));
  if (!user) throw await refused(ctx, read, "no user is linked with its subject");
  if (!user.enabled || user.locked) throw await refused(ctx, read, "the user is disabled or locked");
  const { userId } = user;
  const refusal = await tokens.accessRefusal(parts, client, { userId, entryChecks: parts.entryChecks });
  if (refusal) {
    await refused(ctx, read, refusal);
    throw tokens.accessError(refusal);
  }
  if ((await findRequiredActions(db, realm.realmId, userId)).length > 0)
    throw oauthErrors.invalidGrant("the account has open required actions: sign in once in the browser");
  if (!(await tokens.isAllowedByUser(db, parts, client, userId, { scopes, resources: [resource] })))
    throw oauthErrors.invalidGrant("the user has not allowed this application yet: sign in once in the browser");
  return user;
}

/** Makes a grant for the token, which ends with the user, the client or the user's consent. The assertion counts like a sign-in. */
async function makeGrant(
  { parts, client, sourceIp, requestId }: TokenCtx,
  { provider, subject }: ReadAssertion,
  { userId, username }: UserRow,
  scopes: readonly string[],
  { resource }: tokens.Target,
): Promise<tokens.LiveGrant> {
  const { realmId, settings } = parts.realm;
  const grantId = newId();
  const scope = scopes.join(" ");
  const at = clock.now();
  const proven = { at, proofs: [{ flow: "", authenticator: IDENTITY_PROVIDER, factor: "knowledge", amr: ["fed"], at }] } as const;
  await parts.work.transact({ realm: realmId, actor: systemActor(realmId), sourceIp, requestId }, async (work) => {
    await touchLink(work.tx, realmId, { providerId: provider.providerId, subject, userId, username: null }, work.now);
    await tokens.writeGrant(work.tx, realmId, {
      ...{ grantId, userId, clientId: client.clientId, sessionId: null, now: work.now },
      payload: { openid: { scope }, resources: { [resource]: scope }, proven },
      expiresAt: work.now + tokens.lifetimesOf(settings, client).accessToken * SECOND,
    });
    work.audit({
      ...{
        category: "AUTHN",
        type: "LOGIN_SUCCESS",
        actor: { id: userId, name: username },
        resourceType: "clients",
        resourceId: client.id,
      },
      detail: `identity assertion of ${provider.alias}`,
    });
    work.afterCommit(() => parts.metrics.login(realmId, "success"));
  });
  const grant = await tokens.findLiveGrant(parts.db, realmId, grantId, clock.now());
  if (!grant) throw oauthErrors.invalidGrant();
  return grant;
}
