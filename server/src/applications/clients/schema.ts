import Type, { type Static } from "typebox";
import { DAY, SECOND } from "../../kernel/clock.ts";
import {
  creationTime,
  fitsSchema,
  flagMember,
  member,
  nullable,
  nullableMember,
  oneOf,
  optional,
  pathName,
  schemasOf,
  shownText,
  type ValuesOf,
} from "../../platform/http/index.ts";
import { listQuery } from "../../platform/paging/index.ts";
import { clientAlgs, contentEncryptions, encryptionAlgs, signingAlgs } from "../../tenancy/keys/index.ts";
import { clientProfiles } from "../../tenancy/settings/index.ts";
import { accessMembers } from "../access/index.ts";
import { claimMapperMembers, claimMapperState } from "../claims/index.ts";
import { type GrantType, grantTypeNames, grantTypeUrns } from "./grant-types.ts";

const DAYS = DAY / SECOND;
const uri = Type.String({ minLength: 1, maxLength: 2048 });
const san = Type.String({ minLength: 1, maxLength: 1024, pattern: "^[!-~]+$" });
const flowAlias = Type.String({ minLength: 1, maxLength: 63 });

const list = <N extends string = never>(
  item: Type.TString,
  description: string,
  { maxItems = 100, name }: { maxItems?: number; name?: N } = {},
) => member(Type.Array(item, { maxItems, uniqueItems: true, description }), [], name);
const uris = <N extends string = never>(description: string, name?: N) => list(uri, description, name === undefined ? {} : { name });
const texts = <N extends string = never>(description: string, maxItems: number, name?: N) =>
  list(Type.String({ minLength: 1, maxLength: 255 }), description, name === undefined ? { maxItems } : { maxItems, name });
const seconds = <N extends string = never>(minimum: number, maximum: number, description: string, name?: N) =>
  nullableMember(Type.Integer({ minimum, maximum }), description, name);
const signingAlg = <N extends string = never>(description: string, name?: N) => nullableMember(oneOf(signingAlgs), description, name);
const assertionAlg = <N extends string = never>(description: string, name?: N) => nullableMember(oneOf(clientAlgs), description, name);
const encryptionAlg = <N extends string>(what: string, name: N) =>
  nullableMember(oneOf(encryptionAlgs), `The algorithm that encrypts ${what} to one of its keys. If null, they are not encrypted`, name);
const contentEncryption = <N extends string>(name: N) =>
  nullableMember(oneOf(contentEncryptions), "The content encryption algorithm. If null, A128CBC-HS256", name);

/** The client authentication methods. */
export const oauthAuthMethods = [
  "client_secret_basic",
  "client_secret_post",
  "client_secret_jwt",
  "private_key_jwt",
  "tls_client_auth",
  "self_signed_tls_client_auth",
  "none",
] as const;
export const authMethods = ["client_secret", ...oauthAuthMethods, "federated_jwt"] as const;
export type ClientAuthMethod = (typeof authMethods)[number];
/** The response types of OAuth 2.0 Multiple Response Type Encoding Practices. All except `code` are implicit or hybrid. */
export const responseTypes = ["code", "id_token", "id_token token", "code id_token", "code token", "code id_token token"] as const;
export type ResponseType = (typeof responseTypes)[number];

const clientId = pathName({
  minLength: 1,
  maxLength: 255,
  pattern: "^[!-~]+$",
  description: "a client id is made of letters, digits and signs of ASCII, without spaces",
  examples: ["shop"],
});
export const isClientId = fitsSchema(clientId);
const name = nullable(shownText(), "The name that users see on the consent page");

/** A secret that the caller chooses, for an application whose secret is already set. */
const ownSecret = Type.String({
  minLength: 16,
  maxLength: 255,
  pattern: "^[!-~]+$",
  description: "a secret is made of 16 to 255 letters, digits and signs of ASCII, without spaces, 8 of them different",
  writeOnly: true,
});

/** A key set (RFC 7517 §5). */
export const Jwks = Type.Object(
  { keys: Type.Array(Type.Record(Type.String({ maxLength: 64 }), Type.Unknown()), { minItems: 1, maxItems: 20 }) },
  { additionalProperties: false },
);

/**
 * The members of `clients.settings`, each declared once: schema, default, and its name in client metadata (RFC 7591 §2, OpenID Connect
 * Dynamic Client Registration §2 and others), if clients may register it. Null inherits the setting of the realm.
 */
