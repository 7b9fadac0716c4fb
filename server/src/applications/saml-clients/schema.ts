import Type, { type Static } from "typebox";
import {
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
import { DATA_ENCRYPTION, KEY_TRANSPORT, NAME_ID_FORMAT, RELAY_STATE_BYTES } from "../../platform/saml/index.ts";
import { assertionLifetime, clockSkew, nameIdFormats } from "../../tenancy/settings/index.ts";
import { accessMembers } from "../access/index.ts";

const inherited = (description: string) => nullableMember(Type.Boolean(), `${description}; null: as the realm says`);
const url = Type.String({ minLength: 1, maxLength: 2048 });
const urn = Type.String({ minLength: 1, maxLength: 1024, pattern: "^[!-~]+$", description: "a URI, without spaces" });
const certificate = Type.String({ minLength: 1, maxLength: 16_384, description: "PEM, or the base64 of its DER form" });

const entityId = pathName({
  minLength: 1,
  maxLength: 1024,
  // Spaces at the ends of a value in XML, and line breaks, are not preserved. A name that looks like another must not be mistaken for it.
  pattern: "^[^\\p{C}\\p{Z}]+$",
  description: "an entityId is the URI by which the service provider calls itself, without spaces and invisible characters",
  examples: ["https://sp.example.com/metadata"],
});

const name = nullable(
  Type.String({
    minLength: 1,
    maxLength: 255,
    pattern: "^[^\\p{C}\\s]([^\\p{C}]*[^\\p{C}\\s])?$",
    description: "a name has no control or invisible characters and no space at either end",
  }),
  "Shown to users",
);

const AcsEndpoint = Type.Object(
  {
    url,
    binding: oneOf(["post", "artifact"]),
    index: Type.Integer({ minimum: 0, maximum: 65_535 }),
    isDefault: Type.Boolean(),
  },
  { additionalProperties: false },
);

const SloEndpoint = Type.Object(
  {
    url,
    binding: oneOf(["redirect", "post", "soap"]),
    responseUrl: nullable(url, "The address of responses, if it is another"),
  },
  { additionalProperties: false },
);

const attributeName = Type.String({
  ...{ minLength: 1, maxLength: 128, pattern: "^[^\\p{C}]+$" },
  description: "the name of an attribute has no control characters",
});

/** The maximum length of the lists that metadata fills too. */
export const maxItems = { additionalAcsUrls: 100, acsEndpoints: 200, sloEndpoints: 20, additionalSigningCertificates: 10 } as const;

/** The members of `options`, each declared once: schema and default. Null inherits the setting of the realm. */
export const storedOptions = {
  signAssertion: inherited("Sign the assertion"),
  signResponse: inherited("Sign the response around it"),
  wantAuthnRequestsSigned: inherited("Refuse requests that are not signed by one of its certificates"),
  encryptAssertion: inherited("Encrypt the assertion for `encryptionCertificate`"),
  nameIdFormat: nullableMember(oneOf(nameIdFormats), "The NameID where a request asks for none; null: as the realm says"),
  includeAttributes: member(Type.Boolean({ description: "Send attributes. False: the NameID alone" }), true),
  additionalAcsUrls: member(
    Type.Array(url, {
      maxItems: maxItems.additionalAcsUrls,
      uniqueItems: true,
      description: "Further assertion consumer services; a request may ask for one of them",
    }),
    [],
  ),
  backChannelSloEnabled: inherited("Notify it by SOAP when a session ends"),
  idpInitiatedSsoEnabled: inherited("Let users start at this server"),
  assertionLifetimeSeconds: nullableMember(
    Type.Integer(assertionLifetime),
    "The time in which an assertion must arrive; null: the realm's setting",
  ),
  clockSkewSeconds: nullableMember(Type.Integer(clockSkew), "By how much its clock may differ from ours; null: as the realm says"),
  description: nullableMember(Type.String({ maxLength: 1000 }), "For administrators"),
  additionalSigningCertificates: member(
    Type.Array(certificate, {
      maxItems: maxItems.additionalSigningCertificates,
      uniqueItems: true,
      description: "Further certificates beside `signingCertificate`, such as the next one",
    }),
    [],
  ),
  encryptionCertificate: nullableMember(certificate, "The certificate that assertions are encrypted for; an RSA key"),
  encryptionAlgorithm: nullableMember(oneOf(Object.values(DATA_ENCRYPTION)), "The encryption algorithm of assertions; null: AES-256-GCM"),
  keyTransportAlgorithm: nullableMember(oneOf(Object.values(KEY_TRANSPORT)), "The key transport algorithm; null: rsa-oaep-mgf1p"),
  nameIdSource: nullableMember(
    attributeName,
    "The user attribute that the NameID of format `unspecified` is read from; null: the username",
  ),
  persistentNameIdSource: nullableMember(
    attributeName,
    "The user attribute that the NameID of format `persistent` is read from, such as the ImmutableID of Microsoft 365; null: random, one per user and service provider",
  ),
  acsEndpoints: member(
    Type.Array(AcsEndpoint, {
      maxItems: maxItems.acsEndpoints,
      description:
        "Under which binding and index the addresses above are called. An address that is not listed takes POST and the next free index",
    }),
    [],
  ),
  sloEndpoints: member(
    Type.Array(SloEndpoint, {
      maxItems: maxItems.sloEndpoints,
      description: "Its single logout services, with their bindings. Empty: by Redirect at `singleLogoutServiceUrl`",
    }),
    [],
  ),
  defaultRelayState: nullableMember(
    Type.String({ minLength: 1, maxLength: 1024 }),
    "The RelayState where users start at this server, often an address within the application",
  ),
  allowedRelayStates: nullableMember(
    Type.Array(Type.String({ minLength: 1, maxLength: 1024 }), { maxItems: 100, uniqueItems: true }),
    "Only a RelayState that begins with one of these is passed on, of at most 2,048 bytes; null: any, as `relayStateBytes` says",
  ),
  relayStateBytes: member(
    Type.Integer({
      minimum: RELAY_STATE_BYTES,
      maximum: 2048,
      description: "The greatest length of a RelayState that is no address of the service provider itself, if `allowedRelayStates` is null",
    }),
    RELAY_STATE_BYTES,
  ),
  authnContextMap: member(
    Type.Record(urn, oneOf(["1", "2"]), {
      maxProperties: 50,
      description: "AuthnContextClassRef → `acr`: `1` one factor, `2` two; beside those that every realm knows",
    }),
    {},
  ),
  alwaysForceAuthn: flagMember("Ask users to sign in again at each request"),
  refusePassive: flagMember("Answer every IsPassive request with NoPassive"),
  consentRequired: flagMember("Ask users for consent before attributes are released to it"),
  browserFlow: nullableMember(
    Type.String({ minLength: 1, maxLength: 63 }),
    "The alias of the flow by which users sign in to it; null: the realm's `browser`",
  ),
  ...accessMembers,
  clientUri: nullableMember(url, "Its home page"),
  logoUri: nullableMember(url, "Shown on the sign-in and consent pages"),
  policyUri: nullableMember(url, "Its privacy policy; linked to from the same pages"),
  tosUri: nullableMember(url, "Its terms; linked to from the same pages"),
};

/** The name is not stored with the options, because it has a column. */
const optionMembers = { ...schemasOf(storedOptions), name };

const stateMembers = {
  assertionConsumerServiceUrl: Type.String({ minLength: 1, maxLength: 2048, description: "The address that assertions are sent to" }),
  defaultAuthnContextClassRef: nullable(
    urn,
    "The AuthnContextClassRef of assertions where the request asks for none; null: the one that fits the sign-in",
  ),
  singleLogoutServiceUrl: nullable(url, "The address that browsers are sent to for signing out"),
  signingCertificate: nullable(certificate, "The certificate that its requests are signed with"),
};

export type StoredOptions = ValuesOf<typeof storedOptions>;

/** The content of `saml_clients.settings`. */
export interface StoredSamlClient {
  readonly assertionConsumerServiceUrl: string;
  readonly defaultAuthnContextClassRef: string | null;
  readonly singleLogoutServiceUrl: string | null;
  readonly signingCertificate: string | null;
  readonly options: StoredOptions;
}

const MetadataSource = Type.Object(
  {
    url: nullable(Type.String(), "From where; null: sent as a file"),
    importedAt: Type.Integer({ description: "Epoch milliseconds" }),
    validUntil: nullable(Type.Integer(), "Epoch milliseconds"),
    refresh: Type.Boolean({
      description: "True: it is read again by itself: daily, or as its `cacheDuration` says, but not more than hourly",
    }),
    lastError: nullable(Type.String(), "Why the last read by itself failed; null since it worked. The imported members stay"),
    members: Type.Array(Type.String(), {
      description: "Members that the next import updates: no administrator has changed them since the last one",
    }),
  },
  { additionalProperties: false },
);

export const SamlClient = Type.Object(
  {
    realmId: Type.String(),
    entityId: Type.String(),
    enabled: Type.Boolean(),
    ...stateMembers,
    applicationId: nullable(Type.String(), "Its name at `/applications`: `<realm>|<entityId>`; null in the answer to its creation"),
    options: Type.Object(optionMembers, { description: "Null: as the realm's settings `saml` say" }),
    metadata: nullable(MetadataSource, "The members that came from metadata, if it was imported; null for all others"),
    createdAt: Type.Integer({ description: "Epoch milliseconds" }),
    updatedAt: Type.Integer({ description: "Epoch milliseconds" }),
  },
  { $id: "SamlClient" },
);
export type SamlClient = Static<typeof SamlClient>;

const nameIdFormatNames = nameIdFormats.map((format) => NAME_ID_FORMAT[format]);
const options = Type.Object(
  {
    ...optional(optionMembers),
    nameIdFormat: Type.Optional(
      nullable(oneOf([...nameIdFormats, ...nameIdFormatNames]), "The NameID where a request asks for none; URNs are taken, too"),
    ),
  },
  { additionalProperties: false },
);

const inputMembers = {
  ...optional(stateMembers),
  assertionConsumerServiceUrl: stateMembers.assertionConsumerServiceUrl,
  enabled: Type.Optional(Type.Boolean()),
  options: Type.Optional(options),
};

export const CreateSamlClient = Type.Object({ entityId, ...inputMembers }, { $id: "CreateSamlClient", additionalProperties: false });
export type CreateSamlClient = Static<typeof CreateSamlClient>;

/** The full state. Members that decide access have no default. */
export const UpdateSamlClient = Type.Object(
  {
    realmId: Type.Optional(Type.String()),
    entityId: Type.Optional(Type.String()),
    applicationId: Type.Optional(nullable(Type.String())),
    metadata: Type.Optional(nullable(MetadataSource, "As it was read")),
    createdAt: Type.Optional(Type.Integer()),
    updatedAt: Type.Optional(Type.Integer()),
    ...inputMembers,
    enabled: Type.Boolean(),
  },
  { $id: "UpdateSamlClient", additionalProperties: false },
);
export type UpdateSamlClient = Static<typeof UpdateSamlClient>;

const preview = Type.Optional(Type.Boolean({ default: false, description: "Show what would be saved, and save nothing" }));
const choice = Type.Optional(
  Type.String({ minLength: 1, maxLength: 1024, description: "The service provider, if the metadata describes several" }),
);

export const ImportQuery = Type.Object({ preview, entityId: choice }, { additionalProperties: false });
export const ImportUrlQuery = Type.Object({ preview }, { additionalProperties: false });

export const ImportSamlClient = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: "The address of its metadata",
      examples: ["https://sp.example.com/metadata"],
    }),
    entityId: choice,
    certificate: Type.Optional(
      nullable(certificate, "The metadata has to be signed with this certificate; null: the signature is not verified"),
    ),
    refresh: Type.Optional(
      Type.Boolean({
        default: true,
        description: "Read it again by itself, daily or as its `cacheDuration` says; the same certificate counts",
      }),
    ),
  },
  { $id: "ImportSamlClient", additionalProperties: false },
);
export type ImportSamlClient = Static<typeof ImportSamlClient>;

export const SamlClientQuery = listQuery({ enabled: Type.Optional(Type.Boolean()) });
export type SamlClientQuery = Static<typeof SamlClientQuery>;
