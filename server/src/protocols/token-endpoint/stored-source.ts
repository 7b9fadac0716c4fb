import { clock } from "../../kernel/clock.ts";
import { listOf } from "../../kernel/lists.ts";
import { oauthErrors } from "../../kernel/oauth-error.ts";
import { sha256 } from "../../kernel/vault.ts";
import * as tokens from "../tokens/index.ts";
import type { Issue, Presented, RefreshSource, Source, TokenCtx } from "./grant.ts";

// Serves grants whose source is a stored record (a code, a refresh token, a device or a CIBA request) of a user's grant.

/** The parameters that all these grants share. */
export const NARROWING = ["resource", "authorization_details"];

export interface StoredSource extends Source {
  readonly record: tokens.StoredRecord & { readonly model: string };
}

/** Reads record and grant in one statement. Returns null if the value is unknown or expired. */
export async function findStored({ parts }: TokenCtx, model: string, value: string): Promise<StoredSource | null> {
  const key = { realm: parts.realm.realmId, model, recordId: sha256(value) };
  return tokens.findWithGrant(parts.db, key, clock.now());
}

/** Returns the live grant of the record. Refuses a record of another client, or one whose grant is not live. */
export function liveGrantOf({ client }: TokenCtx, { record: { payload }, grant }: StoredSource): tokens.LiveGrant {
  const fits =
    grant?.clientId === client.clientId &&
    payload.clientId === client.clientId &&
    payload.accountId === grant.userId &&
    payload.grantId === grant.grantId;
  if (!grant || !fits) throw oauthErrors.invalidGrant();
  return grant;
}

interface Narrowing {
  /** The requested scope, or undefined for all that was granted. */
  readonly scope: string | undefined;
  /** The grant type that begins a family of refresh tokens, or null if the record is a refresh token. */
  readonly gty: string | null;
}

/** Issues tokens for the user's grant, narrowed by the token request. */
export async function issueStored(
  ctx: TokenCtx,
  source: StoredSource,
  { params, lists }: Presented,
  { scope, gty }: Narrowing,
): Promise<Issue> {
  const { parts, client } = ctx;
  const { payload } = source.record;
  const grant = liveGrantOf(ctx, source);
  const target = await tokens.resourceOf(parts, client, listOf(payload.resource), lists.resource ?? []);
  const allowed = tokens.allowedScopes(parts.scopesOfRealm, client);
  // A grant without a session lives by this scope alone.
  if (payload.scope?.split(" ").includes("offline_access") && !allowed.has("offline_access"))
    throw oauthErrors.invalidGrant("the client may no longer have offline access");
  const scopes = (scope ?? payload.scope ?? "").split(" ").filter((name) => allowed.has(name));
  const requested = tokens.requestedDetails(params.authorization_details, parts.realm.settings.tokens.authorizationDetailsTypes);
  const details = tokens.narrowedDetails(payload.rar ?? [], requested);
  await assertAllowsAgent(ctx, grant, { scopes, resources: [target.resource] });
  const { acr, amr, authTime, sid, nonce, claims } = payload;
  return {
    kind: "user",
    tokens: {
      grantId: grant.grantId,
      userId: grant.userId,
      user: grant.user,
      impersonator: grant.impersonator,
      scopes: tokens.scopesAt(target, tokens.grantedScopes(grant.payload, target.resource)).filter((name) => scopes.includes(name)),
      audience: tokens.audienceOf(client, target.resource),
      authentication: { acr, amr, authTime, sid },
      idToken: scopes.includes("openid") ? { scopes, nonce, requested: tokens.grantedClaims(grant.payload, claims) } : null,
      claims,
      authorizationDetails: details.length > 0 ? details : undefined,
    },
    // `liveGrantOf` has compared its account, client and grant.
    refresh: client.grantTypes.includes("refresh_token") ? { from: payload as RefreshSource["from"], gty, grant } : null,
  };
}

/**
 * Checks the user's consent again for an agent's client. It loses its grants when it becomes one, but a concurrent request that saw no
 * agent yet may store a grant. Other clients cost no query.
 */
async function assertAllowsAgent({ parts, client }: TokenCtx, { userId }: tokens.LiveGrant, wanted: tokens.Wanted): Promise<void> {
  if (client.agent !== null && !(await tokens.isAllowedByUser(parts.db, parts, client, userId, wanted)))
    throw oauthErrors.invalidGrant("the user has not allowed this agent to act for them");
}
