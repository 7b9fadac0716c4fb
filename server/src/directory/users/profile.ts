import { isDeepStrictEqual } from "node:util";
import { type FieldError, invalidFields } from "../../kernel/errors.ts";
import { listed } from "../../kernel/lists.ts";
import { compilePattern, MAX_SUBJECT, newEffort, type Pattern, type PatternEffort } from "../../kernel/pattern.ts";
import { isMailAddress, isWebAddress } from "../../kernel/text.ts";
import { addressAttributes, attributesOf, type DeclaredAttribute, type Party, type UserProfile } from "../../tenancy/settings/index.ts";
import type { User } from "./schema.ts";

type Attributes = Readonly<Record<string, User["attributes"][string] | null | undefined>>;

/** The writer of a profile. A source (SCIM, a directory, a provider, an import) must obey types only: it may lack required attributes. */
export type ProfileWriter = Party | "source";

export interface ProfileChange {
  readonly by: ProfileWriter;
  /** Null for a new account. */
  readonly current: Attributes | null;
  readonly next: Attributes;
  /** Returns the request's name for an attribute. */
  readonly fieldOf?: (attribute: string) => string;
  /** Attributes that the request names, so that a required one may not be empty there. */
  readonly named?: ReadonlySet<string>;
}

/** Refuses a change that the realm's user profile does not allow. */
export function checkProfile(profile: UserProfile, change: ProfileChange): void {
  const errors = profileFaults(profile, change);
  if (errors.length > 0) throw invalidFields(errors);
}

/** Checks only what changes: values that were stored before their attribute was declared stay. */
export function profileFaults(profile: UserProfile, { by, current, next, fieldOf = inAttributes, named }: ProfileChange): FieldError[] {
  const errors: FieldError[] = [];
  const declared = attributesOf(profile);
  const effort = newEffort();
  for (const attribute of declared.values()) {
    const { name, required, edit } = attribute;
    const field = fieldOf(name);
    const [before, after] = [valuesOf(current?.[name]), valuesOf(next[name])];
    const isNeeded = by !== "source" && required.includes(by) && (current === null || before.length > 0 || named?.has(name) === true);
    if (after.length === 0 && isNeeded) errors.push({ field, code: "required", message: `${field} is required` });
    if (isDeepStrictEqual(before, after)) continue;
    if (by !== "source" && !edit.includes(by))
      errors.push({
        field,
        code: "read_only",
        message: `${field} cannot be changed here: the user profile of this realm says who may change it`,
      });
    else {
      const why = valueFault(attribute, after, effort);
      if (why) errors.push({ field, code: why[0], message: `${field} ${why[1]}` });
    }
  }
  // A user could give a script to applications, which expect an address.
  for (const name of by === "user" ? addressAttributes : []) {
    const after = valuesOf(next[name]);
    if (declared.has(name) || isDeepStrictEqual(valuesOf(current?.[name]), after) || after.every(isWebAddress)) continue;
    errors.push({ field: fieldOf(name), code: "url", message: `${fieldOf(name)} ${KINDS.url[1]}` });
  }
  return errors;
}

/** Returns the attributes that a source asserts, without values that do not fit their declaration, so that a sign-in or sync does not fail. */
export function fittingAttributes<T extends Attributes>(profile: UserProfile, asserted: T): T {
  const declared = attributesOf(profile);
  const effort = newEffort();
  const isFit = ([name, value]: [string, Attributes[string]]) => {
    const attribute = declared.get(name);
    return !attribute || valueFault(attribute, valuesOf(value), effort) === null;
  };
  return Object.fromEntries(Object.entries(asserted).filter(isFit)) as T;
}

/** Removes the mark of a verified phone number if the number changes: the new one is not proven to be the user's. */
export function withPhoneProof(current: User["attributes"], next: User["attributes"]): User["attributes"] {
  if (isDeepStrictEqual(valuesOf(current.phoneNumber), valuesOf(next.phoneNumber))) return next;
  const { phoneNumberVerified: _, ...rest } = next;
  return rest;
}

/** Returns the attributes after a source has asserted some; null or undefined removes one. A source may vouch for the phone number that it asserts. */
export function withAsserted(current: User["attributes"], asserted: Attributes): User["attributes"] {
  const merged = { ...current };
  for (const [name, value] of Object.entries(asserted)) {
    if (value === null || value === undefined) delete merged[name];
    else merged[name] = value;
  }
  return Object.hasOwn(asserted, "phoneNumberVerified") ? merged : withPhoneProof(current, merged);
}

const inAttributes = (name: string): string => `attributes.${name}`;

/** The values of an attribute; an empty text counts as none. */
export const valuesOf = (value: Attributes[string]): readonly string[] => [value ?? []].flat().filter((each) => each !== "");

/** Returns a message that follows the name of the attribute, or null if the values fit. */
export function valueFault(
  attribute: DeclaredAttribute,
  values: readonly string[],
  effort: PatternEffort,
): readonly [code: string, message: string] | null {
  if (values.length > 1 && !attribute.multivalued) return ["single", "has one value, not several"];
  for (const value of values) {
    const why = typeFault(attribute, value) ?? textFault(attribute, value, effort);
    if (why) return why;
  }
  return null;
}

const KINDS: Readonly<Record<DeclaredAttribute["type"], readonly [fits: (text: string) => boolean, words: string]>> = {
  string: [() => true, ""],
  choice: [() => true, ""],
  email: [isMailAddress, "must be a mail address, like ada@example.com"],
  number: [(text) => /^-?(0|[1-9]\d{0,14})(\.\d{1,15})?$/.test(text), "must be a number, like 42 or 1.5"],
  boolean: [(text) => text === "true" || text === "false", "must be true or false"],
  date: [isDate, "must be a date, like 2026-01-31"],
  url: [isWebAddress, "must be an http or https address"],
};

function typeFault({ type, options }: DeclaredAttribute, value: string): readonly [string, string] | null {
  if (type === "choice") {
    const values = options.map((option) => option.value);
    return values.includes(value) ? null : ["choice", `must be one of ${listed(values, 20)}`];
  }
  const [fits, words] = KINDS[type];
  return fits(value) ? null : [type, words];
}

const patterns = new WeakMap<DeclaredAttribute, Pattern>();

function textFault(attribute: DeclaredAttribute, value: string, effort: PatternEffort): readonly [string, string] | null {
  const { minLength, maxLength, pattern } = attribute;
  const characters = [...value].length;
  if (minLength !== null && characters < minLength) return ["too_short", `must have at least ${minLength} characters`];
  if (maxLength !== null && characters > maxLength) return ["too_long", `must have at most ${maxLength} characters`];
  if (pattern === null) return null;
  const matches = patterns.get(attribute) ?? compilePattern(pattern);
  patterns.set(attribute, matches);
  return value.length <= MAX_SUBJECT && matches(value, effort) ? null : ["pattern", "does not have the form that this realm asks for"];
}

function isDate(text: string): boolean {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  return date !== null && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
