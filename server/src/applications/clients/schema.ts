import Type, { type Static } from "typebox";
import { DAY, SECOND } from "../../kernel/clock.ts";
import {
  fitsSchema,
  flagMember,
  member,
  nullable,
  nullableMember,
  oneOf,
  optional,
  pathName,
  schemasOf,
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
  nullableMember(oneOf(encryptionAlgs), `Encrypt ${what} to one of its keys; null: not at all`, name);
const contentEncryption = <N extends string>(name: N) =>
  nullableMember(oneOf(contentEncryptions), "With what the content is encrypted; null: A128CBC-HS256", name);

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
const name = nullable(
  Type.String({
    minLength: 1,
    maxLength: 255,
    pattern: "^[^\\p{C}\\s]([^\\p{C}]*[^\\p{C}\\s])?$",
    description: "a name has no control or invisible characters and no space at either end",
  }),
  "Shown to users who are asked for their consent",
);

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
    "Origins whose scripts may call, also the admin API where the client is allowed its audience, such as `https://app.example.com`, or `capacitor://localhost` of an app in a WebView; `+` means the origins of the redirect URIs",
  ),
  scopes: texts("Client scopes that it may ask for; empty: what the realm gives", 200),
  description: nullableMember(Type.String({ maxLength: 1000 }), "For administrators"),
  applicationType: member(
    oneOf(["web", "native"], { description: "Native clients run on a user's own device" }),
    "web",
    "application_type",
  ),
  authMethod: member(
    oneOf(authMethods, {
      description:
        "Its client authentication method. `client_secret` takes the secret by either way, `federated_jwt` a token of another issuer that one of its workload credentials trusts; `none` is for public clients",
    }),
    "client_secret",
  ),
  authSigningAlg: assertionAlg("The only algorithm for its assertions; null: any that fits", "token_endpoint_auth_signing_alg"),
  jwks: nullableMember(Jwks, "Its public keys", "jwks"),
  jwksUri: nullableMember(uri, "The address of its public keys, instead of `jwks`", "jwks_uri"),
  // RFC 8705 §2.1.2: one of these names the certificate of a client with `tls_client_auth`.
  tlsClientAuthSubjectDn: nullableMember(
    Type.String({ minLength: 1, maxLength: 1024 }),
    "The subject of its certificate, for `tls_client_auth`",
    "tls_client_auth_subject_dn",
  ),
  tlsClientAuthSanDns: nullableMember(san, "Instead of the subject: a DNS name of its certificate", "tls_client_auth_san_dns"),
  tlsClientAuthSanUri: nullableMember(san, "Instead of the subject: a URI of its certificate", "tls_client_auth_san_uri"),
  tlsClientAuthSanIp: nullableMember(san, "Instead of the subject: an IP address of its certificate", "tls_client_auth_san_ip"),
  tlsClientAuthSanEmail: nullableMember(san, "Instead of the subject: a mail address of its certificate", "tls_client_auth_san_email"),
  postLogoutRedirectUris: uris("The redirect URIs after signing out", "post_logout_redirect_uris"),
  backchannelLogoutUri: nullableMember(uri, "Called when a session ends in which it took part", "backchannel_logout_uri"),
  backchannelLogoutSessionRequired: flagMember(
    "Logout tokens contain `sid`, the session that ended",
    "backchannel_logout_session_required",
  ),
  frontchannelLogoutUri: nullableMember(
    uri,
    "Loaded in a frame by the page that signs a user out of a session in which it took part; on the origin of a redirect URI",
    "frontchannel_logout_uri",
  ),
  frontchannelLogoutSessionRequired: flagMember(
    "The URI gets `iss` and `sid`, the session that ended",
    "frontchannel_logout_session_required",
  ),
  firstParty: flagMember("One of your own applications: users are not asked for consent"),
  consentRequired: flagMember("Ask users for consent before it gets tokens"),
  requirePkce: flagMember("Refuse authorization requests without PKCE; always so for public clients"),
  requireDpop: flagMember("Refuse tokens that are not bound to a key (DPoP)", "dpop_bound_access_tokens"),
  certificateBoundTokens: flagMember(
    "Bind its tokens to the certificate that it shows, however it authenticates; without one it gets none (RFC 8705 §3.4)",
    "tls_client_certificate_bound_access_tokens",
  ),
  requirePar: flagMember("Refuse authorization requests that were not pushed before (PAR)", "require_pushed_authorization_requests"),
  requireSignedRequestObject: flagMember("Refuse authorization requests that are not signed (JAR)", "require_signed_request_object"),
  profile: member(
    oneOf(clientProfiles, {
      description:
        "A set of requirements as one choice: a request that leaves a required member out gets the required value, and one that contradicts it is refused. Left out: the realm's `oidc.leastProfile`",
    }),
    "none",
  ),
  rotateRefreshTokens: member(
    Type.Boolean({
      description:
        "Replace a refresh token whenever it is used. Without, a public client must use DPoP: a token that is not replaced has to be bound to a key",
    }),
    true,
  ),
  claimsInIdToken: member(
    Type.Boolean({
      description:
        "Put the claims of scopes into the ID token also where there is an access token to ask userinfo with (OpenID Connect Core §5.4). Off for clients that register themselves",
    }),
    true,
  ),
  tokenProfile: member(
    oneOf(["default", "keycloak"], {
      description:
        "`keycloak`: its tokens also have what libraries for Keycloak read: `typ` and `azp` in the payload, and in access tokens `realm_access` and `resource_access` with all roles of the user",
    }),
    "default",
  ),
  accessTokenLifetime: seconds(10, DAYS, "Seconds; null: as the realm says"),
  idTokenLifetime: seconds(10, DAYS, "Seconds; null: as the realm says"),
  codeLifetime: seconds(5, 600, "Seconds; null: as the realm says"),
  refreshTokenLifetime: seconds(60, 3_650 * DAYS, "Seconds without use; null: with the session, offline as the realm says"),
  subjectClaim: nullableMember(
    Type.Object(
      {
        strategy: oneOf(["userId", "username", "email", "attribute", "pairwise"]),
        attribute: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 128 }), "For the strategy `attribute`: which")),
      },
      { additionalProperties: false },
    ),
    "The `sub` of users in its tokens; null: the realm's setting",
  ),
  audience: list(uri, "Further audiences of its access tokens", { maxItems: 20 }),
  accessTokenAlg: signingAlg("The signing algorithm of its access tokens; null: the realm's setting"),
  idTokenAlg: signingAlg("The signing algorithm of its ID tokens; null: the realm's setting", "id_token_signed_response_alg"),
  userinfoAlg: signingAlg("Sign what userinfo answers; null: plain JSON", "userinfo_signed_response_alg"),
  authorizationSignedResponseAlg: signingAlg(
    "The signing algorithm of its authorization responses (JARM); null: RS256, or that of its profile",
    "authorization_signed_response_alg",
  ),
  introspectionSignedResponseAlg: signingAlg(
    "Sign what introspection answers (RFC 9701); null: plain JSON",
    "introspection_signed_response_alg",
  ),
  idTokenEncryptedResponseAlg: encryptionAlg("its ID tokens", "id_token_encrypted_response_alg"),
  idTokenEncryptedResponseEnc: contentEncryption("id_token_encrypted_response_enc"),
  userinfoEncryptedResponseAlg: encryptionAlg("what userinfo answers it", "userinfo_encrypted_response_alg"),
  userinfoEncryptedResponseEnc: contentEncryption("userinfo_encrypted_response_enc"),
  authorizationEncryptedResponseAlg: encryptionAlg(
    "its authorization responses, where it asks for them to be signed (JARM)",
    "authorization_encrypted_response_alg",
  ),
  authorizationEncryptedResponseEnc: contentEncryption("authorization_encrypted_response_enc"),
  introspectionEncryptedResponseAlg: encryptionAlg("what introspection answers it", "introspection_encrypted_response_alg"),
  introspectionEncryptedResponseEnc: contentEncryption("introspection_encrypted_response_enc"),
  requestObjectAlg: assertionAlg("The only algorithm for its request objects; null: any that fits", "request_object_signing_alg"),
  sectorIdentifierUri: nullableMember(uri, "Clients with the same one share pairwise subjects", "sector_identifier_uri"),
  requestUris: uris("Addresses from which its request objects may be read", "request_uris"),
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
    "The client id of the only party that may act for users with this client's tokens: `may_act` (RFC 8693 §4.4); null: tokens do not say",
  ),
  introspectAll: flagMember(
    "It may introspect every access token of the realm, as a gateway does; otherwise those that were issued to it, or whose audience names it or one of its resource indicators. Only holders of `realm-admin` may set it, or change a client that has it",
  ),
  resourceIndicators: list(
    uri,
    "The addresses by which it is known as an API (RFC 8707): clients request tokens for them as `resource`, and `aud` has them in this spelling. Each stands for one API of the realm; a slash at the end makes no difference. An API introspects the tokens that are made for it",
    { maxItems: 20 },
  ),
  resourceScopes: texts("Client scopes that tokens for this API may have, beside `openid` and `offline_access`; empty: all", 200),
  resourceAccess: member(
    oneOf(["listed", "everyone"], {
      description:
        "The clients that may request tokens for this API: those whose allowed resources list it, or every client of the realm, also one that registers itself or is known by a client id metadata document",
    }),
    "listed",
  ),
  crossAppAccess: member(
    Type.Array(
      Type.Object(
        {
          issuer: Type.String({ minLength: 1, maxLength: 2048, description: "The other authorization server: `aud` of the assertion" }),
          clientId: Type.String({
            minLength: 1,
            maxLength: 255,
            pattern: "^[!-~]+$",
            description: "The client id of this client at that server",
          }),
          scopes: Type.Array(Type.String({ minLength: 1, maxLength: 255, pattern: "^[\\x21\\x23-\\x5B\\x5D-\\x7E]+$" }), {
            maxItems: 100,
            uniqueItems: true,
            description: "The scopes that it may request there",
          }),
        },
        { additionalProperties: false },
      ),
      {
        maxItems: 50,
        description:
          "Other authorization servers at which it may act for users who signed in to it here (cross-app access): by token exchange it gets an identity assertion (ID-JAG) for them",
      },
    ),
    [],
  ),
  initiateLoginUri: nullableMember(uri, "The address at which others may start a sign-in", "initiate_login_uri"),
  defaultMaxAge: seconds(
    0,
    3_650 * DAYS,
    "Ask users to sign in again after this many seconds, if a request does not say",
    "default_max_age",
  ),
  requireAuthTime: flagMember("Every ID token contains `auth_time`", "require_auth_time"),
  defaultAcrValues: texts("Requested if a request names none", 20, "default_acr_values"),
  cibaDeliveryMode: nullableMember(oneOf(["poll", "ping"]), "The delivery mode of CIBA; null: `poll`", "backchannel_token_delivery_mode"),
  cibaNotificationEndpoint: nullableMember(uri, "Called in the mode `ping`", "backchannel_client_notification_endpoint"),
  logoUri: nullableMember(uri, "Shown on the sign-in and consent pages; https", "logo_uri"),
  clientUri: nullableMember(uri, "Its home page", "client_uri"),
  policyUri: nullableMember(uri, "Its privacy policy; linked to from the same pages", "policy_uri"),
  tosUri: nullableMember(uri, "Its terms; linked to from the same pages", "tos_uri"),
  contacts: texts("Its contacts", 20, "contacts"),
  browserFlow: nullableMember(flowAlias, "The alias of its browser flow; null: the realm's `browser`"),
  directGrantFlow: nullableMember(flowAlias, "The alias of the flow of its password grant; null: the realm's `direct-grant`"),
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
  description: "`authorization_code` and `refresh_token` where left out. URNs of OAuth are taken, too",
});

