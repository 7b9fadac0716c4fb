import Type, { type Static } from "typebox";
import {
  creationTime,
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
import { DATA_ENCRYPTION, KEY_TRANSPORT, NAME_ID_FORMAT, RELAY_STATE_BYTES } from "../../platform/saml/index.ts";
import { assertionLifetime, clockSkew, nameIdFormats } from "../../tenancy/settings/index.ts";
import { accessMembers } from "../access/index.ts";

const inherited = (description: string) => nullableMember(Type.Boolean(), `${description}. If null, the realm's setting applies`);
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

const name = nullable(shownText(), "The name that users see");

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
    responseUrl: nullable(url, "The address of responses. If null, they are sent to the same address"),
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
  signResponse: inherited("Sign the response that contains the assertion"),
  wantAuthnRequestsSigned: inherited("Refuse requests that are not signed by one of its certificates"),
  encryptAssertion: inherited("Encrypt the assertion for `encryptionCertificate`"),
  nameIdFormat: nullableMember(oneOf(nameIdFormats), "The NameID format if a request names none. If null, the realm's setting applies"),
  includeAttributes: member(Type.Boolean({ description: "Send attributes. If false, only the NameID is sent" }), true),
  additionalAcsUrls: member(
    Type.Array(url, {
      maxItems: maxItems.additionalAcsUrls,
      uniqueItems: true,
      description: "Further assertion consumer services. A request may name one of them",
    }),
    [],
  ),
  backChannelSloEnabled: inherited("Notify the service provider by SOAP when a session ends"),
  idpInitiatedSsoEnabled: inherited("Let users start a sign-in at this server"),
  assertionLifetimeSeconds: nullableMember(
    Type.Integer(assertionLifetime),
    "The seconds within which an assertion must arrive. If null, the realm's setting applies",
  ),
  clockSkewSeconds: nullableMember(
    Type.Integer(clockSkew),
    "The seconds by which its clock may differ from ours. If null, the realm's setting applies",
  ),
  description: nullableMember(Type.String({ maxLength: 1000 }), "A description for administrators"),
  additionalSigningCertificates: member(
    Type.Array(certificate, {
      maxItems: maxItems.additionalSigningCertificates,
      uniqueItems: true,
      description: "Further certificates besides `signingCertificate`, such as the next one",
    }),
    [],
  ),
  encryptionCertificate: nullableMember(certificate, "The certificate of the RSA key that assertions are encrypted to"),
  encryptionAlgorithm: nullableMember(
    oneOf(Object.values(DATA_ENCRYPTION)),
    "The encryption algorithm of assertions. If null, AES-256-GCM",
  ),
  keyTransportAlgorithm: nullableMember(oneOf(Object.values(KEY_TRANSPORT)), "The key transport algorithm. If null, rsa-oaep-mgf1p"),
  nameIdSource: nullableMember(attributeName, "The user attribute for the NameID of the format `unspecified`. If null, the username"),
  persistentNameIdSource: nullableMember(
    attributeName,
    "The user attribute for the NameID of the format `persistent`, such as the ImmutableID of Microsoft 365. If null, a random value for each user and service provider",
  ),
  acsEndpoints: member(
    Type.Array(AcsEndpoint, {
      maxItems: maxItems.acsEndpoints,
      description:
        "The bindings and indexes of the addresses above. An address that is not listed has the binding POST and the next free index",
    }),
    [],
  ),
  sloEndpoints: member(
    Type.Array(SloEndpoint, {
      maxItems: maxItems.sloEndpoints,
      description: "Its single logout services, with their bindings. If empty, `singleLogoutServiceUrl` with the binding Redirect",
    }),
    [],
  ),
  defaultRelayState: nullableMember(
    Type.String({ minLength: 1, maxLength: 1024 }),
    "The RelayState of a sign-in that starts at this server, often an address within the application",
  ),
  allowedRelayStates: nullableMember(
    Type.Array(Type.String({ minLength: 1, maxLength: 1024 }), { maxItems: 100, uniqueItems: true }),
    "The prefixes that a RelayState needs to be passed on. It has at most 2,048 bytes. If null, any RelayState is passed on, within `relayStateBytes`",
  ),
  relayStateBytes: member(
    Type.Integer({
      minimum: RELAY_STATE_BYTES,
      maximum: 2048,
      description:
        "The greatest length of a RelayState that is not an address of the service provider itself, if `allowedRelayStates` is null",
    }),
    RELAY_STATE_BYTES,
  ),
  authnContextMap: member(
    Type.Record(urn, oneOf(["1", "2"]), {
      maxProperties: 50,
      description:
        "The `acr` of each AuthnContextClassRef: `1` one factor, `2` two factors. They are added to those that every realm knows",
    }),
    {},
  ),
  alwaysForceAuthn: flagMember("Ask users to authenticate again at each request"),
  refusePassive: flagMember("Answer every IsPassive request with NoPassive"),
  consentRequired: flagMember("Ask users for consent before attributes are released to it"),
  browserFlow: nullableMember(
    Type.String({ minLength: 1, maxLength: 63 }),
    "The alias of the flow by which users sign in to it. If null, the realm's `browser`",
  ),
  ...accessMembers,
  clientUri: nullableMember(url, "The URL of its home page"),
  logoUri: nullableMember(url, "The URL of the logo on the sign-in and consent pages"),
  policyUri: nullableMember(url, "The URL of its privacy policy, to which the same pages link"),
  tosUri: nullableMember(url, "The URL of its terms of service, to which the same pages link"),
};

