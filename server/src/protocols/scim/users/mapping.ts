import { isDeepStrictEqual } from "node:util";
import { type CreateUser, withPhoneProof } from "../../../directory/users/index.ts";
import { isObject } from "../../../kernel/json.ts";
import { loginKey } from "../../../kernel/text.ts";
import type { Connection } from "../call.ts";
import { invalidValue } from "../errors.ts";
import type { Resource } from "../schema/attribute.ts";
import { ENTERPRISE, USER } from "../schema/resource-types.ts";
import { versionOf } from "../version.ts";

type Attributes = NonNullable<CreateUser["attributes"]>;

/** A user with the data that the SCIM server stores about them. */
export interface ScimUser {
  readonly userId: string;
  readonly username: string;
  readonly email: string | null;
  readonly enabled: boolean;
  readonly attributes: Attributes;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly version: number;
  /** The attributes that are stored only for SCIM, as the client sent them. */
  readonly profile: Resource;
  readonly externalId: string | null;
  readonly groups: readonly { readonly groupId: string; readonly name: string }[];
}

/** The path of a SCIM attribute, and the attribute of users that stores it. */
export interface Home {
  readonly path: readonly string[];
  readonly attribute: string;
}

/** The SCIM attributes that are attributes of users, where claims and the admin API read them. */
export const HOMES: readonly Home[] = [
  { path: ["name", "givenName"], attribute: "firstName" },
  { path: ["name", "familyName"], attribute: "lastName" },
  { path: ["name", "middleName"], attribute: "middleName" },
  { path: ["nickName"], attribute: "nickname" },
  { path: ["profileUrl"], attribute: "profile" },
  { path: ["timezone"], attribute: "zoneinfo" },
  ...["displayName", "title", "userType", "preferredLanguage", "locale"].map((name) => ({ path: [name], attribute: name })),
  ...["employeeNumber", "costCenter", "organization", "division", "department"].map((name) => ({
    path: [ENTERPRISE, name],
    attribute: name,
  })),
];

export const PHONE = "phoneNumber";
/** The longest value of a user's attribute. */
const MAX_VALUE = 4096;
const MAX_ATTRIBUTES = 100;
/** The largest size of the attributes that are stored only for SCIM. */
const MAX_PROFILE = 256 * 1024;

/** Returns the first value of a list, because an attribute of SCIM has one value. */
export const first = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === "string" ? value : value?.[0];

/** Returns the user as clients see them. */
export function resourceOf(user: ScimUser, { url }: Pick<Connection, "url">): Resource {
  const resource: Resource = structuredClone(user.profile);
  putHomes(resource, HOMES, user.attributes);
  resource.emails = withAccount(resource.emails, user.email, (one, other) => loginKey(one) === loginKey(other));
  resource.phoneNumbers = withAccount(resource.phoneNumbers, first(user.attributes[PHONE]) ?? null, (one, other) => one === other);
  const location = `${url}/Users/${user.userId}`;
  const groups = user.groups.map(({ groupId, name }) => ({
    value: groupId,
    $ref: `${url}/Groups/${groupId}`,
    display: name,
    type: "direct",
  }));
  const whole: Resource = {
    schemas: [USER, ...(resource[ENTERPRISE] === undefined ? [] : [ENTERPRISE])],
    id: user.userId,
    ...(user.externalId !== null && { externalId: user.externalId }),
    userName: user.username,
    active: user.enabled,
    ...resource,
    ...(groups.length > 0 && { groups }),
  };
  const meta = {
    resourceType: "User",
    created: new Date(user.createdAt).toISOString(),
    lastModified: new Date(user.changedAt).toISOString(),
    location,
  };
  for (const name of ["emails", "phoneNumbers"]) if ((whole[name] as unknown[]).length === 0) delete whole[name];
  return { ...whole, meta: { ...meta, version: versionOf(user.version, whole) } };
}

/** The fields of a user that are read from a resource. The password is separate. */
export interface UserFields {
  readonly username: string;
  readonly email: string | null;
  readonly enabled: boolean;
  readonly attributes: Attributes;
  readonly profile: Resource;
  readonly externalId: string | null;
}

const OWN: ReadonlySet<string> = new Set(["schemas", "id", "externalId", "userName", "active", "password", "groups", "meta"]);

