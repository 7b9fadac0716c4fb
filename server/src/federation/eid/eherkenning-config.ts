import Type from "typebox";
import { lineText, oneOf } from "../../platform/http/index.ts";
import { fault, flag } from "../providers/members.ts";
import type { Config, FieldFault, OpenProvider } from "../providers/provider.ts";
import { privateKeyOf, SAML_SECRETS } from "../saml/members.ts";
import { attributeName, attributeNames, type Scheme } from "./config.ts";

const CLASS = "urn:etoegang:core:assurance-class:";

/** eHerkenning's levels of assurance, the lowest first. `loa1` has been withdrawn. */
export const EHERKENNING_LEVELS = ["loa1", "loa2", "loa2plus", "loa3", "loa4"].map((level) => `${CLASS}${level}`);

export const EHERKENNING = {
  legalSubject: "urn:etoegang:core:LegalSubjectID",
  actingSubject: "urn:etoegang:core:ActingSubjectID",
  serviceId: "urn:etoegang:core:ServiceID",
  serviceUuid: "urn:etoegang:core:ServiceUUID",
  representation: "urn:etoegang:core:Representation",
} as const;

const members = {
  minimumLoa: Type.Optional(
    oneOf(EHERKENNING_LEVELS.slice(1), { description: `The lowest level of assurance that is accepted. Default ${CLASS}loa3` }),
  ),
  subjectAttribute: Type.Optional(
    attributeName(
      `the attribute that identifies the account. Default ${EHERKENNING.legalSubject}, which is the company; ${EHERKENNING.actingSubject} is a person of the company`,
    ),
  ),
  subjectQualifier: Type.Optional(
    attributeName(
      "the type of the identifier that is used if there are several, such as urn:etoegang:1.9:EntityConcernedID:KvKnr. Default KvKnr, then RSIN",
    ),
  ),
  representationAttributes: Type.Optional(
    attributeNames("The attributes of a mandate that are accepted if representation is on. A response with any other is refused"),
  ),
  serviceId: Type.Optional(
    Type.String({
      pattern: "^urn:etoegang:DV:[0-9A-Za-z]{1,40}:services:[0-9]{1,10}$",
      description: "the service as urn:etoegang:DV:<OIN>:services:<index>. A response has to name it",
    }),
  ),
  serviceUuid: Type.Optional(
    Type.String({
      pattern: "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
      description: "the UUID of the service in the service catalogue. A response has to name it",
    }),
  ),
  requestLoa: flag("True: the request names minimumLoa. Default true. Some brokers accept it in the service catalogue only"),
  spSigningKeyName: Type.Optional(lineText("the KeyName of spSigningCertificate. Default its SHA-256 fingerprint in hexadecimal")),
  spDecryptionKeyName: Type.Optional(lineText("the KeyName of the decryption certificate. Default its SHA-256 fingerprint in hexadecimal")),
};

/** The Dutch scheme for companies. This realm is the service provider (DV), and the provider is a broker (HM). */
export const eherkenningScheme = {
  members,
  defaults: {
    ...{ minimumLoa: `${CLASS}loa3`, subjectAttribute: EHERKENNING.legalSubject, responseBinding: "artifact", requestLoa: true },
    ...{ representationAttributes: [], multiFactorAcr: EHERKENNING_LEVELS.slice(2) },
    ...{ firstNameAttribute: "urn:etoegang:1.9:attribute:FirstName", lastNameAttribute: "urn:etoegang:1.9:attribute:FamilyName" },
  },
  subjectMembers: ["subjectQualifier"],
  faults: (config, secrets) => [...mandateFaults(config), ...keyFaults(secrets)],
} satisfies Omit<Scheme, "profile">;

/** Returns faults of keys that are not RSA: the scheme has no others. An unreadable key is a separate fault. */
const keyFaults = (secrets: OpenProvider["secrets"]): FieldFault[] =>
  SAML_SECRETS.filter((member) => secrets[member] !== undefined && privateKeyOf(secrets[member])?.asymmetricKeyType === "ec").map(
    (member) => fault(member, "must be an RSA key, as eHerkenning requires"),
  );

/** Requires a list of the mandate's attributes where mandates are allowed; otherwise unknown attributes would be ignored. */
function mandateFaults({ representation, representationAttributes }: Config): FieldFault[] {
  if (representation !== true || (representationAttributes as string[]).length > 0) return [];
  return [fault("representationAttributes", "is required if config.representation is true: list the attributes of a mandate")];
}
