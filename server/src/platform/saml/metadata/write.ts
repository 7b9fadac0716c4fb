import { instant } from "../messages/values.ts";
import { NS } from "../names.ts";
import { DIGEST_ALGORITHMS, SIGNATURE_ALGORITHMS } from "../signature/algorithms.ts";
import { carriable } from "../xml/characters.ts";
import { type Content, element, type Fragment } from "../xml/write.ts";
import type { AttributeConsumingService, Endpoint, IdpRole, IndexedEndpoint, Role, SpRole } from "./types.ts";

interface NewEntity {
  readonly id: string;
  readonly entityId: string;
  readonly validUntil?: number | null;
  /** Seconds. */
  readonly cacheDurationSeconds?: number | null;
  readonly organization?: { readonly name: string; readonly displayName: string; readonly url: string } | null;
  readonly technicalContact?: string | null;
}

type NewIdpMetadata = NewEntity & { readonly idp: IdpRole };
export type NewSpMetadata = NewEntity & { readonly sp: SpRole };

/** SAML metadata §2.4.3. */
export const idpMetadata = ({ idp, ...entity }: NewIdpMetadata): Fragment =>
  entityElement(
    entity,
    element(
      "md:IDPSSODescriptor",
      { protocolSupportEnumeration: NS.samlp, WantAuthnRequestsSigned: idp.wantAuthnRequestsSigned },
      ...commonOf(idp),
      ...idp.singleSignOnServices.map((service) => endpointElement("SingleSignOnService", service)),
    ),
  );

/** SAML metadata §2.4.4. */
export const spMetadata = ({ sp, ...entity }: NewSpMetadata): Fragment =>
  entityElement(
    entity,
    element(
      "md:SPSSODescriptor",
      {
        protocolSupportEnumeration: NS.samlp,
        AuthnRequestsSigned: sp.authnRequestsSigned,
        WantAssertionsSigned: sp.wantAssertionsSigned,
      },
      ...commonOf(sp),
      ...sp.assertionConsumerServices.map((service) => indexedElement("AssertionConsumerService", service)),
      ...sp.attributeConsumingServices.map(attributeConsumingServiceElement),
    ),
  );

const entityElement = (entity: NewEntity, role: Fragment): Fragment =>
  element(
    "md:EntityDescriptor",
    {
      ID: entity.id,
      entityID: entity.entityId,
      validUntil: entity.validUntil == null ? null : instant(entity.validUntil),
      cacheDuration: entity.cacheDurationSeconds == null ? null : `PT${entity.cacheDurationSeconds}S`,
    },
    algorithmSupport(),
    role,
    entity.organization &&
      element(
        "md:Organization",
        {},
        inEnglish("md:OrganizationName", entity.organization.name),
        inEnglish("md:OrganizationDisplayName", entity.organization.displayName),
        inEnglish("md:OrganizationURL", entity.organization.url),
      ),
    entity.technicalContact
      ? element("md:ContactPerson", { contactType: "technical" }, element("md:EmailAddress", {}, `mailto:${entity.technicalContact}`))
      : null,
  );

/** Lists the algorithms (metadata profile for algorithm support §2) from which peers choose for their signatures. */
const algorithmSupport = (): Fragment =>
  element(
    "md:Extensions",
    {},
    ...DIGEST_ALGORITHMS.map((algorithm) => element("alg:DigestMethod", { Algorithm: algorithm })),
    ...SIGNATURE_ALGORITHMS.map((algorithm) => element("alg:SigningMethod", { Algorithm: algorithm })),
  );

const inEnglish = (name: `${"md" | "mdui"}:${string}`, text: string): Fragment => element(name, { "xml:lang": "en" }, carriable(text));

/** Returns the common children of a role, in the order of the schema. */
const commonOf = (role: Role): Content[] => [
  role.displayName ? element("md:Extensions", {}, element("mdui:UIInfo", {}, inEnglish("mdui:DisplayName", role.displayName))) : null,
  ...role.signingCertificates.map((certificate) => keyDescriptor("signing", certificate, [], role.keyNames)),
  ...role.encryptionCertificates.map((certificate) => keyDescriptor("encryption", certificate, role.encryptionMethods, role.keyNames)),
  ...role.artifactResolutionServices.map((service) => indexedElement("ArtifactResolutionService", service)),
  ...role.singleLogoutServices.map((service) => endpointElement("SingleLogoutService", service)),
  ...role.nameIdFormats.map((format) => element("md:NameIDFormat", {}, format)),
];

const keyDescriptor = (
  use: "signing" | "encryption",
  certificate: string,
  methods: readonly string[],
  names: Role["keyNames"] = {},
): Fragment =>
  element(
    "md:KeyDescriptor",
    { use },
    element(
      "ds:KeyInfo",
      {},
      Object.hasOwn(names, certificate) && element("ds:KeyName", {}, names[certificate]),
      element("ds:X509Data", {}, element("ds:X509Certificate", {}, certificate)),
    ),
    ...methods.map((algorithm) => element("md:EncryptionMethod", { Algorithm: algorithm })),
  );

const endpointElement = (name: string, { binding, location, responseLocation }: Endpoint, more: Fragment["attributes"] = {}): Fragment =>
  element(`md:${name}`, { Binding: binding, Location: location, ResponseLocation: responseLocation, ...more });

const indexedElement = (name: string, endpoint: IndexedEndpoint): Fragment =>
  endpointElement(name, endpoint, { index: endpoint.index, isDefault: endpoint.isDefault });

const attributeConsumingServiceElement = ({ index, isDefault, serviceNames, requestedAttributes }: AttributeConsumingService): Fragment =>
  element(
    "md:AttributeConsumingService",
    { index, isDefault },
    ...serviceNames.map((name) => inEnglish("md:ServiceName", name)),
    ...requestedAttributes.map(({ name, nameFormat, friendlyName, isRequired }) =>
      element("md:RequestedAttribute", { Name: name, NameFormat: nameFormat, FriendlyName: friendlyName, isRequired }),
    ),
  );