export const settings = {
  redirectUris: uris("Exact callback addresses. Native clients may use any port of a loopback address (RFC 8252)", "redirect_uris"),
  webOrigins: list(
    Type.String({ minLength: 1, maxLength: 255 }),
    "The origins whose scripts may call the realm's endpoints, and the admin API if the client is allowed its audience, such as `https://app.example.com`, or `capacitor://localhost` for an app in a WebView. `+` means the origins of the redirect URIs",
  ),
  scopes: texts("The client scopes that it may request. If empty, those that the realm assigns", 200),
  description: nullableMember(Type.String({ maxLength: 1000 }), "A description for administrators"),
  applicationType: member(
    oneOf(["web", "native"], { description: "Native clients run on a user's own device" }),
    "web",
    "application_type",
  ),
  authMethod: member(
    oneOf(authMethods, {
      description:
        "The client authentication method. `client_secret` accepts the secret by either method, `federated_jwt` a token of another issuer that one of its workload credentials trusts. `none` is for public clients",
    }),
    "client_secret",
  ),
  authSigningAlg: assertionAlg(
    "The only signing algorithm of its client assertions. If null, any that fits its key",
    "token_endpoint_auth_signing_alg",
  ),
  jwks: nullableMember(Jwks, "Its public keys", "jwks"),
  jwksUri: nullableMember(uri, "The address of its public keys, instead of `jwks`", "jwks_uri"),
  // RFC 8705 §2.1.2: one of these names the certificate of a client with `tls_client_auth`.
  tlsClientAuthSubjectDn: nullableMember(
    Type.String({ minLength: 1, maxLength: 1024 }),
    "The subject of its certificate, for `tls_client_auth`",
    "tls_client_auth_subject_dn",
  ),
  tlsClientAuthSanDns: nullableMember(san, "A DNS name of its certificate, instead of the subject", "tls_client_auth_san_dns"),
  tlsClientAuthSanUri: nullableMember(san, "A URI of its certificate, instead of the subject", "tls_client_auth_san_uri"),
  tlsClientAuthSanIp: nullableMember(san, "An IP address of its certificate, instead of the subject", "tls_client_auth_san_ip"),
  tlsClientAuthSanEmail: nullableMember(san, "An email address of its certificate, instead of the subject", "tls_client_auth_san_email"),
  postLogoutRedirectUris: uris("The redirect URIs after a logout", "post_logout_redirect_uris"),
  backchannelLogoutUri: nullableMember(
    uri,
    "The URL that is called when a session in which the client took part ends",
    "backchannel_logout_uri",
  ),
  backchannelLogoutSessionRequired: flagMember(
    "Logout tokens contain `sid`, the session that ended",
    "backchannel_logout_session_required",
  ),
  frontchannelLogoutUri: nullableMember(
    uri,
    "The URL that is loaded in a frame by the page that signs a user out of a session in which the client took part. It has the origin of a redirect URI",
    "frontchannel_logout_uri",
  ),
  frontchannelLogoutSessionRequired: flagMember(
    "The front-channel logout URI gets `iss` and `sid`, the session that ended",
    "frontchannel_logout_session_required",
  ),
  firstParty: flagMember("True if it is one of your own applications. Users are not asked for consent"),
  consentRequired: flagMember("Ask users for consent before it gets tokens"),
  requirePkce: flagMember("Refuse authorization requests without PKCE. They are always refused for public clients"),
  requireDpop: flagMember("Refuse tokens that are not bound to a key (DPoP)", "dpop_bound_access_tokens"),
  certificateBoundTokens: flagMember(
    "Bind its tokens to its client certificate, however it authenticates. Without a certificate it gets no tokens (RFC 8705 §3.4)",
    "tls_client_certificate_bound_access_tokens",
  ),
  requirePar: flagMember("Refuse authorization requests that were not pushed (PAR)", "require_pushed_authorization_requests"),
  requireSignedRequestObject: flagMember("Refuse authorization requests that are not signed (JAR)", "require_signed_request_object"),
  profile: member(
    oneOf(clientProfiles, {
      description:
        "A set of requirements. A request that omits a required member gets the required value, and a request that contradicts it is refused. If omitted, the realm's `oidc.leastProfile`",
    }),
    "none",
  ),
  rotateRefreshTokens: member(
    Type.Boolean({
      description:
        "Replace a refresh token whenever it is used. If false, a public client must use DPoP, because a token that is not replaced has to be bound to a key",
    }),
    true,
  ),
  claimsInIdToken: member(
    Type.Boolean({
      description:
        "Include the claims of scopes in the ID token even if an access token for the userinfo endpoint is issued (OpenID Connect Core §5.4). False for clients that register themselves",
    }),
    true,
  ),
  tokenProfile: member(
    oneOf(["default", "keycloak"], {
      description:
        "`keycloak`: its tokens also contain what libraries for Keycloak read: `typ` and `azp` in the payload, and in access tokens `realm_access` and `resource_access` with all roles of the user",
    }),
    "default",
  ),
  accessTokenLifetime: seconds(10, DAYS, "The lifetime in seconds. If null, the realm's setting applies"),
  idTokenLifetime: seconds(10, DAYS, "The lifetime in seconds. If null, the realm's setting applies"),
  codeLifetime: seconds(5, 600, "The lifetime in seconds. If null, the realm's setting applies"),
  refreshTokenLifetime: seconds(
    60,
    3_650 * DAYS,
    "The seconds without use after which a refresh token expires. If null, it expires with the session, and for offline access as the realm's setting says",
  ),
  subjectClaim: nullableMember(
    Type.Object(
      {
        strategy: oneOf(["userId", "username", "email", "attribute", "pairwise"]),
        attribute: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 128 }), "The attribute of the strategy `attribute`")),
      },
      { additionalProperties: false },
    ),
    "The `sub` of users in its tokens. If null, the realm's setting applies",
  ),
  audience: list(uri, "Further audiences of its access tokens", { maxItems: 20 }),
  accessTokenAlg: signingAlg("The signing algorithm of its access tokens. If null, the realm's setting applies"),
  idTokenAlg: signingAlg("The signing algorithm of its ID tokens. If null, the realm's setting applies", "id_token_signed_response_alg"),
  userinfoAlg: signingAlg("The signing algorithm of userinfo responses. If null, they are plain JSON", "userinfo_signed_response_alg"),
  authorizationSignedResponseAlg: signingAlg(
    "The signing algorithm of its authorization responses (JARM). If null, RS256 or the algorithm of its profile",
    "authorization_signed_response_alg",
  ),
  introspectionSignedResponseAlg: signingAlg(
    "The signing algorithm of introspection responses (RFC 9701). If null, they are plain JSON",
    "introspection_signed_response_alg",
  ),
  idTokenEncryptedResponseAlg: encryptionAlg("its ID tokens", "id_token_encrypted_response_alg"),
  idTokenEncryptedResponseEnc: contentEncryption("id_token_encrypted_response_enc"),
  userinfoEncryptedResponseAlg: encryptionAlg("userinfo responses", "userinfo_encrypted_response_alg"),
  userinfoEncryptedResponseEnc: contentEncryption("userinfo_encrypted_response_enc"),
  authorizationEncryptedResponseAlg: encryptionAlg(
    "its authorization responses, if it requests signed ones (JARM),",
    "authorization_encrypted_response_alg",
  ),
  authorizationEncryptedResponseEnc: contentEncryption("authorization_encrypted_response_enc"),
  introspectionEncryptedResponseAlg: encryptionAlg("introspection responses", "introspection_encrypted_response_alg"),
  introspectionEncryptedResponseEnc: contentEncryption("introspection_encrypted_response_enc"),
  requestObjectAlg: assertionAlg(
    "The only signing algorithm of its request objects. If null, any that fits its key",
    "request_object_signing_alg",
  ),
  sectorIdentifierUri: nullableMember(
    uri,
    "The sector identifier URI. Clients with the same one share pairwise subjects",
    "sector_identifier_uri",
  ),
  requestUris: uris("The addresses from which its request objects may be read", "request_uris"),
  responseTypes: member(
    Type.Array(oneOf(responseTypes), {
      minItems: 1,
      uniqueItems: true,
      description:
        "The response types that it may request. All but `code` put tokens into the address bar: for old clients only (RFC 9700), in realms whose setting `oidc.implicitFlow` is on",
    }),
    ["code"],
  ),
  mayAct: nullableMember(
    Type.String({ minLength: 1, maxLength: 255, pattern: "^[!-~]+$" }),
    "The client id of the only party that may act for users with this client's tokens, in `may_act` (RFC 8693 §4.4). If null, tokens have no `may_act`",
  ),
  introspectAll: flagMember(
    "The client may introspect every access token of the realm, as a gateway does. Otherwise it may introspect those that were issued to it, or whose audience names it or one of its resource indicators. Only holders of `realm-admin` may set it, or change a client that has it",
  ),
  resourceIndicators: list(
    uri,
    "The resource indicators of the client as an API (RFC 8707). Clients request tokens for them as `resource`, and `aud` has them in this spelling. Each belongs to one API of the realm; a trailing slash makes no difference. An API may introspect the tokens that are issued for it",
    { maxItems: 20 },
  ),
  resourceScopes: texts(
    "The client scopes that tokens for this API may have, besides `openid` and `offline_access`. If empty, all of them",
    200,
  ),
  resourceAccess: member(
    oneOf(["listed", "everyone"], {
      description:
        "The clients that may request tokens for this API: those whose allowed resources list it, or every client of the realm, including clients that register themselves or have a client id metadata document",
    }),
    "listed",
  ),
  crossAppAccess: member(
    Type.Array(
      Type.Object(
        {
          issuer: Type.String({
            minLength: 1,
            maxLength: 2048,
            description: "The issuer of the other authorization server, which becomes `aud` of the assertion",
          }),
          clientId: Type.String({
            minLength: 1,
            maxLength: 255,
            pattern: "^[!-~]+$",
            description: "The client id of this client at that server",
          }),
          scopes: Type.Array(Type.String({ minLength: 1, maxLength: 255, pattern: "^[\\x21\\x23-\\x5B\\x5D-\\x7E]+$" }), {
            maxItems: 100,
            uniqueItems: true,
            description: "The scopes that it may request at that server",
          }),
        },
        { additionalProperties: false },
      ),
      {
        maxItems: 50,
        description:
          "Other authorization servers at which it may act for users who signed in to it here (cross-app access). By token exchange it gets an identity assertion (ID-JAG) for them",
      },
    ),
    [],
  ),
  initiateLoginUri: nullableMember(uri, "The URL at which third parties may start a sign-in", "initiate_login_uri"),
  defaultMaxAge: seconds(
    0,
    3_650 * DAYS,
    "Ask users to authenticate again after this many seconds, if a request does not say",
    "default_max_age",
  ),
  requireAuthTime: flagMember("Every ID token contains `auth_time`", "require_auth_time"),
  defaultAcrValues: texts("The `acr` values that are requested if a request names none", 20, "default_acr_values"),
  cibaDeliveryMode: nullableMember(
    oneOf(["poll", "ping"]),
    "The delivery mode of CIBA. If null, `poll`",
    "backchannel_token_delivery_mode",
  ),
  cibaNotificationEndpoint: nullableMember(uri, "The URL that is called in the mode `ping`", "backchannel_client_notification_endpoint"),
  logoUri: nullableMember(uri, "The https URL of the logo on the sign-in and consent pages", "logo_uri"),
  clientUri: nullableMember(uri, "The URL of its home page", "client_uri"),
  policyUri: nullableMember(uri, "The URL of its privacy policy, to which the same pages link", "policy_uri"),
  tosUri: nullableMember(uri, "The URL of its terms of service, to which the same pages link", "tos_uri"),
  contacts: texts("The contacts of the people responsible for it", 20, "contacts"),
  browserFlow: nullableMember(flowAlias, "The alias of its browser flow. If null, the realm's `browser`"),
  directGrantFlow: nullableMember(flowAlias, "The alias of the flow of its password grant. If null, the realm's `direct-grant`"),
  ...accessMembers,
};

