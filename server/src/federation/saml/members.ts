import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import Type from "typebox";
import { clock } from "../../kernel/clock.ts";
import { lineText, oneOf } from "../../platform/http/index.ts";
import { urlFaults } from "../../platform/outbound/index.ts";
import { assertNotOver, SamlError, verificationKey } from "../../platform/saml/index.ts";
import { UpstreamError } from "../oidc/metadata.ts";
import { brokerDefaults, brokerMembers, fault, secretSet, secretText, urlText } from "../providers/members.ts";
import type { CheckTools, Config, FieldFault, OpenProvider } from "../providers/provider.ts";
import { certificatesIn, inlineMetadata, samlUpstream } from "./provider-metadata.ts";

const certificateText = Type.String({ minLength: 1, maxLength: 32_768 });
const certificate = (description: string) =>
  Type.String({ minLength: 1, maxLength: 32_768, description: `${description}. A certificate in PEM, or the base64 of its DER form` });

/** The members of every provider that is based on SAML. */
export const samlMembers = {
  ssoUrl: Type.Optional(urlText("the single sign-on service")),
  idpEntityId: Type.Optional(lineText("the provider's entityID", 1024)),
  idpSigningCertificate: Type.Optional(
    Type.Union([certificateText, Type.Array(certificateText, { minItems: 1, maxItems: 10 })], {
      description:
        "The certificates with which the provider signs, in PEM: several in one text, or a list. They take precedence over those of its metadata",
    }),
  ),
  singleLogoutServiceUrl: Type.Optional(urlText("the single logout service")),
  artifactResolutionUrl: Type.Optional(urlText("the artifact resolution service (SOAP)")),
  metadataUrl: Type.Optional(
    urlText(
      "the provider's metadata. It is read daily, for an unknown key, by a test and after a change, and supplies members that are omitted here",
    ),
  ),
  metadataXml: Type.Optional(
    Type.String({ minLength: 1, maxLength: 262_144, description: "The provider's metadata, which supplies members that are omitted here" }),
  ),
  metadataSigningCertificate: Type.Optional(certificate("The certificate with which the metadata has to be signed")),
  spEntityId: Type.Optional(
    lineText("the entityID of this realm at the provider. Default `{base URL}/realms/{realm}/broker/{alias}`", 1024),
  ),
  assertionConsumerServiceUrl: Type.Optional(
    urlText("the assertion consumer service on this server. Default `{base URL}/realms/{realm}/broker/{alias}/endpoint`"),
  ),
  authnRequestBinding: Type.Optional(
    oneOf(["redirect", "post"], {
      description: "The binding of AuthnRequests. Default: a binding that the metadata offers, otherwise redirect",
    }),
  ),
  responseBinding: Type.Optional(oneOf(["post", "artifact"], { description: "The binding of responses. Default post" })),
  spSigningPrivateKey: Type.Optional(
    secretText("The private key in PEM that signs our messages. Without it, the realm's own key signs them"),
  ),
  spSigningPrivateKeySet: Type.Optional(secretSet),
  spSigningCertificate: Type.Optional(certificate("The certificate of spSigningPrivateKey")),
  spDecryptionPrivateKey: Type.Optional(
    secretText("The private key in PEM that decrypts the provider's messages: RSA (RSA-OAEP), or EC (ECDH-ES)"),
  ),
  spDecryptionPrivateKeySet: Type.Optional(secretSet),
  spDecryptionCertificate: Type.Optional(
    certificate("The certificate of spDecryptionPrivateKey. Default: spSigningCertificate, if it belongs to the same key"),
  ),
  clockSkewSeconds: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 600, description: "The seconds by which the provider's clock may differ from ours. Default 60" }),
  ),
  multiFactorAcr: Type.Optional(
    Type.Array(lineText("one line of text"), {
      maxItems: 50,
      uniqueItems: true,
      description: "Values of AuthnContextClassRef that count as two factors",
    }),
  ),
  ...brokerMembers,
};

export const samlDefaults = {
  ...brokerDefaults,
  ...{ responseBinding: "post", multiFactorAcr: [], firstNameAttribute: "firstName", lastNameAttribute: "lastName" },
};

export const SAML_SECRETS = ["spSigningPrivateKey", "spDecryptionPrivateKey"] as const;

const ADDRESSES = ["ssoUrl", "singleLogoutServiceUrl", "artifactResolutionUrl", "metadataUrl"] as const;
const CERTIFICATES = ["idpSigningCertificate", "metadataSigningCertificate", "spSigningCertificate", "spDecryptionCertificate"] as const;

/** Returns faults of these members that the schema cannot express. */
export function samlFaults({ config, secrets }: Pick<OpenProvider, "config" | "secrets">, tools: CheckTools): FieldFault[] {
  const faults = [
    ...ADDRESSES.flatMap((member) =>
      config[member] === undefined ? [] : urlFaults(tools.outbound, `config.${member}`, String(config[member])),
    ),
    ...CERTIFICATES.flatMap((member) => certificateFaults(member, config[member])),
    ...consumerFaults(config, tools.baseUrl),
    ...signingKeyFaults(config, secrets),
    ...decryptionKeyFaults(config, secrets),
  ];
  // Members that depend on a faulty one are not checked.
  return faults.length > 0 ? faults : upstreamFaults(config, tools);
}

