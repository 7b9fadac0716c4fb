import { X509Certificate } from "node:crypto";
import Type from "typebox";
import { clock } from "../../kernel/clock.ts";
import { lineText, oneOf } from "../../platform/http/index.ts";
import { brokerHarmless, fault, flag, secretText } from "../providers/members.ts";
import type { IdentityProviderProtocol } from "../providers/protocol.ts";
import type { CheckTools, Config, FieldFault, OpenProvider } from "../providers/provider.ts";
import { samlBroker } from "../saml/broker.ts";
import { SAML_SECRETS, samlDefaults, samlFaults, samlMembers } from "../saml/members.ts";
import type { SamlProfile } from "../saml/profile.ts";
import { certificatesIn, entityIn } from "../saml/provider-metadata.ts";
import { testSaml } from "../saml/test-call.ts";

/** The schema of an attribute's identifier, a URI. */
export const attributeName = (description: string) =>
  Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\s\\p{C}]+$", description });

export const attributeNames = (description: string) =>
  Type.Array(attributeName("an attribute identifier"), { maxItems: 50, uniqueItems: true, description });

const BINDINGS = ["redirect", "post", "artifact"] as const;
type BindingName = (typeof BINDINGS)[number];

/** Returns the names of a binding: ours, its name in the SAML bindings, and its URN. */
const namesOf = (binding: BindingName): string[] => {
  const name = binding === "post" ? "HTTP-POST" : `HTTP-${binding[0]!.toUpperCase()}${binding.slice(1)}`;
  return [binding, binding.toUpperCase(), name, `urn:oasis:names:tc:SAML:2.0:bindings:${name}`];
};
const bindings = (description: string, ...allowed: BindingName[]) => Type.Optional(oneOf(allowed.flatMap(namesOf), { description }));
const bindingNamed = (value: unknown) => BINDINGS.find((binding) => namesOf(binding).includes(String(value)));

const { singleLogoutServiceUrl: _, ...withoutLogout } = samlMembers;

/** The members that eHerkenning and eIDAS share beyond those of SAML. Neither has single logout. */
const eidMembers = {
  ...withoutLogout,
  spSigningPrivateKey: Type.Optional(
    secretText(
      "The private key in PEM that signs our messages. It is needed, because the scheme takes requests only that are signed with a key it knows",
    ),
  ),
  spDecryptionPrivateKey: Type.Optional(
    secretText(
      "The private key in PEM, RSA or EC, that decrypts the provider's messages. It is needed, because what identifies people comes encrypted",
    ),
  ),
  authnRequestBinding: bindings("The binding of AuthnRequests: redirect or post. Default post", "redirect", "post"),
  responseBinding: bindings(
    "The binding of responses: post or artifact. Default artifact for eherkenning, post for eidas",
    "post",
    "artifact",
  ),
  representation: flag("True: users who act for another by a mandate may sign in. Default false: such a response is refused"),
  requestedAttributes: Type.Optional(attributeNames("The attributes that are requested besides those that the scheme needs")),
  attributeConsumingServiceIndex: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 65_535, description: "The index of the service in this realm's metadata. Default 1" }),
  ),
  serviceName: Type.Optional(lineText("the name of the service in this realm's metadata. Default the provider's display name")),
  providerName: Type.Optional(lineText("the name of the service provider that the identity provider shows. Default the name of the realm")),
};

const eidDefaults = {
  ...samlDefaults,
  ...{ authnRequestBinding: "post", representation: false, requestedAttributes: [], attributeConsumingServiceIndex: 1 },
};

/** The members of `config` in the response to a create request. GET shows everything but the private keys. */
const CREATE_SHOWS = ["ssoUrl", "assertionConsumerServiceUrl", "idpEntityId", "spEntityId", "minimumLoa", "subjectAttribute"];

export interface Scheme {
  readonly members: Record<string, Type.TSchema>;
  readonly defaults: Config;
  readonly subjectMembers: readonly string[];
  readonly profile: SamlProfile;
  faults(config: Config, secrets: OpenProvider["secrets"]): FieldFault[];
}

/** Describes a scheme as a kind of SAML provider. */
export const eidKind = ({ members, defaults, subjectMembers, faults, profile }: Scheme): IdentityProviderProtocol => ({
  config: Type.Object({ ...eidMembers, ...members }, { additionalProperties: false }),
  defaults: { ...eidDefaults, ...defaults },
  secrets: [...SAML_SECRETS],
  harmless: brokerHarmless,
  subjectMembers: ["subjectAttribute", ...subjectMembers],
  entityIn,
  vouchesForProfile: true,
  createShows: CREATE_SHOWS,
  normalized: (config) => normalized(config, { ...eidDefaults, ...defaults }),
  // Private keys are never sent anywhere.
  addresses: () => [],
  check: (provider, tools) => [...commonFaults(provider, tools), ...faults(provider.config, provider.secrets)],
  test: testSaml,
  broker: samlBroker(profile),
});

/** Returns bindings by our names, and the address that resolves artifacts. That is ssoUrl for a broker with one address for everything. */
function normalized(config: Config, defaults: Config): Config {
  const named = { ...config };
  for (const member of ["authnRequestBinding", "responseBinding"])
    if (config[member] !== undefined) named[member] = bindingNamed(config[member]);
  const hasMetadata = config.metadataUrl !== undefined || config.metadataXml !== undefined;
  const resolves = (named.responseBinding ?? defaults.responseBinding) === "artifact" && !hasMetadata;
  if (resolves && config.artifactResolutionUrl === undefined && config.ssoUrl !== undefined) named.artifactResolutionUrl = config.ssoUrl;
  return named;
}

function commonFaults(provider: Pick<OpenProvider, "config" | "secrets">, tools: CheckTools): FieldFault[] {
  const { config, secrets } = provider;
  const faults = samlFaults(provider, tools);
  const needs = (member: string, why: string) => {
    if (secrets[member] === undefined && !faults.some(({ field }) => field === `config.${member}`)) faults.push(fault(member, why));
  };
  needs("spSigningPrivateKey", "is required: the scheme takes requests only that are signed with a key it knows");
  needs("spDecryptionPrivateKey", "is required: what identifies people comes encrypted");
  return faults.length > 0 ? faults : expiredCertificates(config);
}

/** Reports expired certificates when the provider is saved; otherwise the first sign-in would fail. A provider that is being disabled may keep them. */
function expiredCertificates(config: Config): FieldFault[] {
  const now = clock.now();
  const isOver = (text: string) =>
    Date.parse(new X509Certificate(Buffer.from(text.replace(/-----[^-]+-----|\s+/g, ""), "base64")).validTo) <= now;
  const own = ["spSigningCertificate", "spDecryptionCertificate"].filter((member) => certificatesIn(config[member]).some(isOver));
  const theirs = certificatesIn(config.idpSigningCertificate);
  const members = theirs.length > 0 && theirs.every(isOver) ? ["idpSigningCertificate", ...own] : own;
  return members.map((member) => ({ ...fault(member, "has expired: send a valid certificate"), onlyWhenEnabled: true as const }));
}
