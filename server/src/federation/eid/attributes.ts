import { nameOf } from "../../kernel/text.ts";
import type { Assertion, AttributeValue, AuthnStatement, NameId } from "../../platform/saml/index.ts";
import { addressOf } from "../brokers/storable.ts";
import { UpstreamError } from "../oidc/metadata.ts";
import type { Config } from "../providers/provider.ts";

/** The attributes of a response, by name. One attribute may come in several elements. */
export type Attributes = ReadonlyMap<string, readonly AttributeValue[]>;

export function attributesOf({ attributes }: Assertion): Attributes {
  const found = new Map<string, AttributeValue[]>();
  for (const { name, values } of attributes) found.set(name, [...(found.get(name) ?? []), ...values]);
  return found;
}

const isNameId = (value: AttributeValue): value is NameId => typeof value === "object" && value !== null;

const MAX_LENGTH = 512;

/** Returns a value that can be stored and shown, or null if the text is none. */
const clean = (text: string): string | null => {
  const value = text.trim();
  return value !== "" && value.length <= MAX_LENGTH && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value) ? value : null;
};

/** Returns the texts of an attribute, including those of NameIDs. */
export const textsOf = (attributes: Attributes, name: string): string[] =>
  (attributes.get(name) ?? []).flatMap((value) => (value === null ? [] : (clean(isNameId(value) ? value.value : value) ?? [])));

/** Returns the values that are identifiers, each with its type. The type of a text is the name of its attribute. */
export const identifiersOf = (attributes: Attributes, name: string): { readonly qualifier: string; readonly value: string }[] =>
  (attributes.get(name) ?? []).flatMap((each) => {
    if (each === null) return [];
    const value = clean(isNameId(each) ? each.value : each);
    const qualifier = isNameId(each) ? each.nameQualifier : name;
    return value !== null && qualifier !== null && /^[^\s\p{C}]{1,255}$/u.test(qualifier) ? { qualifier, value } : [];
  });

export const hasNameIds = (attributes: Attributes, name: string): boolean => (attributes.get(name) ?? []).some(isNameId);

/** Returns the claims for mappers: attributes by name, and identifiers also by their type. */
export function claimsOf(attributes: Attributes): Record<string, string | string[]> {
  const claims = new Map<string, string[]>();
  const add = (name: string, values: readonly string[]) => claims.set(name, [...(claims.get(name) ?? []), ...values]);
  for (const name of attributes.keys()) {
    add(name, textsOf(attributes, name));
    for (const { qualifier, value } of identifiersOf(attributes, name))
      if (qualifier !== name && !attributes.has(qualifier)) add(qualifier, [value]);
  }
  return Object.fromEntries([...claims].map(([name, values]) => [name, values.length === 1 ? values[0]! : values]));
}

/** Returns names and address, from the attributes that the configuration names. */
export function personOf(attributes: Attributes, config: Config) {
  const of = (member: string): string | null => preferred(textsOf(attributes, String(config[member])));
  const email = addressOf(of("emailAttribute"));
  // SAML cannot report a verified address, so `trustEmail` decides.
  return { email, emailVerified: email !== null, firstName: nameOf(of("firstNameAttribute")), lastName: nameOf(of("lastNameAttribute")) };
}

/** eIDAS attribute profile §2.4: prefers the Latin transliteration that comes with a name in another script, because more readers can read it. */
const preferred = (values: readonly string[]): string | null =>
  values.find((value) => /\p{Script=Latin}/u.test(value)) ?? values[0] ?? null;

/** Returns the only statement of the assertion itself, with the level of assurance. Statements in Advice concern other parties and transactions. */
export function theOnlyStatement({ authnStatements }: Assertion): AuthnStatement {
  const [statement, ...more] = authnStatements;
  if (!statement || more.length > 0) throw new UpstreamError("authn_statement", "The assertion does not have exactly one AuthnStatement.");
  return statement;
}

/** Requires a level of at least `minimum`, by its rank in `levels`. Refuses a level that `levels` does not contain. */
export function requireLevel(level: string | null, minimum: string, levels: readonly string[]): string {
  const rank = level === null ? -1 : levels.indexOf(level);
  if (rank < 0) throw new UpstreamError("loa_unknown", "The answer names no level of assurance that is known.");
  if (rank < levels.indexOf(minimum)) throw new UpstreamError("loa_too_low", "The level of assurance is below the one that is required.");
  return level!;
}
