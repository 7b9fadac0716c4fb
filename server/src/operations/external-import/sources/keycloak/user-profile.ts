import { isGranting } from "../../../../applications/attribute-uses/index.ts";
import { patternFault } from "../../../../kernel/pattern.ts";
import { isDeclarable, isVouched } from "../../../../tenancy/settings/index.ts";
import { defined, flagOf, listOf, numberOf, recordOf, recordsOf, textOf } from "../../reading.ts";
import type { KeycloakRealm } from "./export.ts";

export const USER_PROFILE = "org.keycloak.userprofile.UserProfileProvider";
const CONFIG = "kc.user.profile.config";

type Members = Readonly<Record<string, unknown>>;

/** Translates Keycloak's declarative user profile, which is JSON within a component. Username and email address are members of every account here. */
export function userProfileOf(realm: KeycloakRealm): Record<string, unknown> {
  const { value, report } = realm;
  const [component] = recordsOf(recordOf(value.components)[USER_PROFILE]);
  const stored = component ? listOf(recordOf(component.config)[CONFIG])[0] : value.userProfile;
  const profile = profileIn(stored);
  if (profile === null) {
    if (stored !== undefined) report.unmapped(`components.${USER_PROFILE}`, "Its configuration cannot be read", CONFIG);
    return {};
  }
  const locale = textOf(value.defaultLocale) ?? "en";
  const words = (text: unknown) => labelOf(value, textOf(text), locale);
  const named = (one: Members) => /^[A-Za-z0-9_.:-]{1,64}$/.test(textOf(one.name) ?? "");
  const groups = recordsOf(profile.groups)
    .filter(named)
    .map((group) => ({ name: String(group.name), ...words(group.displayHeader) }));
  const granting = grantingAttributes(value);
  const attributes = recordsOf(profile.attributes)
    .filter(({ name }) => isDeclarable(String(name)) && /^[A-Za-z0-9_.:-]{1,128}$/.test(String(name)))
    .filter(({ name }, at, all) => all.findIndex((other) => other.name === name) === at)
    .map((attribute) => attributeOf(realm, attribute, { words, groups: groups.map(({ name }) => name), granting }));
  return attributes.length === 0 ? {} : { attributes, ...(groups.length > 0 && { groups }) };
}

function profileIn(stored: unknown): Members | null {
  if (typeof stored !== "string") return typeof stored === "object" && stored !== null ? recordOf(stored) : null;
  try {
    const profile: unknown = JSON.parse(stored);
    return typeof profile === "object" && profile !== null ? recordOf(profile) : null;
  } catch {
    return null;
  }
}

/** Translates a label: a text, or `${key}` for one of the realm's own texts. */
function labelOf(value: Members, text: string | undefined, locale: string): { displayName?: Record<string, string> } {
  const key = /^\$\{([^}]+)\}$/.exec(text ?? "")?.[1];
  const texts =
    key === undefined
      ? text
        ? [[locale, text]]
        : []
      : Object.entries(recordOf(value.localizationTexts)).map(([language, own]) => [language, textOf(recordOf(own)[key])]);
  const usable = texts.flatMap(([language, words]) =>
    language && words && /^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$/.test(language)
      ? [[language, words.replace(/\p{Cc}+/gu, " ").slice(0, 255)]]
      : [],
  );
  return usable.length === 0 ? {} : { displayName: Object.fromEntries(usable) };
}

interface Context {
  readonly words: (text: unknown) => { displayName?: Record<string, string> };
  readonly groups: readonly string[];
  readonly granting: ReadonlySet<string>;
}

const DATES = ["local-date", "iso-date"];
const KNOWN = [
  "length",
  "email",
  "integer",
  "double",
  "options",
  "uri",
  "pattern",
  "multivalued",
  "up-username-not-idn-homograph",
  ...DATES,
];

