import { type Client, type Configuration, type KoaContextWithOIDC, Provider } from "oidc-provider";
import { HOUR, MINUTE, SECOND } from "../../../kernel/clock.ts";
import { clientAlgs } from "../../../tenancy/keys/index.ts";
import type { ClientKeys } from "../../client-auth/index.ts";
import { claimNames, lifetimesOf } from "../../tokens/index.ts";
import { cookieKeys, INTERACTION_COOKIE, RESUME_COOKIE } from "../authorize/index.ts";
import { ACR_VALUES, authMethodsOf, paths, responseTypesOf } from "../capabilities.ts";
import type { RealmParts } from "../parts.ts";
import { createAdapters } from "./adapter.ts";
import { accountOf } from "./models/account.ts";
import { snapshotOf } from "./models/client.ts";
import { sessionCookie } from "./models/session.ts";
import { noKeys } from "./models/signing-keys.ts";
import { cibaFeature } from "./requests/ciba.ts";
import { loadGrant, richAuthorizationRequests } from "./requests/existing-grant.ts";
import { createPolicy } from "./requests/policy.ts";
import { assertRequestObject } from "./requests/profile.ts";
import { resourceIndicators } from "./requests/resources.ts";
import { renderError } from "./responses/error-page.ts";

const seconds = (ms: number) => Math.max(1, Math.floor(ms / SECOND));

/** Returns the engine's configuration for a realm. `models`, `requests` and `responses` override behaviour that has no option. */
export function configurationOf(parts: RealmParts): Configuration {
  const { realm, scopesOfRealm: scopes } = parts;
  const { tokens } = realm.settings;
  const secure = parts.baseUrl.startsWith("https:");
  const long = { httpOnly: true, sameSite: "lax", signed: false, secure, path: "/" } as const;
  const short = { httpOnly: true, sameSite: "lax", signed: true, secure } as const;
  return {
    adapter: createAdapters(parts),
    jwks: { keys: [...noKeys()] },
    enabledJWA: { requestObjectSigningAlgValues: [...clientAlgs] },
    routes: paths,
    responseTypes: [...responseTypesOf(realm)],
    scopes: scopes.scopes.map(({ name }) => name),
    claims: { ...claimNames(scopes), acr: null, amr: null, auth_time: null, iss: null, sid: null, openid: ["sub"] },
    acrValues: [...ACR_VALUES],
    extraParams: ["idp_hint"],
    subjectTypes: ["public", "pairwise"],
    clientAuthMethods: authMethodsOf(parts),
    pairwiseIdentifier: (_ctx, userId, client) => parts.subjectOf(realm.realmId, snapshotOf(client), userId),
    // RFC 9700 §2.1.1: PKCE is required of public clients, and of others if configured.
    pkce: { required: (_ctx, client) => client.clientAuthMethod === "none" || snapshotOf(client).settings.requirePkce },
    cookies: {
      names: { session: sessionCookie(realm.realmId), interaction: INTERACTION_COOKIE, resume: RESUME_COOKIE },
      keys: cookieKeys(parts.vault) as never, // the engine accepts any signer
      long,
      short,
    },
    interactions: {
      policy: createPolicy(parts),
      url: (_ctx, { uid }) => `/realms/${realm.realmId}/interaction/${uid}`,
    },
    findAccount: (ctx, userId) => accountOf(parts, ctx, userId),
    loadExistingGrant: (ctx) => loadGrant(parts, ctx),
    // The grant's row decides whether it ends with the session.
    expiresWithSession: () => false,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    clientBasedCORS: (_ctx, origin, client) => snapshotOf(client).webOrigins.includes(origin),
    renderError: (ctx, out, error) => renderError(parts, ctx, out, error),
    fetch: fetchKeys(parts.clientKeys),
    ttl: {
      AccessToken: (_ctx, _token, client) => lifetimesOf(realm.settings, snapshotOf(client)).accessToken,
      AuthorizationCode: (_ctx, _code, client) => lifetimesOf(realm.settings, snapshotOf(client)).code,
      DeviceCode: tokens.deviceCodeSeconds,
      // CIBA §7.1: `requested_expiry` may shorten it.
      BackchannelAuthenticationRequest: (_ctx, { params }) =>
        Math.min(tokens.cibaSeconds, Number(params?.requested_expiry ?? tokens.cibaSeconds)),
      Interaction: seconds(30 * MINUTE),
      Session: seconds(10 * HOUR), // never stored: see models/session.ts
      Grant: (ctx) => lifetimesOf(realm.settings, snapshotOf(ctx.oidc.client as Client)).offline,
    },
    features: {
      devInteractions: { enabled: false },
      externalSigningSupport: { enabled: true, ack: "experimental-01" },
      claimsParameter: { enabled: true },
      dPoP: { enabled: true },
      jwtResponseModes: { enabled: true },
      jwtUserinfo: { enabled: true },
      pushedAuthorizationRequests: { enabled: true },
      requestObjects: { enabled: true, assertJwtClaimsAndHeader: assertRequestObject },
      resourceIndicators: resourceIndicators(parts),
      richAuthorizationRequests: richAuthorizationRequests(tokens.authorizationDetailsTypes),
      rpInitiatedLogout: { enabled: false },
      ...mutualTls(parts),
      // protocols/decoupled has the pages, because the engine's own pages need its session.
      deviceFlow: { enabled: true, charset: "base-20", mask: "****-****", deviceInfo: withoutHints },
      ciba: cibaFeature(parts),
    },
  } as Configuration;
}

/** Answers the engine's only fetch, that of the calling client's JWKS, from the cache of client keys. */
const fetchKeys = (keys: ClientKeys) => async (): Promise<Response> =>
  Response.json(await keys.published(snapshotOf(Provider.ctx?.oidc.client as Client)));

/** RFC 8628: removes the hints from a device request, and stores no details of the device, because the pages do not show them. */
const withoutHints = ({ oidc }: KoaContextWithOIDC): object => {
  Object.assign(oidc.params as object, { id_token_hint: undefined, login_hint: undefined });
  return {};
};

/** RFC 8705: lets the engine accept clients that are registered for mutual TLS. protocols/client-auth checks the certificates. */
const mutualTls = ({ tlsClientCertHeader }: RealmParts) =>
  tlsClientCertHeader === null ? {} : { mTLS: { enabled: true, selfSignedTlsClientAuth: true, tlsClientAuth: true } };