const members = {
  id: Type.String({ format: "uuid" }),
  realmId: Type.String(),
  clientId: Type.String(),
  name: nullable(Type.String()),
  enabled: Type.Boolean(),
  publicClient: Type.Boolean({ description: "Cannot keep a secret: has none, and must use PKCE" }),
  grantTypes,
  ...settingMembers,
  agentId: nullable(Type.String({ format: "uuid" }), "The agent that it belongs to: see /agents. Cannot be changed here"),
  createdAt: Type.Integer({ description: "Epoch milliseconds" }),
  updatedAt: Type.Integer({ description: "Epoch milliseconds" }),
};

export const Client = Type.Object(members, { $id: "Client" });
export type Client = Static<typeof Client>;

export const CreatedClient = Type.Object(
  { ...members, secret: Type.Optional(Type.String({ description: "The secret of a confidential client. Shown here and nowhere else" })) },
  { $id: "CreatedClient" },
);
export type CreatedClient = Static<typeof CreatedClient>;

export const UpdatedClient = Type.Object(
  {
    ...members,
    secret: Type.Optional(Type.String({ description: "The new secret, if this request gave the client one. Shown here and nowhere else" })),
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
    enabled: Type.Optional(Type.Boolean({ description: "Left out: unchanged" })),
    publicClient: Type.Boolean(),
  },
  { $id: "UpdateClient", additionalProperties: false },
);
export type UpdateClient = Static<typeof UpdateClient>;

export const ClientQuery = listQuery({ enabled: Type.Optional(Type.Boolean()) });
export type ClientQuery = Static<typeof ClientQuery>;

export const ClientSecret = Type.Object(
  {
    secret: Type.String(),
    previousSecretUntil: nullable(Type.Integer(), "Epoch milliseconds; until then the secret before this one is taken, too"),
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
            description: "The time for which the old secret is accepted, too; 0 ends it at once",
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
      description: "Resource indicators (RFC 8707) that it may ask tokens for",
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
  { mapperId: Type.String({ format: "uuid" }), ...claimMapperState, createdAt: Type.Integer({ description: "Epoch milliseconds" }) },
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
