import { createHash } from "node:crypto";
import type { LdapEntry } from "../../platform/ldap/index.ts";
import type { MapperState } from "../providers/mappers.schema.ts";
import { claimsOfTemplate } from "../providers/mapping.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import { GROUPS_CLAIM } from "./mapper.ts";
import { type EntryFault, isFault, type Person, readPerson } from "./person.ts";

const claimsOf = (mappers: readonly MapperState[]): string[] => [
  ...new Set(mappers.flatMap(({ claim, template }) => [...(claim === undefined ? [] : [claim]), ...claimsOfTemplate(template ?? "")])),
];

/** Returns the attributes that mappers read. */
export const mapperAttributes = (mappers: readonly MapperState[]): string[] => claimsOf(mappers).filter((claim) => claim !== GROUPS_CLAIM);

/** Returns the groups of the directory that mappers name. */
export const groupsNamedBy = (mappers: readonly MapperState[]): string[] => [
  ...new Set(mappers.flatMap(({ claim, value }) => (claim === GROUPS_CLAIM && value !== undefined ? [value] : []))),
];

const MAX_VALUES = 1_000;

/** Returns the values that are text. Pictures and certificates, for example, are not. */
function textsOf(entry: LdapEntry, attribute: string): string | string[] | undefined {
  const texts = entry.texts(attribute).slice(0, MAX_VALUES);
  const readable = texts.filter((text) => !text.includes("\ufffd") && text.isWellFormed());
  return readable.length <= 1 ? readable[0] : readable;
}

/** Returns the person that an entry describes, with the claims for mappers. `groups` are the person's groups, among those that mappers name. */
export function describePerson(
  { provider }: { readonly provider: Pick<ProviderSnapshot, "config" | "mappers"> },
  entry: LdapEntry,
  groups: readonly string[],
): Person | EntryFault {
  const person = readPerson(provider.config, entry);
  if (isFault(person) || provider.mappers.length === 0) return person;
  const claims = Object.fromEntries(mapperAttributes(provider.mappers).map((name) => [name, textsOf(entry, name)]));
  const all = { ...claims, [GROUPS_CLAIM]: groups };
  // The fingerprint includes the mappers: with other mappers the result differs, even if the entry is the same.
  const fingerprint = createHash("sha256")
    .update(JSON.stringify([person.fingerprint, provider.mappers, all]))
    .digest("base64url");
  return { ...person, claims: all, fingerprint };
}

/** Returns the groups of a person, which a run compares with the stored ones. */
export const groupsOfClaims = ({ claims }: Pick<Person, "claims">): readonly string[] => (claims[GROUPS_CLAIM] ?? []) as readonly string[];
