import Type from "typebox";
import { oneOf } from "../../platform/http/index.ts";
import { fault, flag } from "../providers/members.ts";
import { attributeName, type Scheme } from "./config.ts";

/** eIDAS levels of assurance, the lowest first. */
export const EIDAS_LEVELS = ["low", "substantial", "high"] as const;

export const EIDAS_LOA = "http://eidas.europa.eu/LoA/";
const ATTRIBUTES = "http://eidas.europa.eu/attributes/";

/** The minimum data sets (Implementing Regulation 2015/1501, annex), without what is optional; the identifier first. */
export const EIDAS_PERSON = {
  natural: ["PersonIdentifier", "CurrentFamilyName", "CurrentGivenName", "DateOfBirth"].map((name) => `${ATTRIBUTES}naturalperson/${name}`),
  legal: ["LegalPersonIdentifier", "LegalName"].map((name) => `${ATTRIBUTES}legalperson/${name}`),
} as const;

const IDENTIFIERS = [EIDAS_PERSON.natural[0]!, EIDAS_PERSON.legal[0]!];
const shortOf = (name: string) => name.slice(name.lastIndexOf("/") + 1);

/** The identifier that `subjectAttribute` means, by its URI or its last part. */
export const eidasIdentifier = (subjectAttribute: unknown): string | null =>
  IDENTIFIERS.find((name) => name === subjectAttribute || shortOf(name) === subjectAttribute) ?? null;

const members = {
  minimumLoa: Type.Optional(oneOf(EIDAS_LEVELS, { description: "The lowest level of assurance that is accepted. Default substantial" })),
  subjectAttribute: Type.Optional(
    attributeName("the identifier that is the account: PersonIdentifier (the default) or LegalPersonIdentifier, by name or by URI"),
  ),
  allowNonNotified: flag("True: schemes that their country has not notified count. Default false"),
  spType: Type.Optional(oneOf(["public", "private"], { description: "The sector of the service provider. Default public" })),
};

/** A node of the eIDAS network: this realm is the service provider, the provider the connector of its country. */
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
