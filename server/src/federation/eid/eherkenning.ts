import { X509Certificate } from "node:crypto";
import { DATA_ENCRYPTION, SIGNATURE_ALGORITHM } from "../../platform/saml/index.ts";
import { UpstreamError } from "../oidc/metadata.ts";
import type { Config } from "../providers/provider.ts";
import { derOf, type SamlProfile } from "../saml/index.ts";
import {
  type Attributes,
  attributesOf,
  claimsOf,
  hasNameIds,
  identifiersOf,
  personOf,
  requireLevel,
  textsOf,
  theOnlyStatement,
} from "./attributes.ts";
import { eidKind } from "./config.ts";
import { EHERKENNING, EHERKENNING_LEVELS, eherkenningScheme } from "./eherkenning-config.ts";

const fingerprint = (certificate: string): string =>
  new X509Certificate(Buffer.from(certificate, "base64")).fingerprint256.replaceAll(":", "").toLowerCase();

/** Returns the names of this realm's keys, by certificate. A certificate that serves for both has one name. */
function keyNamesOf(config: Config): Record<string, string> {
  const [signing, decryption] = [derOf(config.spSigningCertificate), derOf(config.spDecryptionCertificate)];
  const name = (member: string, certificate: string) => (config[member] as string | undefined) ?? fingerprint(certificate);
  return {
    ...(decryption && { [decryption]: name("spDecryptionKeyName", decryption) }),
    ...(signing && { [signing]: name("spSigningKeyName", signing) }),
  };
}

/** eHerkenning, in the role of a service provider (DV) that communicates with a broker (HM). */
const profile: SamlProfile = {
  rules: ({ config }) => {
    const signing = derOf(config.spSigningCertificate);
    return {
      signsWith: { rsa: SIGNATURE_ALGORITHM.RS256 },
      ...(signing && { keyName: keyNamesOf(config)[signing]! }),
      signatures: [SIGNATURE_ALGORITHM.RS256, SIGNATURE_ALGORITHM.RS384, SIGNATURE_ALGORITHM.RS512],
      // The scheme's own cipher is AES-CBC, which counts only under a verified signature.
      ciphers: [DATA_ENCRYPTION.aes256gcm, DATA_ENCRYPTION.aes256cbc],
      signedResponse: true,
      signedAssertion: true,
      encryptedAssertion: false,
    };
  },

  request: ({ config }) => ({
    forceAuthn: true,
    isPassive: false,
    attributeConsumingServiceIndex: config.attributeConsumingServiceIndex as number,
    ...(typeof config.providerName === "string" && { providerName: config.providerName }),
    ...(config.requestLoa === true && {
      requestedAuthnContext: { comparison: "minimum", classRefs: [String(config.minimumLoa)], declRefs: [] },
    }),
  }),

  identity({ config }, { assertion }) {
    const acr = requireLevel(theOnlyStatement(assertion).classRef, String(config.minimumLoa), EHERKENNING_LEVELS);
    const attributes = attributesOf(assertion);
    serviceIsOurs(attributes, config);
    mandateIsAllowed(attributes, config);
    const { subject, username } = accountOf(attributes, config);
    return { subject, username, ...personOf(attributes, config), claims: claimsOf(attributes), acr, amr: [] };
  },

  metadata: ({ config, displayName }) => ({
    sp: {
      keyNames: keyNamesOf(config),
      wantAssertionsSigned: true,
      attributeConsumingServices: [
        {
          index: config.attributeConsumingServiceIndex as number,
          isDefault: true,
          serviceNames: [String(config.serviceName ?? displayName)],
          // The first requested attribute is the ServiceID, which identifies the requested service.
          requestedAttributes: [config.serviceId ?? config.subjectAttribute, ...(config.requestedAttributes as string[])].map(
            (name, i) => ({
              ...{ name: String(name), nameFormat: null, friendlyName: null, isRequired: i === 0 },
            }),
          ),
        },
      ],
    },
  }),
};

