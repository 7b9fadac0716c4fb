import { randomUUID } from "node:crypto";
import { type AdapterPayload, errors } from "oidc-provider";
import {
  type ClaimMapper,
  type ClaimSubject,
  claimsOf,
  needsOf,
  type SubjectNeeds,
  type SubjectSession,
} from "../../applications/claims/index.ts";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { clock, SECOND } from "../../kernel/clock.ts";
import { randomToken } from "../../kernel/vault.ts";
import { mappersFor, subjectOf } from "./accounts.ts";
import { actOf } from "./act.ts";
import type { LiveGrant } from "./adapter/grants.store.ts";
import { signJwt } from "./jwt.ts";
import { keptPerClient } from "./kept-per-client.ts";
import { lifetimesOf, refreshLifetime } from "./lifetimes.ts";
import type { RealmParts } from "./parts.ts";
import type { Issuer } from "./provider.ts";
import { allowedScopes } from "./scopes.ts";

/** A code or a refresh token as it is stored, and the scopes that were asked for with it. */
export interface TokenSource {
  readonly accountId: string;
  readonly clientId: string;
  readonly grantId: string;
  readonly scope: string;
  readonly resource: string;
  readonly acr?: string;
  readonly amr?: readonly string[];
  readonly authTime?: number;
  readonly nonce?: string;
  readonly sid?: string;
  readonly sessionUid?: string;
  readonly gty?: string;
  readonly rotations?: number;
  readonly iiat?: number;
  /** Undefined: all of `scope`. */
  readonly asked: string | undefined;
}

export interface ExchangeTokens {
  readonly access: string;
  /** Null: `openid` was not asked for. */
  readonly id: string | null;
  /** Null: the client gets none. */
  readonly refresh: {
    readonly token: string;
    readonly payload: AdapterPayload & { readonly grantId: string };
    readonly expiresAt: number;
  } | null;
  readonly expiresIn: number;
  /** Of the access token. */
  readonly scope: string;
}

/** What the mappers of some scopes ask for, and write. */
interface Plan {
  readonly names: ReadonlySet<string>;
  readonly inIdToken: readonly ClaimMapper[];
  readonly inAccessToken: readonly ClaimMapper[];
  readonly needs: SubjectNeeds;
}

const planFor = keptPerClient(({ parts: { db, realm, scopesOfRealm: scopes } }, client, scope): Plan => {
  const allowed = allowedScopes(scopes, client);
  const names = scope.split(" ").filter((name) => allowed.has(name));
  const mappers = mappersFor({ db, realm: realm.realmId, scopes }, client, names);
  return {
    names: new Set(names),
    inIdToken: mappers.filter(({ targets }) => targets.includes("idToken")),
    inAccessToken: mappers.filter(({ targets }) => targets.includes("accessToken")),
    needs: needsOf(mappers, "idToken", "accessToken"),
  };
});

/** Access token, ID token and the next refresh token, signed side by side off the main thread. Null: the engine says what is wrong. */
export async function makeTokens(
  issuer: Issuer,
  client: ClientSnapshot,
  source: TokenSource,
  grant: LiveGrant,
): Promise<ExchangeTokens | null> {
  const { parts } = issuer;
  const { realm, signingKeys } = parts;
  const { signingAlg } = realm.settings.tokens;
  const plan = planFor(issuer, client, source.asked ?? source.scope);
  const scope = grantedScope(parts, grant, plan);
  const known = await subjectFor(parts, client, grant, plan);
  const [accessSigner, idSigner] = await Promise.all([
    signingKeys.signer(realm.realmId, client.settings.accessTokenAlg ?? signingAlg),
    signingKeys.signer(realm.realmId, client.settings.idTokenAlg ?? signingAlg),
  ]);
  if (!known || !accessSigner || !idSigner) return null;
  const lifetimes = lifetimesOf(realm.settings, client);
  const about: About = { ...known, source, context: { clientId: client.clientId, session: sessionOf(source, grant) } };
  const iat = Math.floor(clock.now() / SECOND);
  const accessPayload = accessTokenOf(issuer, client, about, { grant, scope, iat, exp: iat + lifetimes.accessToken });
  const idPayload = plan.names.has("openid")
    ? idTokenOf(parts, client, about, { mappers: plan.inIdToken, grant, iat, exp: iat + lifetimes.idToken })
    : null;
  const [access, id] = await Promise.all([
    signJwt(accessSigner, "at+jwt", JSON.stringify(accessPayload)),
    idPayload && signJwt(idSigner, undefined, JSON.stringify(idPayload)),
  ]);
  const refresh = client.grantTypes.includes("refresh_token") ? nextRefreshToken(source, refreshLifetime(grant, lifetimes)) : null;
  return { access, id, refresh, expiresIn: lifetimes.accessToken, scope };
}

