import { BEARER, DATA_ENCRYPTION, eidasExtensions, SIGNATURE_ALGORITHM } from "../../platform/saml/index.ts";
import { UpstreamError } from "../oidc/metadata.ts";
import type { Config } from "../providers/provider.ts";
import type { SamlAnswer, SamlProfile } from "../saml/index.ts";
import { type Attributes, attributesOf, claimsOf, personOf, requireLevel, textsOf, theOnlyStatement } from "./attributes.ts";
import { eidKind } from "./config.ts";
import { EIDAS_LEVELS, EIDAS_LOA, EIDAS_PERSON, eidasIdentifier, eidasScheme } from "./eidas-config.ts";

const NON_NOTIFIED = "http://eidas.europa.eu/NonNotified/LoA/";
const levels = (prefix: string): string[] => EIDAS_LEVELS.map((level) => `${prefix}${level}`);
const NOTIFIED = levels(EIDAS_LOA);

const setOf = ({ subjectAttribute }: Config): readonly string[] =>
  eidasIdentifier(subjectAttribute) === EIDAS_PERSON.legal[0] ? EIDAS_PERSON.legal : EIDAS_PERSON.natural;

const requestedOf = (config: Config) => [
  ...setOf(config).map((name) => ({ name, isRequired: true })),
  ...(config.requestedAttributes as string[]).filter((name) => !setOf(config).includes(name)).map((name) => ({ name, isRequired: false })),
];

/** eIDAS SAML message format and cryptographic requirements, in the role of a service provider that communicates with its country's node. */
const profile: SamlProfile = {
  rules: () => ({
    signsWith: { rsa: SIGNATURE_ALGORITHM.PS256 },
    // eIDAS does not allow RSA signatures with PKCS#1 padding.
    signatures: [
      ...[SIGNATURE_ALGORITHM.PS256, SIGNATURE_ALGORITHM.PS384, SIGNATURE_ALGORITHM.PS512],
      ...[SIGNATURE_ALGORITHM.ES256, SIGNATURE_ALGORITHM.ES384, SIGNATURE_ALGORITHM.ES512],
    ],
    ciphers: [DATA_ENCRYPTION.aes256gcm, DATA_ENCRYPTION.aes192gcm, DATA_ENCRYPTION.aes128gcm],
    signedResponse: true,
    signedAssertion: true,
    encryptedAssertion: true,
  }),

  request: ({ config, realm }) => ({
    forceAuthn: true,
    isPassive: false,
    providerName: String(config.providerName ?? realm),
    extensions: eidasExtensions({ spType: config.spType as "public" | "private", requestedAttributes: requestedOf(config) }),
    requestedAuthnContext: requestedContext(config),
  }),

  identity({ config }, answer) {
    const { assertion } = answer;
    shapeIsRight(answer);
    const acr = levelOf(theOnlyStatement(assertion).classRef, config);
    const attributes = attributesOf(assertion);
    representationIsAllowed(attributes, config);
    personIsComplete(attributes, setOf(config));
    for (const other of Object.values(EIDAS_PERSON)) if (other.some((name) => attributes.has(name))) personIsComplete(attributes, other);
    // The identifier is opaque: `ES/NL/12345` is compared as a whole, and its parts are never interpreted.
    const [subject] = textsOf(attributes, setOf(config)[0]!);
    const person = personOf(attributes, config);
    return { subject: subject!, username: null, ...person, claims: claimsOf(attributes), acr, amr: [] };
  },

  metadata: ({ config, displayName }) => ({
    sp: {
      wantAssertionsSigned: true,
      attributeConsumingServices: [
        {
          index: config.attributeConsumingServiceIndex as number,
          isDefault: true,
          serviceNames: [String(config.serviceName ?? displayName)],
          requestedAttributes: requestedOf(config).map((attribute) => ({ ...attribute, nameFormat: null, friendlyName: null })),
        },
      ],
    },
  }),
};

export const eidas = eidKind({ ...eidasScheme, profile });

/** Requests notified schemes by their lowest level. With other schemes the levels have no order, so the request lists every accepted level. */
function requestedContext({ minimumLoa, allowNonNotified }: Config) {
  const minimum = EIDAS_LEVELS.indexOf(minimumLoa as (typeof EIDAS_LEVELS)[number]);
  if (allowNonNotified !== true) return { comparison: "minimum" as const, classRefs: [NOTIFIED[minimum]!], declRefs: [] };
  return { comparison: "exact" as const, classRefs: [...NOTIFIED.slice(minimum), ...levels(NON_NOTIFIED).slice(minimum)], declRefs: [] };
}

function levelOf(level: string | null, { minimumLoa, allowNonNotified }: Config): string {
  const isNonNotified = level?.startsWith(NON_NOTIFIED) === true;
  if (isNonNotified && allowNonNotified !== true)
    throw new UpstreamError("non_notified", "The person signed in by a scheme that its country has not notified.");
  const prefix = isNonNotified ? NON_NOTIFIED : EIDAS_LOA;
  return requireLevel(level, `${prefix}${String(minimumLoa)}`, levels(prefix));
}

/** Requires exactly one AttributeStatement and one bearer confirmation. With more, it would be unclear which attributes belong to whom. */
function shapeIsRight({ assertion }: SamlAnswer): void {
  const confirmations = assertion.subject?.confirmations ?? [];
  if (assertion.attributeStatements !== 1)
    throw new UpstreamError("attribute_statement", "The assertion does not have exactly one AttributeStatement.");
  if (confirmations.length !== 1 || confirmations[0]!.method !== BEARER)
    throw new UpstreamError("subject_confirmation", "The assertion does not have exactly one bearer confirmation.");
}

/** Requires the minimum data set: every attribute, and exactly one value of the identifier. */
function personIsComplete(attributes: Attributes, names: readonly string[]): void {
  const isRight = (name: string, i: number) => (i === 0 ? textsOf(attributes, name).length === 1 : textsOf(attributes, name).length > 0);
  const missing = names.find((name, i) => !isRight(name, i));
  if (missing !== undefined) throw new UpstreamError("attributes", `The answer has no ${missing}, or more than one.`);
}

const isOfRepresentative = (name: string): boolean => name.includes("/representative/");

/** Checks representation. A representative signs in as the person or company that they act for, and must be described as completely as that one. */
function representationIsAllowed(attributes: Attributes, config: Config): void {
  const found = [...attributes.keys()].filter(isOfRepresentative);
  if (found.length === 0) return;
  if (config.representation !== true)
    throw new UpstreamError("mandate", "The person acts as a representative, and config.representation is off.");
  const sets = Object.values(EIDAS_PERSON).map((names) => names.map((name) => name.replace(/\/([^/]+)$/, "/representative/$1")));
  for (const names of sets) if (names.some((name) => attributes.has(name))) personIsComplete(attributes, names);
  if (!sets.some(([identifier]) => attributes.has(identifier!)))
    throw new UpstreamError("attributes", "The answer does not identify the representative.");
}