function attributeOf({ report }: KeycloakRealm, attribute: Members, { words, groups, granting }: Context): Record<string, unknown> {
  const name = String(attribute.name);
  const rules = recordOf(attribute.validations);
  const has = (rule: string) => rules[rule] !== undefined;
  for (const rule of Object.keys(rules))
    if (!KNOWN.includes(rule) && rule !== "person-name-prohibited-characters")
      report.unmapped(`userProfile.attributes[].validations.${rule}`, "There is no such rule for attributes here", `userProfile.${name}`);
  const options = [
    ...new Set(listOf(recordOf(rules.options).options).filter((one): one is string => typeof one === "string" && one !== "")),
  ].slice(0, 250);
  const type =
    options.length > 0
      ? "choice"
      : has("email")
        ? "email"
        : has("integer") || has("double")
          ? "number"
          : has("uri")
            ? "url"
            : DATES.some(has)
              ? "date"
              : "string";
  const isText = ["string", "email", "url"].includes(type);
  const length = recordOf(rules.length);
  const limit = (given: unknown) => (isText && numberOf(given) !== undefined ? Math.min(Math.max(0, numberOf(given)!), 4096) : undefined);
  const [minLength, maxLength] = [limit(length.min), limit(length.max)];
  const pattern = isText ? textOf(recordOf(rules.pattern).pattern) : undefined;
  const isUsable = pattern !== undefined && pattern.length <= 255 && patternFault(pattern) === null;
  if (pattern !== undefined && !isUsable)
    report.unmapped(
      "userProfile.attributes[].validations.pattern",
      "Patterns here have no lookaround and no references",
      `userProfile.${name}`,
    );
  const parties = (given: unknown) => ["user", "admin"].filter((party) => listOf(given).includes(party));
  const permissions = recordOf(attribute.permissions);
  const wanted = parties(permissions.edit);
  const edit = granting.has(name) || isVouched(name) ? wanted.filter((party) => party !== "user") : wanted;
  if (edit.length < wanted.length)
    report.choice(
      `People may edit the attribute ${name} there, and a mapper makes roles or groups of it. Here they may not: see docs/user-profile.md`,
    );
  if (!parties(permissions.view).includes("admin"))
    report.choice(`Administrators do not see the attribute ${name} there; here they see every attribute`);
  const isRequired = attribute.required !== undefined && attribute.required !== null;
  const roles = recordOf(attribute.required).roles;
  const required = isRequired ? (roles === undefined ? ["user", "admin"] : parties(roles)) : [];
  return {
    ...{ name, type, ...words(attribute.displayName) },
    ...defined({ minLength, maxLength, pattern: isUsable ? pattern : undefined }),
    ...(options.length > 0 && { options: options.map((value) => ({ value: value.slice(0, 255) })) }),
    multivalued: ["firstName", "lastName", "locale", "phoneNumber"].includes(name) ? false : (flagOf(attribute.multivalued) ?? false),
    view: [...new Set([...parties(permissions.view), ...edit, "admin"])],
    edit,
    required: required.filter((party) => edit.includes(party)),
    // At registration, Keycloak asks for every attribute that people may edit.
    registration: edit.includes("user"),
    ...(groups.includes(String(attribute.group)) && { group: String(attribute.group) }),
  };
}

/** Returns the attributes from which a protocol mapper, anywhere in the realm, makes roles, groups or a NameID. */
function grantingAttributes(value: unknown, found = new Set<string>(), depth = 0): Set<string> {
  if (typeof value !== "object" || value === null || depth > 12) return found;
  const config = recordOf((value as Members).config);
  const attribute = textOf(config["user.attribute"]) ?? textOf(config["mapper.nameid.attribute"]);
  const target = textOf(config["claim.name"]) ?? textOf(config["attribute.name"]) ?? "";
  if (attribute !== undefined && (isGranting(target) || /nameid|sub-mapper/i.test(String((value as Members).protocolMapper))))
    found.add(attribute);
  for (const member of Object.values(value)) grantingAttributes(member, found, depth + 1);
  return found;
}
