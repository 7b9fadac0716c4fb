import { type FieldError, invalidFields } from "../../kernel/errors.ts";
import { patternFault } from "../../kernel/pattern.ts";
import { isWebAddress } from "../../kernel/text.ts";
import { completeAttribute, type DeclaredAttribute, type Party, type UserProfile } from "./user-profile.schema.ts";

/** The attributes that people set themselves if the realm declares nothing. Only administrators set others, because applications may base decisions on them. */
export const standardAttributes = [
  "middleName",
  "nickname",
  "profile",
  "picture",
  "website",
  "gender",
  "birthdate",
  "zoneinfo",
  "phoneNumber",
  "formattedAddress",
  "streetAddress",
  "locality",
  "region",
  "postalCode",
  "country",
] as const;

/** The standard attributes that are addresses (OpenID Connect Core §5.1). Applications make links and pictures of them. */
export const addressAttributes: readonly string[] = ["profile", "picture", "website"];

/**
 * Returns the values of an attribute that applications may get. Administrators, imports, directories and providers may store any text as an address, even a
 * script (`javascript:`).
 */
export const valuesForApplications = (name: string, values: readonly string[]): readonly string[] =>
  addressAttributes.includes(name) ? values.filter(isWebAddress) : values;

/** Members of an account that are not attributes. */
const MEMBERS: readonly string[] = ["userId", "username", "email", "emailVerified", "enabled", "locked", "roles", "groups"];
/** Facts that the server or another system vouches for, so their owner cannot set them. */
const VOUCHED: readonly string[] = ["phoneNumberVerified", "externalId", "legacySubject"];
export const isDeclarable = (name: string): boolean => !MEMBERS.includes(name);
export const isVouched = (name: string): boolean => VOUCHED.includes(name);
/** Attributes that have a single text value wherever they are used. */
const SINGLE: readonly string[] = ["firstName", "lastName", "locale", "phoneNumber"];
/** The types whose values are compared as text. They may have a pattern and a length. */
const TEXTS: readonly string[] = ["string", "email", "url"];

const declared = new WeakMap<UserProfile, ReadonlyMap<string, DeclaredAttribute>>();

/** Returns the declared attributes by name, in the order of pages. */
export function attributesOf(profile: UserProfile): ReadonlyMap<string, DeclaredAttribute> {
  const known = declared.get(profile) ?? new Map(profile.attributes.map((given) => [given.name, completeAttribute(given)]));
  declared.set(profile, known);
  return known;
}

/** Returns the names of the declared attributes that people may edit. */
export const openAttributes = (profile: UserProfile): string[] =>
  [...attributesOf(profile).values()].filter(({ edit }) => edit.includes("user")).map(({ name }) => name);

/** Returns the text in the visitor's language, otherwise in the realm's, in English, or in any language. */
export const wordsIn = (texts: Readonly<Record<string, string>>, locale: string, realmLocale: string): string | undefined =>
  texts[locale] ?? texts[locale.split("-", 1)[0]!] ?? texts[realmLocale] ?? texts.en ?? Object.values(texts)[0];

/** Checks rules of the profile beyond the schema. */
export function checkUserProfile(profile: UserProfile): void {
  const groups = profile.groups.map(({ name }) => name);
  const errors = [
    ...repeated(groups).map((at) => fault(`groups.${at}.name`, "repeated", "is the name of another group, too")),
    ...repeated(profile.attributes.map(({ name }) => name)).map((at) =>
      fault(`attributes.${at}.name`, "repeated", "is declared twice: an attribute has one declaration"),
    ),
    ...profile.attributes.flatMap((given, at) => attributeFaults(completeAttribute(given), `attributes.${at}.`, groups)),
  ];
  if (errors.length > 0) throw invalidFields(errors);
}

const fault = (field: string, code: string, message: string): FieldError => ({
  ...{ field: `userProfile.${field}`, code, message: `userProfile.${field} ${message}` },
});

const repeated = (names: readonly string[]): number[] => names.flatMap((name, at) => (names.indexOf(name) < at ? [at] : []));

function attributeFaults(attribute: DeclaredAttribute, at: string, groups: readonly string[]): FieldError[] {
  const { name, type, options, multivalued, required, view, edit, pattern, minLength, maxLength, group } = attribute;
  const errors: FieldError[] = [];
  const refuse = (isWrong: boolean, member: string, code: string, message: string) => {
    if (isWrong) errors.push(fault(`${at}${member}`, code, message));
  };
  refuse(!isDeclarable(name), "name", "reserved", `is a member of every account, and no attribute: ${name}`);
  refuse(isVouched(name) && edit.includes("user"), "edit", "reserved", `may not have user: others rely on ${name}`);
  refuse(SINGLE.includes(name) && multivalued, "multivalued", "reserved", `must be false for ${name}`);
  refuse(SINGLE.includes(name) && !["string", "choice"].includes(type), "type", "reserved", `must be string or choice for ${name}`);
  refuse(!view.includes("admin"), "view", "required", "must have admin: administrators see every attribute");
  for (const party of ["user", "admin"] satisfies Party[]) {
    refuse(edit.includes(party) && !view.includes(party), "edit", "not_viewed", `may have ${party} only where view has it`);
    refuse(required.includes(party) && !edit.includes(party), "required", "not_editable", `may have ${party} only where edit has it`);
  }
  const values = options.map(({ value }) => value);
  refuse(type === "choice" && values.length === 0, "options", "required", "must have a value for a choice");
  refuse(type !== "choice" && values.length > 0, "options", "unexpected", "is for the type choice");
  for (const index of repeated(values)) refuse(true, `options.${index}.value`, "repeated", "is the value of another option, too");
  refuse(pattern !== null && !TEXTS.includes(type), "pattern", "unexpected", `is for ${TEXTS.join(", ")}`);
  const why = pattern === null ? null : patternFault(pattern);
  refuse(why !== null, "pattern", "pattern", String(why));
  for (const member of ["minLength", "maxLength"] as const)
    refuse(attribute[member] !== null && !TEXTS.includes(type), member, "unexpected", `is for ${TEXTS.join(", ")}`);
  refuse(minLength !== null && maxLength !== null && minLength > maxLength, "minLength", "range", "may not exceed maxLength");
  refuse(group !== null && !groups.includes(group), "group", "unknown", `is none of the groups: ${group}`);
  return errors;
}