const settingMembers = schemasOf(settings);

/** The content of `clients.settings`. */
export type StoredClient = ValuesOf<typeof settings> & { readonly grantTypes: readonly GrantType[] };

/** The settings of a snapshot, in which the other members are separate. */
export type ClientSettings = Omit<StoredClient, "grantTypes" | "redirectUris" | "webOrigins" | "scopes">;

const grantTypes = Type.Array(oneOf(grantTypeNames), { description: "The grant types that it may use" });
const grantTypesInput = Type.Array(oneOf([...grantTypeNames, ...grantTypeUrns]), {
  maxItems: grantTypeNames.length,
  description: "The grant types that it may use. Default `authorization_code` and `refresh_token`. URNs of OAuth are accepted, too",
});

const members = {
  id: Type.String({ format: "uuid" }),
  realmId: Type.String(),
  clientId: Type.String(),
  name: nullable(Type.String()),
  enabled: Type.Boolean(),
  publicClient: Type.Boolean({ description: "True if the client cannot keep a secret. It has none, and must use PKCE" }),
  grantTypes,
  ...settingMembers,
  agentId: nullable(Type.String({ format: "uuid" }), "The id of the agent that it belongs to (see `/agents`). It cannot be changed here"),
  createdAt: Type.Integer({ description: "The time of the creation, in epoch milliseconds" }),
  updatedAt: Type.Integer({ description: "The time of the last change, in epoch milliseconds" }),
};

