import Type, { type Static } from "typebox";
import { DAY, SECOND } from "../../kernel/clock.ts";
import { oneOf } from "../../platform/http/index.ts";
import { listQuery } from "../../platform/paging/index.ts";
import { clientAlgs, contentEncryptions, encryptionAlgs, signingAlgs } from "../../tenancy/keys/index.ts";
import { clientProfiles } from "../../tenancy/settings/index.ts";
import { accessMembers } from "../access/index.ts";
import { claimMapperMembers, claimMapperState } from "../claims/index.ts";
import { grantTypeNames, grantTypeUrns } from "./grant-types.ts";

const DAYS = DAY / SECOND;
const nullable = <T extends Type.TSchema>(schema: T, description: string) => Type.Union([schema, Type.Null()], { description });
const uri = Type.String({ minLength: 1, maxLength: 2048 });
const uris = (description: string) => Type.Array(uri, { maxItems: 100, uniqueItems: true, description });
const texts = (description: string, maxItems = 100) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems, uniqueItems: true, description });
const san = Type.String({ minLength: 1, maxLength: 1024, pattern: "^[!-~]+$" });
const flowAlias = Type.String({ minLength: 1, maxLength: 63 });
const flag = (description: string) => Type.Boolean({ description });
const seconds = (minimum: number, maximum: number, description: string) => nullable(Type.Integer({ minimum, maximum }), description);

/** Client authentication methods. */
export const oauthAuthMethods = [
  "client_secret_basic",
  "client_secret_post",
  "client_secret_jwt",
  "private_key_jwt",
  "tls_client_auth",
  "self_signed_tls_client_auth",
  "none",
] as const;
export const authMethods = ["client_secret", ...oauthAuthMethods] as const;
/** OAuth 2.0 Multiple Response Type Encoding Practices: those beside `code` are implicit or hybrid. */
export const responseTypes = ["code", "id_token", "id_token token", "code id_token", "code token", "code id_token token"] as const;
const assertionAlg = oneOf(clientAlgs);

const clientId = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: "^[!-~]+$",
  description: "a client id is made of letters, digits and signs of ASCII, without spaces",
  examples: ["shop"],
});
const name = nullable(
  Type.String({
    minLength: 1,
    maxLength: 255,
    pattern: "^[^\\p{C}\\s]([^\\p{C}]*[^\\p{C}\\s])?$",
    description: "a name has no control or invisible characters and no space at either end",
  }),
  "Shown to users who are asked for their consent",
);

/** Chosen by the caller: for an application whose secret is set already. */
const ownSecret = Type.String({
  minLength: 16,
  maxLength: 255,
  pattern: "^[!-~]+$",
  description: "a secret is made of 16 to 255 letters, digits and signs of ASCII, without spaces, 8 of them different",
  writeOnly: true,
});

/** How something is encrypted to the client's key. */
const encryption = <K extends string>(of: K, what: string) =>
  ({
    [`${of}EncryptedResponseAlg`]: nullable(oneOf(encryptionAlgs), `Encrypt ${what} to one of its keys; null: not at all`),
    [`${of}EncryptedResponseEnc`]: nullable(oneOf(contentEncryptions), "With what the content is encrypted; null: A128CBC-HS256"),
  }) as Record<`${K}EncryptedResponseAlg`, ReturnType<typeof encryptionAlg>> &
    Record<`${K}EncryptedResponseEnc`, ReturnType<typeof contentEncryption>>;
const encryptionAlg = () => nullable(oneOf(encryptionAlgs), "");
const contentEncryption = () => nullable(oneOf(contentEncryptions), "");