function certificateFaults(member: string, value: unknown): FieldFault[] {
  const found = certificatesIn(value);
  if (found.length > 1 && member !== "idpSigningCertificate") return [fault(member, "holds more than one certificate: send one")];
  if (found.length > 10) return [fault(member, "holds more than 10 certificates")];
  for (const text of found) {
    try {
      verificationKey(text);
    } catch (error) {
      if (!(error instanceof SamlError)) throw error;
      return [{ field: `config.${member}`, message: `config.${member}: ${error.message}` }];
    }
  }
  return [];
}

/** Refuses an address that is not ours: providers must not send their answers to another server. */
function consumerFaults({ assertionConsumerServiceUrl: url }: Config, baseUrl: string): FieldFault[] {
  if (url === undefined) return [];
  const isOurs = URL.canParse(String(url)) && new URL(String(url)).href.startsWith(`${baseUrl}/realms/`) && !/[?#]/.test(String(url));
  return isOurs
    ? []
    : [fault("assertionConsumerServiceUrl", `must be an address of this server: leave it out, or begin with ${baseUrl}/realms/`)];
}

/** Reads a private key in PEM. Returns null if it is not one. */
export function privateKeyOf(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
}

const CURVES = ["prime256v1", "secp384r1", "secp521r1"];
const NEEDED_KEY = "must be a private key in PEM without a passphrase: RSA of 2048 bits or more, P-256, P-384 or P-521";
const isStrong = ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject) =>
  asymmetricKeyType === "rsa"
    ? (asymmetricKeyDetails?.modulusLength ?? 0) >= 2048
    : asymmetricKeyType === "ec" && CURVES.includes(asymmetricKeyDetails?.namedCurve ?? "");

/** Tells whether the certificate belongs to this private key. Both have been read before. */
export const fits = (certificateText: unknown, key: KeyObject): boolean =>
  typeof certificateText === "string" &&
  verificationKey(certificateText).key.export({ type: "spki", format: "der" }).equals(publicHalf(key));

const publicHalf = (key: KeyObject): Buffer => createPublicKey(key).export({ type: "spki", format: "der" });

function signingKeyFaults(config: Config, { spSigningPrivateKey: pem }: OpenProvider["secrets"]): FieldFault[] {
  const { spSigningCertificate } = config;
  if (pem === undefined)
    return spSigningCertificate === undefined ? [] : [fault("spSigningPrivateKey", "is required with spSigningCertificate")];
  const key = privateKeyOf(pem);
  if (!key || !isStrong(key)) return [fault("spSigningPrivateKey", NEEDED_KEY)];
  if (spSigningCertificate === undefined) return [fault("spSigningCertificate", "is required with spSigningPrivateKey")];
  return isReadable(spSigningCertificate) && !fits(spSigningCertificate, key)
    ? [fault("spSigningCertificate", "does not belong to spSigningPrivateKey")]
    : [];
}

function decryptionKeyFaults(config: Config, { spDecryptionPrivateKey: pem }: OpenProvider["secrets"]): FieldFault[] {
  const { spDecryptionCertificate } = config;
  if (pem === undefined)
    return spDecryptionCertificate === undefined ? [] : [fault("spDecryptionPrivateKey", "is required with spDecryptionCertificate")];
  const key = privateKeyOf(pem);
  if (!key || !isStrong(key)) return [fault("spDecryptionPrivateKey", NEEDED_KEY)];
  return spDecryptionCertificate !== undefined && isReadable(spDecryptionCertificate) && !fits(spDecryptionCertificate, key)
    ? [fault("spDecryptionCertificate", "does not belong to spDecryptionPrivateKey")]
    : [];
}

const isReadable = (text: unknown): boolean => certificateFaults("", text).length === 0;

/** Checks that the provider is located by addresses and certificates, by its metadata, or by the address of its metadata. */
function upstreamFaults(config: Config, { outbound }: CheckTools): FieldFault[] {
  if (config.metadataUrl !== undefined && config.metadataXml !== undefined)
    return [fault("metadataXml", "and config.metadataUrl cannot both be given")];
  if (config.metadataUrl !== undefined) return [];
  try {
    const metadata = inlineMetadata(config);
    const missing = (["ssoUrl", "idpEntityId"] as const).filter((member) => config[member] === undefined);
    if (metadata === null && missing.length > 0)
      return missing.map((member) => fault(member, "is required without metadataUrl or metadataXml"));
    const { keys, artifactResolution } = samlUpstream(config, metadata, outbound);
    if (keys.length === 0) return [fault("idpSigningCertificate", "is required without metadataUrl or metadataXml")];
    if (config.responseBinding === "artifact" && metadata === null && artifactResolution(0) === null)
      return [fault("artifactResolutionUrl", "is required if config.responseBinding is artifact")];
    if (metadata !== null) assertNotOver(metadata, clock.now());
    return [];
  } catch (error) {
    if (!(error instanceof SamlError || error instanceof UpstreamError)) throw error;
    const isOver = error instanceof SamlError && error.reason === "metadata_expired";
    return [{ field: "config.metadataXml", message: `config.metadataXml: ${error.message}`, ...(isOver && { onlyWhenEnabled: true }) }];
  }
}