export const Client = Type.Object(members, { $id: "Client" });
export type Client = Static<typeof Client>;

export const CreatedClient = Type.Object(
  { ...members, secret: Type.Optional(Type.String({ description: "The secret of a confidential client. It is shown only here" })) },
  { $id: "CreatedClient" },
);
export type CreatedClient = Static<typeof CreatedClient>;

export const UpdatedClient = Type.Object(
  {
    ...members,
    secret: Type.Optional(Type.String({ description: "The new secret, if this request gave the client one. It is shown only here" })),
  },
  { $id: "UpdatedClient" },
);

const inputMembers = {
  name: Type.Optional(name),
  enabled: Type.Optional(Type.Boolean()),
  publicClient: Type.Optional(Type.Boolean()),
  grantTypes: Type.Optional(grantTypesInput),
  secret: Type.Optional(ownSecret),
  ...optional(settingMembers),
};

export const CreateClient = Type.Object({ clientId, ...inputMembers }, { $id: "CreateClient", additionalProperties: false });
export type CreateClient = Static<typeof CreateClient>;

/** The full state. Members that decide access have no default; a full state by the contract has no `enabled`. */
export const UpdateClient = Type.Object(
  {
    id: Type.Optional(Type.String()),
    realmId: Type.Optional(Type.String()),
    clientId: Type.Optional(Type.String()),
    agentId: Type.Optional(nullable(Type.String())),
    createdAt: Type.Optional(Type.Integer()),
    updatedAt: Type.Optional(Type.Integer()),
    ...inputMembers,
    enabled: Type.Optional(Type.Boolean({ description: "If omitted, it is unchanged" })),
    publicClient: Type.Boolean(),
  },
  { $id: "UpdateClient", additionalProperties: false },
);
export type UpdateClient = Static<typeof UpdateClient>;