/** Every member that is kept in the settings, with what it may be. */
const settingMembers = {
  redirectUris: uris("Exact callback addresses. Native clients may use any port of a loopback address (RFC 8252)"),
  webOrigins: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
    maxItems: 100,
    uniqueItems: true,
    description:
      "Origins whose scripts may call, also the admin API where the client is allowed its audience; `+` means the origins of the redirect URIs",
  }),
  scopes: texts("Client scopes that it may ask for; empty: what the realm gives", 200),
  description: nullable(Type.String({ maxLength: 1000 }), "For administrators"),
  applicationType: oneOf(["web", "native"], { description: "Native clients run on a user's own device" }),
  authMethod: oneOf(authMethods, {
    description: "How it proves who it is. `client_secret` takes the secret by either way, `none` is for public clients",
  }),
  authSigningAlg: nullable(assertionAlg, "The only algorithm for its assertions; null: any that fits"),
  jwks: nullable(
    Type.Object(
      { keys: Type.Array(Type.Record(Type.String({ maxLength: 64 }), Type.Unknown()), { minItems: 1, maxItems: 20 }) },
      { additionalProperties: false },
    ),
    "Its public keys",
  ),
  jwksUri: nullable(uri, "Where its public keys are read from, instead of `jwks`"),
  tlsClientAuthSubjectDn: nullable(Type.String({ minLength: 1, maxLength: 1024 }), "The subject of its certificate, for `tls_client_auth`"),
  tlsClientAuthSanDns: nullable(san, "Instead of the subject: a DNS name of its certificate"),
  tlsClientAuthSanUri: nullable(san, "Instead of the subject: a URI of its certificate"),
  tlsClientAuthSanIp: nullable(san, "Instead of the subject: an IP address of its certificate"),
  tlsClientAuthSanEmail: nullable(san, "Instead of the subject: a mail address of its certificate"),
  postLogoutRedirectUris: uris("Where a browser may go after signing out"),
  backchannelLogoutUri: nullable(uri, "Called when a session ends in which it took part"),
  backchannelLogoutSessionRequired: flag("Logout tokens contain `sid`, the session that ended"),
  frontchannelLogoutUri: nullable(
    uri,
    "Loaded in a frame by the page that signs a user out of a session in which it took part; on the origin of a redirect URI",
  ),
  frontchannelLogoutSessionRequired: flag("The URI gets `iss` and `sid`, the session that ended"),
  firstParty: flag("One of your own applications: users are not asked for consent"),
  consentRequired: flag("Ask users for consent before it gets tokens"),
  requirePkce: flag("Refuse authorization requests without PKCE; always so for public clients"),
  requireDpop: flag("Refuse tokens that are not bound to a key (DPoP)"),
  requirePar: flag("Refuse authorization requests that were not pushed before (PAR)"),
  requireSignedRequestObject: flag("Refuse authorization requests that are not signed (JAR)"),
  profile: oneOf(clientProfiles, {
    description:
      "A set of requirements as one choice: what it demands is set where the request does not say it, and refused where it says otherwise. Where left out: the realm's `oidc.leastProfile`",
  }),
  rotateRefreshTokens: flag(
    "Replace a refresh token whenever it is used. Without, a public client must use DPoP: a token that is not replaced has to be bound to a key",
  ),
  claimsInIdToken: flag(
    "Put the claims of scopes into the ID token also where there is an access token to ask userinfo with (OpenID Connect Core §5.4). Off for clients that register themselves",
  ),
  accessTokenLifetime: seconds(10, DAYS, "Seconds; null: as the realm says"),
  idTokenLifetime: seconds(10, DAYS, "Seconds; null: as the realm says"),
  codeLifetime: seconds(5, 600, "Seconds; null: as the realm says"),
  refreshTokenLifetime: seconds(60, 3_650 * DAYS, "Seconds without use; null: with the session, offline as the realm says"),
  subjectClaim: nullable(
    Type.Object(
      {
        strategy: oneOf(["userId", "username", "email", "attribute", "pairwise"]),
        attribute: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 128 }), "For the strategy `attribute`: which")),
      },
      { additionalProperties: false },
    ),
    "What a user is called in its tokens; null: as the realm says",
  ),
  audience: Type.Array(uri, { maxItems: 20, uniqueItems: true, description: "Further audiences of its access tokens" }),
  accessTokenAlg: nullable(oneOf(signingAlgs), "How its access tokens are signed; null: as the realm says"),
  idTokenAlg: nullable(oneOf(signingAlgs), "How its ID tokens are signed; null: as the realm says"),
  userinfoAlg: nullable(oneOf(signingAlgs), "Sign what userinfo answers; null: plain JSON"),
  authorizationSignedResponseAlg: nullable(
    oneOf(signingAlgs),
    "How its authorization responses are signed where it asks for that (JARM); null: RS256, or as its profile says",
  ),
  introspectionSignedResponseAlg: nullable(oneOf(signingAlgs), "Sign what introspection answers (RFC 9701); null: plain JSON"),
  ...encryption("idToken", "its ID tokens"),
  ...encryption("userinfo", "what userinfo answers it"),
  ...encryption("authorization", "its authorization responses, where it asks for them to be signed (JARM)"),
  ...encryption("introspection", "what introspection answers it"),
  requestObjectAlg: nullable(assertionAlg, "The only algorithm for its request objects; null: any that fits"),
  sectorIdentifierUri: nullable(uri, "Clients with the same one share pairwise subjects"),
  requestUris: uris("Addresses from which its request objects may be read"),
  responseTypes: Type.Array(oneOf(responseTypes), {
    minItems: 1,
    uniqueItems: true,
    description:
      "What an authorization may be answered with. All but `code` put tokens into the address bar: for old clients only (RFC 9700), in realms whose setting `oidc.implicitFlow` is on",
  }),
  introspectAll: flag(
    "It may introspect every access token of the realm, as a gateway does; otherwise those that were issued to it, or whose audience names it or one of its allowed resources. Only holders of `realm-admin` may set it, or change a client that has it",
  ),
  initiateLoginUri: nullable(uri, "Where others may send a browser to start signing in"),
  defaultMaxAge: seconds(0, 3_650 * DAYS, "Ask users to sign in again after this many seconds, if a request does not say"),
  requireAuthTime: flag("Every ID token contains `auth_time`"),
  defaultAcrValues: texts("Requested if a request names none", 20),
  cibaDeliveryMode: nullable(oneOf(["poll", "ping"]), "How it learns that a CIBA request was answered; null: `poll`"),
  cibaNotificationEndpoint: nullable(uri, "Called in the mode `ping`"),
  logoUri: nullable(uri, "Shown on the sign-in and consent pages; https"),
  clientUri: nullable(uri, "Its home page"),
  policyUri: nullable(uri, "How it uses data; linked to from the same pages"),
  tosUri: nullable(uri, "Its terms; linked to from the same pages"),
  contacts: texts("Whom to ask about it", 20),
  browserFlow: nullable(flowAlias, "The alias of its browser flow; null: the realm's `browser`"),
  directGrantFlow: nullable(flowAlias, "The alias of the flow of its password grant; null: the realm's `direct-grant`"),
  ...accessMembers,
};