/** Returns the fields of a user that `resource` describes. Attributes unknown to SCIM remain. */
export function fieldsOf(resource: Resource, current: Attributes): UserFields {
  const given: Attributes = { ...current };
  const profile: Resource = structuredClone(Object.fromEntries(Object.entries(resource).filter(([name]) => !OWN.has(name))));
  for (const { path, attribute } of HOMES) {
    keep(given, attribute, take(profile, path), path.filter((name) => name !== ENTERPRISE).join("."));
  }
  keep(given, PHONE, accountIn(resource.phoneNumbers), "phoneNumbers");
  const attributes = withPhoneProof(current, given);
  for (const name of ["emails", "phoneNumbers"]) if (isAccountAlone(profile[name])) delete profile[name];
  if (Object.keys(attributes).length > MAX_ATTRIBUTES) throw invalidValue("attributes", `a user has at most ${MAX_ATTRIBUTES} attributes`);
  if (JSON.stringify(profile).length > MAX_PROFILE) throw invalidValue("User", `is larger than ${MAX_PROFILE / 1024} KiB`);
  if (typeof resource.userName !== "string" || resource.userName === "") throw invalidValue("userName", "is required");
  return {
    username: resource.userName,
    email: accountIn(resource.emails) ?? null,
    enabled: resource.active !== false,
    attributes,
    profile,
    externalId: typeof resource.externalId === "string" && resource.externalId !== "" ? resource.externalId : null,
  };
}

/** Returns all addresses of a resource, in the form by which they are found. */
export const addressesOf = (profile: Resource): string[] => [...new Set(valuesOf(profile.emails).map(loginKey))];

const valuesOf = (elements: unknown): string[] =>
  (Array.isArray(elements) ? elements : []).flatMap((each) => (isObject(each) && typeof each.value === "string" ? [each.value] : []));

function keep(attributes: Attributes, name: string, value: unknown, path: string): void {
  if (value === undefined) delete attributes[name];
  else if (String(value).length > MAX_VALUE) throw invalidValue(path, `is longer than ${MAX_VALUE} characters`);
  // A list of an administrator remains as long as its first value does.
  else if (first(attributes[name]) !== value) attributes[name] = String(value);
}

/** Puts the attributes of a user where SCIM has them. */
export function putHomes(resource: Resource, homes: readonly Home[], attributes: Attributes): void {
  for (const { path, attribute } of homes) put(resource, path, first(attributes[attribute]));
}

function put(resource: Resource, [name = "", ...rest]: readonly string[], value: string | undefined): void {
  if (value === undefined) return;
  if (rest.length === 0) resource[name] = value;
  else {
    const within = (resource[name] ?? {}) as Resource;
    resource[name] = within;
    put(within, rest, value);
  }
}

/** Takes a value out of the resource, and removes objects that are then empty. */
function take(resource: Resource, [name = "", ...rest]: readonly string[]): unknown {
  const value = resource[name];
  if (rest.length === 0) {
    delete resource[name];
    return value;
  }
  if (!isObject(value)) return undefined;
  const taken = take(value, rest);
  if (Object.keys(value).length === 0) delete resource[name];
  return taken;
}

/** Returns the index of the element for the account: the primary one, else the one for work, else the first. */
function accountAt(elements: readonly Resource[]): number {
  const hasValue = ({ value }: Resource) => typeof value === "string" && value !== "";
  for (const fits of [
    ({ primary }: Resource) => primary === true,
    ({ type }: Resource) => String(type).toLowerCase() === "work",
    () => true,
  ]) {
    const at = elements.findIndex((each) => hasValue(each) && fits(each));
    if (at !== -1) return at;
  }
  return -1;
}

function accountIn(elements: unknown): string | undefined {
  const list = (Array.isArray(elements) ? elements : []).filter(isObject);
  return list[accountAt(list)]?.value as string | undefined;
}

/** Tells whether the elements are only the one that `withAccount` makes for the account. */
const isAccountAlone = (elements: unknown): boolean =>
  Array.isArray(elements) && elements.length === 1 && isDeepStrictEqual(elements[0], ofAccount(elements[0].value));
/** Makes the element for the one address, or phone number, of a user. */
export const ofAccount = (value: string): Resource => ({ value, type: "work", primary: true });

/** Returns the elements with the account's current value, which may have been changed elsewhere. */
function withAccount(elements: unknown, account: string | null, isSame: (one: string, other: string) => boolean): Resource[] {
  const list = (Array.isArray(elements) ? elements : []).filter(isObject);
  const at = accountAt(list);
  if (account === null) return list.filter((_, index) => index !== at);
  if (at === -1) return [...list, ofAccount(account)];
  return isSame(String(list[at]!.value), account) ? list : list.with(at, { ...list[at], value: account });
}