export const ClientQuery = listQuery({ enabled: Type.Optional(Type.Boolean()), publicClient: Type.Optional(Type.Boolean()) });
export type ClientQuery = Static<typeof ClientQuery>;

export const ClientSecret = Type.Object(
  {
    secret: Type.String(),
    previousSecretUntil: nullable(Type.Integer(), "The time until which the previous secret is accepted, too, in epoch milliseconds"),
  },
  { $id: "ClientSecret" },
);
export type ClientSecret = Static<typeof ClientSecret>;

/** The body may be left out, and is null then. */
export const RegenerateSecret = Type.Union(
  [
    Type.Object(
      {
        overlapSeconds: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 30 * DAYS,
            description: "The seconds for which the old secret is accepted, too; 0 ends it immediately",
          }),
        ),
      },
      { additionalProperties: false },
    ),
    Type.Null(),
  ],
  { $id: "RegenerateClientSecret" },
);
export type RegenerateSecret = Static<typeof RegenerateSecret>;

export const AllowedResources = Type.Object(
  {
    allowedResources: Type.Array(uri, {
      maxItems: 200,
      uniqueItems: true,
      description: "The resource indicators (RFC 8707) for which it may request tokens",
    }),
  },
  { $id: "AllowedResources", additionalProperties: false },
);
export type AllowedResources = Static<typeof AllowedResources>;

export const ServiceAccountRole = Type.Object(
  {
    roleId: Type.String({ format: "uuid" }),
    name: Type.String(),
    clientId: nullable(Type.String(), "The id of the client whose role it is; null for a role of the realm"),
  },
  { $id: "ServiceAccountRole" },
);

export const ClientMapper = Type.Object(
  {
    mapperId: Type.String({ format: "uuid" }),
    ...claimMapperState,
    createdAt: creationTime,
  },
  { $id: "ClientMapper" },
);
export type ClientMapper = Static<typeof ClientMapper>;

export const CreateClientMapper = Type.Object(claimMapperMembers, { $id: "CreateClientMapper", additionalProperties: false });

/** The full state: a member that is left out returns to its default. */
export const UpdateClientMapper = Type.Object(
  { mapperId: Type.Optional(Type.String()), createdAt: Type.Optional(Type.Integer()), ...claimMapperMembers },
  { $id: "UpdateClientMapper", additionalProperties: false },
);
export type UpdateClientMapper = Static<typeof UpdateClientMapper>;
