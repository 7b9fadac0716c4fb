import Type from "typebox";
import { lineText, oneOf } from "../../platform/http/index.ts";
import { brokerHarmless, fault, flag } from "../providers/members.ts";
import type { IdentityProviderProtocol } from "../providers/protocol.ts";
import type { Config, FieldFault } from "../providers/provider.ts";
import { samlBroker } from "./broker.ts";
import { fits, privateKeyOf, SAML_SECRETS, samlDefaults, samlFaults, samlMembers } from "./members.ts";
import { plain } from "./plain.ts";
import { entityIn } from "./provider-metadata.ts";
import { testSaml } from "./test-call.ts";

const members = {
  ...samlMembers,
  nameIdFormat: Type.Optional(
    oneOf(["persistent", "transient", "email", "unspecified", "none"], {
      description: "The NameID format that is requested. `none` requests none. Default persistent",
    }),
  ),
  subjectAttribute: Type.Optional(
    lineText("the attribute that never changes and is never given to another user. Default the NameID, which must then not be transient"),
  ),
  signAuthnRequests: flag("True: AuthnRequests are signed. Default true"),
  wantResponseSigned: flag("True: the Response has to be signed. Default false: the Response or the assertion has to be signed"),
  wantAssertionsSigned: flag("True: the assertion itself has to be signed. Default false: the Response or the assertion has to be signed"),
  wantAssertionsEncrypted: flag("True: assertions have to be encrypted. Needs spDecryptionPrivateKey. Default false"),
  allowCbc: flag("True: AES-CBC is accepted under a signature, for a provider that has no AES-GCM. Default false"),
  allowIdpInitiated: flag("True: a sign-in may begin at the provider. Default false"),
  forceAuthn: flag("True: the provider always authenticates the user again (ForceAuthn). Default false"),
  authnContexts: Type.Optional(
    Type.Array(lineText("an AuthnContextClassRef", 1024), {
      maxItems: 20,
      uniqueItems: true,
      description: "The authentication context classes that are requested. If empty, any",
    }),
  ),
  authnContextComparison: Type.Optional(
    oneOf(["exact", "minimum", "better", "maximum"], {
      description: "The comparison of authentication contexts. Default exact: the response has to name one of authnContexts",
    }),
  ),
  logoutUpstream: flag("True: a logout here continues at the provider, if it has a logout address. Default true"),
};

const defaults = {
  ...samlDefaults,
  ...{ nameIdFormat: "persistent", signAuthnRequests: true, wantResponseSigned: false, wantAssertionsSigned: false },
  ...{ wantAssertionsEncrypted: false, allowCbc: false, allowIdpInitiated: false, forceAuthn: false, authnContexts: [] },
  ...{ authnContextComparison: "exact", logoutUpstream: true },
};

/** Plain SAML 2.0: web browser single sign-on, with this realm as the service provider. */
export const saml: IdentityProviderProtocol = {
  config: Type.Object(members, { additionalProperties: false }),
  defaults,
  secrets: [...SAML_SECRETS],
  harmless: brokerHarmless,
  subjectMembers: ["subjectAttribute", "nameIdFormat"],
  entityIn,
  // Private keys are never sent anywhere.
  addresses: () => [],
  unusedSecrets: ({ spSigningCertificate }) => (spSigningCertificate === undefined ? ["spSigningPrivateKey"] : []),
  check: (provider, tools) => [...samlFaults(provider, tools), ...ownFaults(provider.config, provider.secrets)],
  test: testSaml,
  broker: samlBroker(plain),
};

function ownFaults(config: Config, { spDecryptionPrivateKey: pem }: Readonly<Record<string, string>>): FieldFault[] {
  const faults: FieldFault[] = [];
  if (config.nameIdFormat === "transient" && config.subjectAttribute === undefined)
    faults.push(fault("subjectAttribute", "is required if config.nameIdFormat is transient, because such a NameID changes each time"));
  if (config.wantAssertionsEncrypted !== true) return faults;
  const key = pem === undefined ? null : privateKeyOf(pem);
  if (pem === undefined) faults.push(fault("spDecryptionPrivateKey", "is required if config.wantAssertionsEncrypted is true"));
  else if (key && !hasCertificate(config, key))
    faults.push(
      fault("spDecryptionCertificate", "is required if config.wantAssertionsEncrypted is true, because the provider encrypts with it"),
    );
  return faults;
}

function hasCertificate(config: Config, key: NonNullable<ReturnType<typeof privateKeyOf>>): boolean {
  try {
    return config.spDecryptionCertificate !== undefined || fits(config.spSigningCertificate, key);
  } catch {
    return true; // a fault of the certificate itself is reported elsewhere
  }
}
