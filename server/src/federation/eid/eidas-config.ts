import Type from "typebox";
import { oneOf } from "../../platform/http/index.ts";
import { fault, flag } from "../providers/members.ts";
import { attributeName, type Scheme } from "./config.ts";

/** eIDAS levels of assurance, the lowest first. */
export const EIDAS_LEVELS = ["low", "substantial", "high"] as const;

export const EIDAS_LOA = "http://eidas.europa.eu/LoA/";
const ATTRIBUTES = "http://eidas.europa.eu/attributes/";

/** The mandatory attributes of the minimum data sets (Implementing Regulation 2015/1501, annex). The identifier comes first. */
export const EIDAS_PERSON = {
  natural: ["PersonIdentifier", "CurrentFamilyName", "CurrentGivenName", "DateOfBirth"].map((name) => `${ATTRIBUTES}naturalperson/${name}`),
  legal: ["LegalPersonIdentifier", "LegalName"].map((name) => `${ATTRIBUTES}legalperson/${name}`),
} as const;

const IDENTIFIERS = [EIDAS_PERSON.natural[0]!, EIDAS_PERSON.legal[0]!];
const shortOf = (name: string) => name.slice(name.lastIndexOf("/") + 1);

/** Returns the identifier that `subjectAttribute` names, by its URI or by the last part of it. */
export const eidasIdentifier = (subjectAttribute: unknown): string | null =>
  IDENTIFIERS.find((name) => name === subjectAttribute || shortOf(name) === subjectAttribute) ?? null;

const members = {
  minimumLoa: Type.Optional(oneOf(EIDAS_LEVELS, { description: "The lowest level of assurance that is accepted. Default substantial" })),
  subjectAttribute: Type.Optional(
    attributeName("the identifier of the account: PersonIdentifier (the default) or LegalPersonIdentifier, by name or by URI"),
  ),
  allowNonNotified: flag("True: schemes that their country has not notified are accepted. Default false"),
  spType: Type.Optional(oneOf(["public", "private"], { description: "The sector of the service provider. Default public" })),
};

/** A node of the eIDAS network. This realm is the service provider, and the provider is the connector of its country. */
export const eidasScheme = {
  members,
  defaults: {
    ...{ minimumLoa: "substantial", subjectAttribute: IDENTIFIERS[0], allowNonNotified: false, spType: "public", responseBinding: "post" },
    ...{ firstNameAttribute: EIDAS_PERSON.natural[2], lastNameAttribute: EIDAS_PERSON.natural[1] },
    multiFactorAcr: EIDAS_LEVELS.slice(1).map((level) => `${EIDAS_LOA}${level}`),
  },
  subjectMembers: [],
  faults: ({ subjectAttribute }) =>
    eidasIdentifier(subjectAttribute) === null ? [fault("subjectAttribute", "must be PersonIdentifier or LegalPersonIdentifier")] : [],
} satisfies Omit<Scheme, "profile">;