const optional = <T extends Record<string, Type.TSchema>>(members: T) =>
  Object.fromEntries(Object.entries(members).map(([member, schema]) => [member, Type.Optional(schema)])) as {
    [K in keyof T]: Type.TOptional<T[K]>;
  };

const grantTypes = Type.Array(oneOf(grantTypeNames), { description: "What it may ask tokens by" });
const grantTypesInput = Type.Array(oneOf([...grantTypeNames, ...grantTypeUrns]), {
  maxItems: grantTypeNames.length,
  description: "`authorization_code` and `refresh_token` where left out. URNs of OAuth are taken, too",
});

const members = {
  id: Type.String({ format: "uuid" }),
  realmId: Type.String(),
  clientId: Type.String(),
  name: Type.Union([Type.String(), Type.Null()]),
  enabled: Type.Boolean(),
  publicClient: flag("Cannot keep a secret: has none, and must use PKCE"),
  grantTypes,
  ...settingMembers,
  createdAt: Type.Integer({ description: "Epoch milliseconds" }),
  updatedAt: Type.Integer({ description: "Epoch milliseconds" }),
};

export const Client = Type.Object(members, { $id: "Client" });
export type Client = Static<typeof Client>;

export const CreatedClient = Type.Object(
  { ...members, secret: Type.Optional(Type.String({ description: "Of a confidential client. Shown here and nowhere else" })) },
  { $id: "CreatedClient" },
);
export type CreatedClient = Static<typeof CreatedClient>;

export const UpdatedClient = Type.Object(
  {
    ...members,
    secret: Type.Optional(Type.String({ description: "Where this request gave the client a new one. Shown here and nowhere else" })),
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

/** The full state. What decides access is never left to a default. */
export const UpdateClient = Type.Object(
  {
    id: Type.Optional(Type.String()),
    realmId: Type.Optional(Type.String()),
    clientId: Type.Optional(Type.String()),
    createdAt: Type.Optional(Type.Integer()),
    updatedAt: Type.Optional(Type.Integer()),
    ...inputMembers,
    enabled: Type.Boolean(),
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
    previousSecretUntil: Type.Union([Type.Integer(), Type.Null()], {
      description: "Epoch milliseconds; until then the secret before this one is taken, too",
    }),
  },
  { $id: "ClientSecret" },
);
export type ClientSecret = Static<typeof ClientSecret>;

/** The body may be left out, which arrives as null. */
export const RegenerateSecret = Type.Union(
  [
    Type.Object(
      {
        overlapSeconds: Type.Optional(
          Type.Integer({ minimum: 0, maximum: 30 * DAYS, description: "How long the old secret is taken, too; 0 ends it at once" }),
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
    clientId: Type.Union([Type.String(), Type.Null()], { description: "Of the client whose role it is; null for a role of the realm" }),
  },
  { $id: "ServiceAccountRole" },
);

export const ClientMapper = Type.Object(
  { mapperId: Type.String({ format: "uuid" }), ...claimMapperState, createdAt: Type.Integer({ description: "Epoch milliseconds" }) },
  { $id: "ClientMapper" },
);
export type ClientMapper = Static<typeof ClientMapper>;

export const CreateClientMapper = Type.Object(claimMapperMembers, { $id: "CreateClientMapper", additionalProperties: false });

/** The full state: what is left out returns to its default. */
export const UpdateClientMapper = Type.Object(
  { mapperId: Type.Optional(Type.String()), createdAt: Type.Optional(Type.Integer()), ...claimMapperMembers },
  { $id: "UpdateClientMapper", additionalProperties: false },
);
export type UpdateClientMapper = Static<typeof UpdateClientMapper>;
