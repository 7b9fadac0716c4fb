import { profileFaults, valueFault } from "../../directory/users/index.ts";
import { newEffort } from "../../kernel/pattern.ts";
import { nameOf } from "../../kernel/text.ts";
import type { Messages, ShownAttribute } from "../../pages/index.ts";
import { attributesOf, type DeclaredAttribute, type Settings, type UserProfile, wordsIn } from "../../tenancy/settings/index.ts";

type Values = Readonly<Record<string, string | readonly string[] | null | undefined>>;

/** An attribute that a form asks for. */
export interface AskedAttribute extends DeclaredAttribute {
  /** The text for a name attribute that the realm did not declare. */
  readonly textKey?: "profileFirstName" | "profileLastName";
}

export interface ProfileFault {
  readonly name: string;
  readonly isMissing: boolean;
}

const NAMES = { firstName: "profileFirstName", lastName: "profileLastName" } as const;
const isName = (name: string): name is keyof typeof NAMES => Object.hasOwn(NAMES, name);
const ids: Readonly<Record<string, string>> = { firstName: "first-name", lastName: "last-name" };
const AUTOCOMPLETE: Readonly<Record<string, string>> = {
  ...{ firstName: "given-name", lastName: "family-name", middleName: "additional-name", nickname: "nickname", birthdate: "bday" },
  ...{ website: "url", phoneNumber: "tel", streetAddress: "street-address", locality: "address-level2", region: "address-level1" },
  ...{ postalCode: "postal-code", country: "country-name", organization: "organization", jobTitle: "organization-title" },
};

const undeclaredName = (name: keyof typeof NAMES, required: boolean): AskedAttribute => ({
  ...{ name, textKey: NAMES[name], type: "string", displayName: {}, hint: {}, options: [], multivalued: false, registration: true },
  ...{
    required: required ? ["user"] : [],
    view: ["user", "admin"],
    edit: ["user", "admin"],
    pattern: null,
    minLength: null,
    maxLength: 255,
    group: null,
  },
});

/** Returns the attributes in the order of pages: undeclared names first, then the declared ones by group. */
function inOrder(
  profile: UserProfile,
  names: readonly AskedAttribute[],
  isAsked: (attribute: DeclaredAttribute) => boolean,
): AskedAttribute[] {
  const declared = [...attributesOf(profile).values()].filter(isAsked);
  const groups = [null, ...profile.groups.map(({ name }) => name)];
  return [
    ...names.filter(({ name }) => !attributesOf(profile).has(name)),
    ...groups.flatMap((group) => declared.filter((each) => each.group === group)),
  ];
}

const named = (required: boolean) => [undeclaredName("firstName", required), undeclaredName("lastName", required)];

/** Returns the attributes that registration asks for. Names may be left empty, unless the profile requires them. */
export const askedAtRegistration = ({ userProfile }: Settings): AskedAttribute[] =>
  inOrder(
    userProfile,
    named(false),
    ({ edit, required, registration }) => edit.includes("user") && (required.includes("user") || registration),
  );

/** Returns the attributes that people see in their own profile, except the language and the phone number, which are shown elsewhere. */
export const shownInProfile = ({ userProfile }: Settings, { requiresNames }: { readonly requiresNames: boolean }): AskedAttribute[] =>
  inOrder(userProfile, named(requiresNames), ({ name, view }) => view.includes("user") && !["locale", "phoneNumber"].includes(name));

/** Tells whether the form has the attribute. Browsers do not send a checkbox that is not ticked. */
export const isIn = (form: Readonly<Record<string, unknown>>, attribute: AskedAttribute): boolean =>
  attribute.type === "boolean" || attribute.multivalued || form[inputOf(attribute)] !== undefined;

const inputOf = ({ name }: AskedAttribute): string => (isName(name) ? name : `attribute.${name}`);

/** Returns the typed values by attribute. An attribute that was left empty is null. */
export function typedIn(
  asked: readonly AskedAttribute[],
  form: Readonly<Record<string, unknown>>,
): Record<string, string | string[] | null> {
  const valueAt = (input: string): string => (typeof form[input] === "string" ? form[input].trim().slice(0, 4096).toWellFormed() : "");
  const valuesAt = (input: string): string[] =>
    Object.keys(form)
      .filter((key) => key.startsWith(`${input}.`) && /^\d{1,3}$/.test(key.slice(input.length + 1)))
      .map(valueAt)
      .filter((value) => value !== "");
  return Object.fromEntries(
    asked.map((attribute) => {
      const input = inputOf(attribute);
      if (attribute.type === "boolean" && !attribute.multivalued) return [attribute.name, valueAt(input) === "true" ? "true" : "false"];
      if (attribute.multivalued) {
        const values = [...new Set(valuesAt(input))].slice(0, 100);
        return [attribute.name, values.length === 0 ? null : values];
      }
      const value = valueAt(input);
      return [attribute.name, value === "" ? null : isName(attribute.name) ? (nameOf(value) ?? value) : value];
    }),
  );
}

/** Finds the first attribute that is missing, or whose new value does not fit. */
export function faultIn(profile: UserProfile, asked: readonly AskedAttribute[], typed: Values, current: Values = {}): ProfileFault | null {
  const next = typed as Parameters<typeof profileFaults>[1]["next"];
  const faults = profileFaults(profile, {
    by: "user",
    current: current as typeof next,
    next: { ...current, ...next } as typeof next,
    fieldOf: (name) => name,
  });
  const effort = newEffort();
  for (const attribute of asked) {
    const { name, required, edit } = attribute;
    const values = [typed[name] ?? []].flat();
    if (!edit.includes("user")) continue;
    if (values.length === 0 && required.includes("user")) return { name, isMissing: true };
    const isBadName = isName(name) && values.some((value) => nameOf(value) === null);
    if (isBadName || faults.some(({ field }) => field === name) || (attribute.textKey && valueFault(attribute, values, effort)))
      return { name, isMissing: false };
  }
  return null;
}

interface ShownIn {
  readonly text: Messages;
  readonly locale: string;
  readonly settings: Settings;
  readonly values: Values;
  readonly fault?: ProfileFault | null | undefined;
  readonly readOnly?: ReadonlySet<string>;
}

/** Returns the attribute as a page shows it. */
export function shownAttribute(attribute: AskedAttribute, { text, locale, settings, values, fault, readOnly }: ShownIn): ShownAttribute {
  const { name, textKey, type, options, multivalued, required, edit, maxLength } = attribute;
  const words = (texts: Readonly<Record<string, string>>) => wordsIn(texts, locale, settings.defaultLocale);
  const label = words(attribute.displayName) ?? (textKey ? text[textKey] : isName(name) ? text[NAMES[name]] : name);
  const isFault = fault?.name === name;
  return {
    id: ids[name] ?? inputOf(attribute),
    name: inputOf(attribute),
    label,
    hint: words(attribute.hint),
    type,
    options: options.map(({ value, displayName = {} }) => ({ value, label: words(displayName) ?? value })),
    multivalued,
    required: required.includes("user"),
    readonly: !edit.includes("user") || (readOnly?.has(name) ?? false),
    values: [values[name] ?? []].flat().map(String),
    maxLength,
    autocomplete: AUTOCOMPLETE[name],
    ...(isFault && { error: fault.isMissing ? text.missingText.replace("{fields}", () => label) : text.profileInvalidTitle }),
  };
}
