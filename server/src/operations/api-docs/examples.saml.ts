import { defaultOptions } from "../../applications/saml-clients/index.ts";

const time = 1_767_225_600_000;
const entityId = "https://wiki.example.com/metadata";

const samlClient = {
  realmId: "acme",
  entityId,
  enabled: true,
  assertionConsumerServiceUrl: "https://wiki.example.com/acs",
  defaultAuthnContextClassRef: null,
  singleLogoutServiceUrl: "https://wiki.example.com/slo",
  signingCertificate: null,
  applicationId: `acme|${entityId}`,
  options: {
    ...defaultOptions,
    name: "Wiki",
    nameIdFormat: "email",
    idpInitiatedSsoEnabled: true,
    clientUri: "https://wiki.example.com/",
  },
  metadata: null,
  createdAt: time,
  updatedAt: time,
};
const { realmId: _realm, entityId: _key, applicationId: _application, createdAt: _created, updatedAt: _updated, ...state } = samlClient;

const samlMapper = {
  mapperId: "019b76da-a807-7e5f-9a6b-7c8d9e0f1a2c",
  name: "mail",
  claim: "mail",
  source: "property",
  value: "email",
  type: "string",
  multivalued: false,
  targets: ["idToken", "userinfo"],
  samlName: "urn:oid:0.9.2342.19200300.100.1.3",
  samlNameFormat: "uri",
  createdAt: time,
};
const mapper = { name: "mail", source: "property", value: "email", samlName: samlMapper.samlName };

/** Examples of SAML clients. */
export const examplesOfSaml: Readonly<Record<string, unknown>> = {
  SamlClient: samlClient,
  CreateSamlClient: { entityId, assertionConsumerServiceUrl: samlClient.assertionConsumerServiceUrl, options: { name: "Wiki" } },
  UpdateSamlClient: state,
  PatchSamlClient: { options: { nameIdFormat: "persistent", name: null } },
  ImportSamlClient: { url: entityId },
  SamlMapper: samlMapper,
  CreateSamlMapper: mapper,
  UpdateSamlMapper: { ...mapper, multivalued: true },
  PatchSamlMapper: { samlName: "email", samlNameFormat: "basic" },
};
