import type { ContentEncryption, EncryptionAlg, SigningAlg } from "../../tenancy/keys/index.ts";
import type { ClientProfile } from "../../tenancy/settings/index.ts";
import type { GrantType } from "./grant-types.ts";

/** How a client proves who it is at the token endpoint. */
export type ClientAuthMethod =
  | "client_secret" // basic or post, as the request does it
  | "client_secret_basic"
  | "client_secret_post"
  | "client_secret_jwt"
  | "private_key_jwt"
  | "tls_client_auth"
  | "self_signed_tls_client_auth"
  | "none";

/** What the authorization endpoint may answer a client with. Those beside `code` need the realm setting `oidc.implicitFlow`, too. */
export type ResponseType = "code" | "id_token" | "id_token token" | "code id_token" | "code token" | "code id_token token";

/** What a subject is in the tokens of a realm, or of one client that overrides it. */
export interface SubjectClaim {
  readonly strategy: "userId" | "username" | "email" | "attribute" | "pairwise";
  readonly attribute?: string | null;
}

/** A client as protocols meet it: immutable, with its secrets open, cached until the realm's configuration changes. */
export interface ClientSnapshot {
  readonly realmId: string;
  /** As paths of the admin API know it. */
  readonly id: string;
  /** As OAuth knows it. */
  readonly clientId: string;
  readonly name: string | null;
  readonly enabled: boolean;
  readonly publicClient: boolean;
  /** Those that count now: the secret, and the one before it while a rotation overlaps. */
  readonly secrets: readonly { readonly value: string; readonly until: number | null }[];
  readonly grantTypes: readonly GrantType[];
  readonly redirectUris: readonly string[];
  readonly webOrigins: readonly string[];
  /** As configured; empty means what the realm gives (see decision 7). */
  readonly scopes: readonly string[];
  readonly allowedResources: readonly string[];
  readonly settings: ClientSettings;
  /** The client's own mappers. */
  readonly mappers: readonly import("../claims/index.ts").ClaimMapper[];
}

/** The members of the resource that are stored in `clients.settings`, with defaults. Null inherits the realm's setting. Times in seconds. */
export interface ClientSettings {
  readonly description: string | null;
  readonly applicationType: "web" | "native";
  readonly authMethod: ClientAuthMethod;
  readonly authSigningAlg: string | null;
  readonly jwks: { readonly keys: readonly Record<string, unknown>[] } | null;
  readonly jwksUri: string | null;
  /** RFC 8705 §2.1.2: one of these names the certificate of a client with `tls_client_auth`. */
  readonly tlsClientAuthSubjectDn: string | null;
  readonly tlsClientAuthSanDns: string | null;
  readonly tlsClientAuthSanUri: string | null;
  readonly tlsClientAuthSanIp: string | null;
  readonly tlsClientAuthSanEmail: string | null;
  readonly postLogoutRedirectUris: readonly string[];
  readonly backchannelLogoutUri: string | null;
  readonly backchannelLogoutSessionRequired: boolean;
  readonly frontchannelLogoutUri: string | null;
  readonly frontchannelLogoutSessionRequired: boolean;
  readonly firstParty: boolean;
  readonly consentRequired: boolean;
  readonly requirePkce: boolean;
  readonly requireDpop: boolean;
  readonly requirePar: boolean;
  readonly requireSignedRequestObject: boolean;
  readonly profile: ClientProfile;
  readonly rotateRefreshTokens: boolean;
  /** The claims of scopes are in the ID token even if an access token is issued. */
  readonly claimsInIdToken: boolean;
  readonly accessTokenLifetime: number | null;
  readonly idTokenLifetime: number | null;
  readonly codeLifetime: number | null;
  readonly refreshTokenLifetime: number | null;
  readonly subjectClaim: SubjectClaim | null;
  /** Further audiences of its access tokens. */
  readonly audience: readonly string[];
  readonly accessTokenAlg: SigningAlg | null;
  readonly idTokenAlg: SigningAlg | null;
  readonly userinfoAlg: SigningAlg | null;
  readonly authorizationSignedResponseAlg: SigningAlg | null;
  readonly introspectionSignedResponseAlg: SigningAlg | null;
  readonly idTokenEncryptedResponseAlg: EncryptionAlg | null;
  readonly idTokenEncryptedResponseEnc: ContentEncryption | null;
  readonly userinfoEncryptedResponseAlg: EncryptionAlg | null;
  readonly userinfoEncryptedResponseEnc: ContentEncryption | null;
  readonly authorizationEncryptedResponseAlg: EncryptionAlg | null;
  readonly authorizationEncryptedResponseEnc: ContentEncryption | null;
  readonly introspectionEncryptedResponseAlg: EncryptionAlg | null;
  readonly introspectionEncryptedResponseEnc: ContentEncryption | null;
  readonly requestObjectAlg: string | null;
  readonly sectorIdentifierUri: string | null;
  readonly requestUris: readonly string[];
  readonly responseTypes: readonly ResponseType[];
  /** It may introspect every access token of the realm. */
  readonly introspectAll: boolean;
  readonly initiateLoginUri: string | null;
  readonly defaultMaxAge: number | null;
  readonly requireAuthTime: boolean;
  readonly defaultAcrValues: readonly string[];
  readonly cibaDeliveryMode: "poll" | "ping" | null;
  readonly cibaNotificationEndpoint: string | null;
  readonly logoUri: string | null;
  readonly clientUri: string | null;
  readonly policyUri: string | null;
  readonly tosUri: string | null;
  readonly contacts: readonly string[];
  /** The aliases of its authentication flows. */
  readonly browserFlow: string | null;
  readonly directGrantFlow: string | null;
  /** Ids; both empty: every user may use it. */
  readonly allowedRoles: readonly string[];
  readonly allowedGroups: readonly string[];
}

/** What `clients.settings` holds: the settings, and the lists that a snapshot shows beside them. */
export interface StoredClient extends ClientSettings {
  readonly grantTypes: readonly GrantType[];
  readonly redirectUris: readonly string[];
  readonly webOrigins: readonly string[];
  readonly scopes: readonly string[];
}
