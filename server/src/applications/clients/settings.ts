import { profileDefaults } from "./profiles.ts";
import type { ClientSettings, StoredClient } from "./snapshot.ts";

/** The defaults of a client. */
const defaults: Omit<StoredClient, "authMethod"> = {
  grantTypes: ["authorization_code", "refresh_token"],
  redirectUris: [],
  webOrigins: [],
  scopes: [],
  description: null,
  applicationType: "web",
  authSigningAlg: null,
  jwks: null,
  jwksUri: null,
  tlsClientAuthSubjectDn: null,
  tlsClientAuthSanDns: null,
  tlsClientAuthSanUri: null,
  tlsClientAuthSanIp: null,
  tlsClientAuthSanEmail: null,
  postLogoutRedirectUris: [],
  backchannelLogoutUri: null,
  backchannelLogoutSessionRequired: false,
  frontchannelLogoutUri: null,
  frontchannelLogoutSessionRequired: false,
  firstParty: false,
  consentRequired: false,
  requirePkce: false,
  requireDpop: false,
  requirePar: false,
  requireSignedRequestObject: false,
  profile: "none",
  rotateRefreshTokens: true,
  claimsInIdToken: true,
  accessTokenLifetime: null,
  idTokenLifetime: null,
  codeLifetime: null,
  refreshTokenLifetime: null,
  subjectClaim: null,
  audience: [],
  accessTokenAlg: null,
  idTokenAlg: null,
  userinfoAlg: null,
  authorizationSignedResponseAlg: null,
  introspectionSignedResponseAlg: null,
  idTokenEncryptedResponseAlg: null,
  idTokenEncryptedResponseEnc: null,
  userinfoEncryptedResponseAlg: null,
  userinfoEncryptedResponseEnc: null,
  authorizationEncryptedResponseAlg: null,
  authorizationEncryptedResponseEnc: null,
  introspectionEncryptedResponseAlg: null,
  introspectionEncryptedResponseEnc: null,
  requestObjectAlg: null,
  sectorIdentifierUri: null,
  requestUris: [],
  responseTypes: ["code"],
  introspectAll: false,
  initiateLoginUri: null,
  defaultMaxAge: null,
  requireAuthTime: false,
  defaultAcrValues: [],
  cibaDeliveryMode: null,
  cibaNotificationEndpoint: null,
  logoUri: null,
  clientUri: null,
  policyUri: null,
  tosUri: null,
  contacts: [],
  browserFlow: null,
  directGrantFlow: null,
  allowedRoles: [],
  allowedGroups: [],
};

const names = [...Object.keys(defaults), "authMethod"] as (keyof StoredClient)[];

/** Whatever was stored or sent, with every member there is: rows of an older release gain the new ones. */
export function completeSettings(given: Partial<StoredClient>, publicClient: boolean): StoredClient {
  const complete = { ...defaults, authMethod: publicClient ? "none" : "client_secret", ...profileDefaults(given), ...given };
  return Object.fromEntries(names.map((name) => [name, complete[name]])) as unknown as StoredClient;
}

/** The members that are stored in `clients.settings`. */
export function settingsOf({ grantTypes: _, redirectUris: __, webOrigins: ___, scopes: ____, ...settings }: StoredClient): ClientSettings {
  return settings;
}

/** `+` means the origins of the redirect URIs that have one. */
export function originsOf({ webOrigins, redirectUris }: Pick<StoredClient, "webOrigins" | "redirectUris">): string[] {
  const own = () => redirectUris.map((uri) => new URL(uri).origin).filter((origin) => origin !== "null");
  return [...new Set(webOrigins.flatMap((origin) => (origin === "+" ? own() : [origin])))];
}
