import { type Client, type Configuration, errors, type KoaContextWithOIDC } from "oidc-provider";
import { HOUR, MINUTE, SECOND } from "../../kernel/clock.ts";
import { accountOf, type ClaimParts, claimNames, type OidcAccount, serviceAccountClaims } from "./accounts.ts";
import { createAdapters } from "./adapter/index.ts";
import { richAuthorizationRequests } from "./authorization-details.ts";
import { snapshotOf } from "./client.ts";
import { cookieKeys, INTERACTION_COOKIE, RESUME_COOKIE } from "./cookies.ts";
import { demandRedirectUri } from "./engine.ts";
import { renderError } from "./error-page.ts";
import { awayFlows } from "./features.ts";
import { engineFetch } from "./fetch.ts";
import { isFromFrontChannel, responseTypesOf } from "./front-channel.ts";
import { liveGrantOf } from "./grant.ts";
import { exactAudienceOf } from "./grants/audience.ts";
import { loadGrant } from "./interactions/consent.ts";
import { createPolicy } from "./interactions/policy.ts";
import type { EngineKeys } from "./keys.ts";
import { lifetimesOf, refreshLifetime } from "./lifetimes.ts";
import { certificateOf, hasSubject } from "./mtls.ts";
import type { RealmParts } from "./parts.ts";
import { resourceIndicators } from "./resources.ts";
import { sessionCookie } from "./session.ts";

/** What a sign-in can prove, each more than the one before: `1` one kind of proof, `2` two, or a passkey that verified its user. */
export const ACR_VALUES: readonly string[] = ["1", "2"];

export const routes = {
  authorization: "/authorize",
  token: "/token",
  userinfo: "/userinfo",
  introspection: "/introspect",
  revocation: "/revoke",
  pushed_authorization_request: "/par",
  jwks: "/jwks",
  device_authorization: "/device/authorize",
  code_verification: "/device",
  backchannel_authentication: "/backchannel/authorize",
} as const;

demandRedirectUri();

const seconds = (ms: number) => Math.max(1, Math.floor(ms / SECOND));