/** Of what the user granted for the realm's own endpoints, in that order, what was asked for and still exists. */
const grantedScope = ({ issuer, scopesOfRealm }: RealmParts, { payload }: LiveGrant, { names }: Plan): string =>
  ((payload.resources as Record<string, string> | undefined)?.[issuer] ?? "")
    .split(" ")
    .filter((name) => names.has(name) && scopesOfRealm.byName.has(name))
    .join(" ");

interface About {
  readonly subject: ClaimSubject;
  readonly sub: string;
  readonly source: TokenSource;
  readonly context: { readonly clientId: string; readonly session: SubjectSession | null };
}

/** Null: the account lacks what it is to be known by, or was erased a moment ago. */
async function subjectFor(
  { db, realm, subjectOf: subOf }: RealmParts,
  client: ClientSnapshot,
  { userId, user }: LiveGrant,
  { needs }: Plan,
): Promise<Pick<About, "subject" | "sub"> | null> {
  const subject = await subjectOf({ db, realm: realm.realmId }, userId, user, needs);
  const sub = await subOf(realm.realmId, client, userId, user).catch((error) => {
    if (error instanceof errors.OIDCProviderError) return null;
    throw error;
  });
  return subject && sub !== null ? { subject, sub } : null;
}

const sessionOf = ({ authTime, acr, amr, sid }: TokenSource, { impersonator }: LiveGrant): SubjectSession | null =>
  authTime === undefined ? null : { authTime: authTime * SECOND, acr: acr ?? null, amr: amr ?? [], sid: sid ?? null, impersonator };

/** RFC 9068 §2.2 */
function accessTokenOf(
  issuer: Issuer,
  client: ClientSnapshot,
  { subject, sub, source, context }: About,
  { grant, scope, iat, exp }: { readonly grant: LiveGrant; readonly scope: string; readonly iat: number; readonly exp: number },
): Record<string, unknown> {
  const { audience } = client.settings;
  const resource = issuer.parts.issuer;
  return {
    // By the scopes that are left of those asked for.
    ...claimsOf(planFor(issuer, client, scope).inAccessToken, "accessToken", subject, context),
    gid: source.grantId,
    sid: source.sid,
    act: actOf(issuer.parts, grant.actingUser),
    jti: randomUUID(),
    sub,
    iat,
    exp,
    scope: scope || undefined,
    client_id: client.clientId,
    iss: resource,
    aud: audience.length > 0 ? [...new Set([resource, ...audience])] : resource,
  };
}

/** OpenID Connect Core §2 */
const idTokenOf = (
  parts: RealmParts,
  { clientId }: ClientSnapshot,
  { subject, sub, source, context }: About,
  {
    mappers,
    grant,
    iat,
    exp,
  }: { readonly mappers: readonly ClaimMapper[]; readonly grant: LiveGrant; readonly iat: number; readonly exp: number },
): Record<string, unknown> => ({
  ...claimsOf(mappers, "idToken", subject, context),
  act: actOf(parts, grant.actingUser),
  acr: source.acr,
  amr: source.amr,
  auth_time: source.authTime,
  sub,
  nonce: source.nonce,
  sid: source.sid,
  aud: clientId,
  exp,
  iat,
  iss: parts.issuer,
});

/** As the engine would store it, which may be the next to read it. */
function nextRefreshToken(source: TokenSource, lifetime: number): NonNullable<ExchangeTokens["refresh"]> {
  const now = clock.now();
  const iat = Math.floor(now / SECOND);
  const isFirst = source.gty === undefined;
  const payload = {
    kind: "RefreshToken",
    iat,
    exp: iat + lifetime,
    iiat: source.iiat ?? iat,
    accountId: source.accountId,
    clientId: source.clientId,
    grantId: source.grantId,
    acr: source.acr,
    amr: source.amr,
    authTime: source.authTime,
    nonce: source.nonce,
    resource: source.resource,
    scope: source.scope,
    sessionUid: source.sessionUid,
    sid: source.sid,
    gty: isFirst ? "authorization_code" : "authorization_code refresh_token",
    rotations: isFirst ? 0 : (source.rotations ?? 0) + 1,
  };
  return { token: randomToken(), payload: payload as AdapterPayload & { grantId: string }, expiresAt: now + lifetime * SECOND };
}