export const eherkenning = eidKind({ ...eherkenningScheme, profile });

/** Refuses an answer for another service of the same provider: it says nothing about ours. */
function serviceIsOurs(attributes: Attributes, config: Config): void {
  const same = (name: string, wanted: unknown, caseless = false): boolean => {
    if (typeof wanted !== "string") return true;
    const values = textsOf(attributes, name);
    return values.length === 1 && (caseless ? values[0]!.toLowerCase() === wanted.toLowerCase() : values[0] === wanted);
  };
  if (!same(EHERKENNING.serviceId, config.serviceId) || !same(EHERKENNING.serviceUuid, config.serviceUuid, true))
    throw new UpstreamError("service", "The answer is for another service than the one that was asked for.");
}

/** Attributes of a mandate: a person acts for another, within certain limits. */
const MANDATE = [
  /^urn:etoegang:core:(Representation|AuthorizationRegistryID)$/,
  /^urn:etoegang:[^:]+:(IntermediateEntityID|ServiceRestriction)(:|$)/,
];

/** Refuses mandates that are not allowed, or that have an unknown attribute: it may limit the mandate, for example to a part of the company. */
function mandateIsAllowed(attributes: Attributes, config: Config): void {
  const listed = config.representationAttributes as readonly string[];
  const isMandate = (name: string) => {
    if (name === EHERKENNING.representation && textsOf(attributes, name).every((value) => value === "false" || value === "0")) return false;
    return listed.includes(name) || MANDATE.some((pattern) => pattern.test(name));
  };
  const found = [...attributes.keys()].filter(isMandate);
  if (found.length === 0) return;
  if (config.representation !== true) throw new UpstreamError("mandate", "The person acts by a mandate, and config.representation is off.");
  const unknown = found.find((name) => !listed.includes(name));
  if (unknown !== undefined)
    throw new UpstreamError("mandate", `The mandate has the attribute ${unknown}, which config.representationAttributes does not list.`);
}

const PREFERRED = ["urn:etoegang:1.9:EntityConcernedID:KvKnr", "urn:etoegang:1.9:EntityConcernedID:RSIN"];

/** Returns the one identifier in an attribute: of the configured type, or of the best known one. Returns null if there are two of that type. */
function identifierOf(attributes: Attributes, name: string, qualifier: string | null) {
  // These are never plain text, because text has no type that tells a company's number from a person's.
  const isTyped = name === EHERKENNING.legalSubject || name === EHERKENNING.actingSubject;
  if (isTyped && !hasNameIds(attributes, name)) return null;
  const all = identifiersOf(attributes, name);
  const types = [...new Set(all.map((one) => one.qualifier))].sort();
  const wanted = qualifier ?? PREFERRED.find((type) => types.includes(type)) ?? types[0];
  const [found, ...more] = all.filter((one) => one.qualifier === wanted);
  return found && more.length === 0 ? found : null;
}

/**
 * Returns the account. It is never the NameID of the subject, which differs each time. A person keeps one pseudonym for all companies that they act for through
 * an intermediary, so the account then consists of the person and the company.
 */
function accountOf(attributes: Attributes, config: Config): { subject: string; username: string } {
  const name = String(config.subjectAttribute);
  const missing = () => new UpstreamError("subject", `The answer does not have one identifier in ${name}.`);
  const found = identifierOf(attributes, name, (config.subjectQualifier as string | undefined) ?? null);
  if (!found) throw missing();
  const subject = `${found.qualifier} ${found.value}`;
  if (name !== EHERKENNING.actingSubject || !attributes.has(EHERKENNING.legalSubject)) return { subject, username: found.value };
  const company = identifierOf(attributes, EHERKENNING.legalSubject, null);
  if (!company) throw missing();
  return { subject: `${subject} ${company.qualifier} ${company.value}`, username: found.value };
}