/** The realm's issuer, as the engine wants it told. What it does not find here, this folder does itself. */
export function configurationOf(parts: RealmParts, { keys }: EngineKeys): Configuration {
  const { db, realm, scopesOfRealm: scopes } = parts;
  const { tokens } = realm.settings;
  const claims: ClaimParts = { db, realm: realm.realmId, scopes };
  const secure = parts.baseUrl.startsWith("https:");
  const long = { httpOnly: true, sameSite: "lax", signed: false, secure, path: "/" } as const;
  const short = { httpOnly: true, sameSite: "lax", signed: true, secure } as const;
  return {
    adapter: createAdapters({
      db,
      work: parts.work,
      realm: realm.realmId,
      refreshReuseGraceSeconds: tokens.refreshReuseGraceSeconds,
      sessionIdleMs: realm.settings.sessions.idleMinutes * MINUTE,
    }),
    jwks: { keys },
    routes,
    responseTypes: [...responseTypesOf(realm)],
    scopes: scopes.scopes.map(({ name }) => name),
    claims: { ...claimNames(scopes), acr: null, amr: null, auth_time: null, iss: null, sid: null, openid: ["sub"] },
    acrValues: [...ACR_VALUES],
    subjectTypes: ["public", "pairwise"],
    clientAuthMethods: [
      "client_secret_basic",
      "client_secret_post",
      "client_secret_jwt",
      "private_key_jwt",
      "none",
      ...(parts.tlsClientCertHeader === null ? [] : (["tls_client_auth", "self_signed_tls_client_auth"] as const)),
    ],
    pairwiseIdentifier: (_ctx, userId, client) => parts.subjectOf(realm.realmId, snapshotOf(client), userId),
    conformIdTokenClaims: false,
    // RFC 9700 §2.1.1: public clients always prove that the code is theirs; others if their administrator says so.
    pkce: { required: (_ctx, client) => client.clientAuthMethod === "none" || snapshotOf(client).settings.requirePkce },
    // At the token endpoint: see demandRedirectUri.
    allowOmittingSingleRegisteredRedirectUri: true,
    cookies: {
      names: { session: sessionCookie(realm.realmId), interaction: INTERACTION_COOKIE, resume: RESUME_COOKIE },
      keys: cookieKeys(parts.vault) as never, // anything that signs
      long,
      short,
    },
    interactions: {
      policy: createPolicy(ACR_VALUES, realm.settings),
      url: (_ctx, { uid }) => `/realms/${realm.realmId}/interaction/${uid}`,
    },
    findAccount: (ctx, userId, source) => accountOf(claims, ctx, userId, source as Parameters<typeof accountOf>[3]),
    loadExistingGrant: (ctx) => loadGrant(db, realm, ctx),
    extraTokenClaims: async (ctx, token) => {
      if (token.kind === "ClientCredentials") return serviceAccountClaims(claims, snapshotOf(token.client!), token.scope ?? "");
      const account = ctx.oidc.account as OidcAccount | undefined;
      const impersonator = liveGrantOf(ctx.oidc.grant)?.impersonator ?? null;
      // Token exchange names its actor here; whoever plays the user stands behind it.
      const act = (ctx.oidc.entities.Actor as object | undefined) ?? (impersonator === null ? undefined : { sub: impersonator });
      const requested = Object.keys(askedClaims(ctx)?.userinfo ?? {});
      return {
        ...(await account?.accessTokenClaims(snapshotOf(ctx.oidc.client as Client), token.scope ?? "")),
        gid: token.grantId,
        sid: token.sid,
        act,
        ...(isFromFrontChannel(token) && { front_channel: true }),
        // OpenID Connect Core §5.5: what userinfo was asked for by itself; the token is all that userinfo knows of the request.
        ...(requested.length > 0 && { userinfo_claims: requested }),
      };
    },
    formats: {
      customizers: {
        jwt: (_ctx, token, jwt) => {
          const { audience } = snapshotOf(token.client!).settings;
          const exact = exactAudienceOf(token);
          // What was exchanged goes to nobody that the token before did not go to.
          if (exact) jwt.payload.aud = exact.length === 1 ? exact[0] : [...exact];
          else if (audience.length > 0) jwt.payload.aud = [...new Set([jwt.payload.aud as string, ...audience])];
        },
      },
    },
    // Whether something ends with its session is written in its grant.
    expiresWithSession: () => false,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
    revokeGrantPolicy: () => true,
    clientBasedCORS: (_ctx, origin, client) => snapshotOf(client).webOrigins.includes(origin),
    renderError: (ctx, out, error) => renderError(parts, ctx, out, error),
    fetch: engineFetch(parts.outbound),
    ttl: {
      AccessToken: (_ctx, _token, client) => lifetimesOf(realm.settings, snapshotOf(client)).accessToken,
      ClientCredentials: (_ctx, _token, client) => lifetimesOf(realm.settings, snapshotOf(client)).accessToken,
      AuthorizationCode: (_ctx, _code, client) => lifetimesOf(realm.settings, snapshotOf(client)).code,
      IdToken: (_ctx, _token, client) => lifetimesOf(realm.settings, snapshotOf(client)).idToken,
      RefreshToken: (ctx, _token, client) => refreshLifetime(grantIn(ctx), lifetimesOf(realm.settings, snapshotOf(client))),
      DeviceCode: tokens.deviceCodeSeconds,
      // CIBA §7.1: the client may want less.
      BackchannelAuthenticationRequest: (_ctx, { params }) =>
        Math.min(tokens.cibaSeconds, Number(params?.requested_expiry ?? tokens.cibaSeconds)),
      Interaction: seconds(30 * MINUTE),
      Session: seconds(10 * HOUR), // never stored: see session.ts
      Grant: (ctx) => lifetimesOf(realm.settings, snapshotOf(ctx.oidc.client as Client)).offline,
    },
    features: {
      devInteractions: { enabled: false },
      externalSigningSupport: { enabled: true, ack: "experimental-01" },
      clientCredentials: { enabled: true },
      claimsParameter: { enabled: true },
      dPoP: { enabled: true },
      jwtResponseModes: { enabled: true },
      jwtUserinfo: { enabled: true },
      pushedAuthorizationRequests: { enabled: true },
      requestObjects: { enabled: true },
      resourceIndicators: resourceIndicators(parts),
      richAuthorizationRequests: richAuthorizationRequests(tokens.authorizationDetailsTypes),
      // Own handlers know our JWTs; they are enabled to be routes and metadata of the engine.
      userinfo: { enabled: true },
      introspection: { enabled: true },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: false },
      ...mutualTls(parts),
      ...awayFlows(parts),
    },
  } as Configuration;
}

/** The `claims` parameter: of what the tokens of this request are made of, or of the request itself where it is answered with tokens at once. */
const askedClaims = ({ oidc }: KoaContextWithOIDC) => {
  const { AuthorizationCode, RefreshToken, DeviceCode, BackchannelAuthenticationRequest } = oidc.entities;
  const source = AuthorizationCode ?? RefreshToken ?? DeviceCode ?? BackchannelAuthenticationRequest;
  return source ? source.claims : oidc.route === "token" ? undefined : oidc.claims;
};

function grantIn({ oidc: { grant } }: KoaContextWithOIDC): Parameters<typeof refreshLifetime>[0] {
  if (!grant) throw new errors.InvalidGrant("there is no grant");
  return { sessionId: liveGrantOf(grant)?.sessionId ?? null, expiresAt: (grant.exp ?? 0) * SECOND };
}

/** RFC 8705, where an operator has told which header the proxy uses. It verifies the chain; that it was asked to is the operator's word. */
function mutualTls({ tlsClientCertHeader: header }: RealmParts) {
  if (header === null) return {};
  return {
    mTLS: {
      enabled: true,
      certificateBoundAccessTokens: true,
      selfSignedTlsClientAuth: true,
      tlsClientAuth: true,
      getCertificate: (ctx: KoaContextWithOIDC) => certificateOf(ctx.req, header),
      certificateAuthorized: () => true,
      certificateSubjectMatches: (ctx: KoaContextWithOIDC, property: string, expected: string) => {
        const certificate = certificateOf(ctx.req, header);
        return property === "tls_client_auth_subject_dn" && certificate !== undefined && hasSubject(certificate, expected);
      },
    },
  };
}
