import { ATTRIBUTE_NAME_FORMAT, isXmlText, type NewAttribute } from "../../platform/saml/index.ts";
import { type ClaimSubject, needsOf, releasing, type SubjectNeeds, type SubjectSession } from "../claims/index.ts";
import type { SamlClientSnapshot, SamlMapper } from "./snapshot.ts";

const byDefault = (samlName: string, source: "property" | "attribute"): SamlMapper => ({
  claimId: samlName,
  name: samlName,
  claim: samlName,
  source,
  value: samlName,
  type: "string",
  multivalued: false,
  targets: [],
  samlName,
  samlNameFormat: ATTRIBUTE_NAME_FORMAT.basic,
});

/** The attributes for a service provider without mappers. */
const defaultMappers: readonly SamlMapper[] = [
  byDefault("username", "property"),
  byDefault("email", "property"),
  byDefault("firstName", "attribute"),
  byDefault("lastName", "attribute"),
];

type Mapped = Pick<SamlClientSnapshot, "mappers"> & { readonly options: Pick<SamlClientSnapshot["options"], "includeAttributes"> };

const mappersOf = ({ options, mappers }: Mapped): readonly SamlMapper[] =>
  options.includeAttributes ? (mappers.length > 0 ? mappers : defaultMappers) : [];

/** Returns the data that `subjectData` has to read for the attributes of an assertion. */
export const needsOfSamlClient = (client: Mapped): SubjectNeeds => needsOf(mappersOf(client));

/**
 * Returns the attributes of an assertion. Mappers that write the same attribute are combined. An attribute without values is not sent,
 * because many service providers read an empty one as an empty text.
 */
export function attributesOf(client: Mapped, subject: ClaimSubject, session: SubjectSession | null = null): NewAttribute[] {
  const attributes = new Map<string, NewAttribute>();
  const release = releasing(subject, { clientId: null, session });
  for (const mapper of mappersOf(client)) {
    const { samlName: name, samlNameFormat: nameFormat } = mapper;
    const friendlyName = mapper.samlFriendlyName ?? attributes.get(`${nameFormat} ${name}`)?.friendlyName ?? null;
    const key = `${nameFormat} ${name}`;
    const values = new Set([...(attributes.get(key)?.values ?? []), ...textsOf(release(mapper))]);
    if (values.size > 0) attributes.set(key, { name, nameFormat, friendlyName, values: [...values] });
  }
  return [...attributes.values()];
}

/** Converts a value to texts. A text that XML does not allow is left out. */
function textsOf(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const values = Array.isArray(value) ? value : [value];
  return values.map((one) => (typeof one === "object" ? JSON.stringify(one) : String(one))).filter(isXmlText);
}