/** The name is not stored with the options, because it has a column. */
const optionMembers = { ...schemasOf(storedOptions), name };

const stateMembers = {
  assertionConsumerServiceUrl: Type.String({ minLength: 1, maxLength: 2048, description: "The address that assertions are sent to" }),
  defaultAuthnContextClassRef: nullable(
    urn,
    "The AuthnContextClassRef of assertions if a request names none. If null, the one that fits the sign-in",
  ),
  singleLogoutServiceUrl: nullable(url, "The address that browsers are sent to for a single logout"),
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
    url: nullable(Type.String(), "The address that the metadata was read from. Null if it was sent as a file"),
    importedAt: Type.Integer({ description: "The time of the import, in epoch milliseconds" }),
    validUntil: nullable(Type.Integer(), "The end of the metadata's validity, in epoch milliseconds"),
    refresh: Type.Boolean({
      description: "True: the metadata is read again automatically: daily, or as its `cacheDuration` says, but at most hourly",
    }),
    lastError: nullable(Type.String(), "The error of the last automatic read. Null if it succeeded. The imported members are kept"),
    members: Type.Array(Type.String(), {
      description: "The members that the next import updates, because no administrator has changed them since the last one",
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
    applicationId: nullable(Type.String(), "Its name at `/applications`: `<realm>|<entityId>`. Null in the response to its creation"),
    options: Type.Object(optionMembers, { description: "For members that are null, the realm's settings `saml` apply" }),
    metadata: nullable(MetadataSource, "The members that came from metadata, if it was imported; null for all others"),
    createdAt: creationTime,
    updatedAt: Type.Integer({ description: "The time of the last change, in epoch milliseconds" }),
  },
  { $id: "SamlClient" },
);
export type SamlClient = Static<typeof SamlClient>;

const nameIdFormatNames = nameIdFormats.map((format) => NAME_ID_FORMAT[format]);
const options = Type.Object(
  {
    ...optional(optionMembers),
    nameIdFormat: Type.Optional(
      nullable(oneOf([...nameIdFormats, ...nameIdFormatNames]), "The NameID format if a request names none. URNs are accepted, too"),
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
    metadata: Type.Optional(nullable(MetadataSource, "The metadata as it was read. Only an import changes it")),
    createdAt: Type.Optional(Type.Integer()),
    updatedAt: Type.Optional(Type.Integer()),
    ...inputMembers,
    enabled: Type.Boolean(),
  },
  { $id: "UpdateSamlClient", additionalProperties: false },
);
export type UpdateSamlClient = Static<typeof UpdateSamlClient>;

const preview = Type.Optional(Type.Boolean({ default: false, description: "Return what would be saved, without saving it" }));
const choice = Type.Optional(
  Type.String({ minLength: 1, maxLength: 1024, description: "The entityID of the service provider, if the metadata describes several" }),
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
      nullable(certificate, "The certificate that verifies the signature of the metadata. If null, the signature is not verified"),
    ),
    refresh: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          "Read the metadata again automatically, daily or as its `cacheDuration` says. It is verified with the same certificate",
      }),
    ),
  },
  { $id: "ImportSamlClient", additionalProperties: false },
);
export type ImportSamlClient = Static<typeof ImportSamlClient>;

export const SamlClientQuery = listQuery({ enabled: Type.Optional(Type.Boolean()) });
export type SamlClientQuery = Static<typeof SamlClientQuery>;
