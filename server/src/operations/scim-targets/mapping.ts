import { createHmac, type KeyObject } from "node:crypto";
import { isObject } from "../../kernel/json.ts";
import {
  ENTERPRISE,
  findAttribute,
  first,
  GROUP,
  HOMES,
  type Home,
  ofAccount,
  PHONE,
  putHomes,
  type Resource,
  USER,
  userType,
} from "../../protocols/scim/index.ts";
import { valuesForApplications } from "../../tenancy/settings/index.ts";
import type { Person, Team } from "./people.store.ts";
import type { Preset } from "./preset.ts";
import { presets } from "./presets/index.ts";
import type { Settings } from "./schema.ts";

/** The state that a user or group should have at a target: as in `body`, deactivated, deleted, or left as it is. */
export type Wanted =
  | { readonly act: "keep"; readonly body: Resource }
  | { readonly act: "deactivate"; readonly body: Resource | null }
  | { readonly act: "delete" }
  | { readonly act: "none" }
  | { readonly act: "refuse"; readonly reason: string };

/** Returns the SCIM paths of a target's own mapping. `phoneNumbers` is separate, because it is a list there. */
function homesOf(mapping: Settings["mapping"]): { homes: readonly Home[]; phone: string | null } {
  if (mapping === null) return { homes: HOMES, phone: PHONE };
  const homes: Home[] = [];
  let phone: string | null = null;
  for (const [path, attribute] of Object.entries(mapping)) {
    const found = findAttribute(userType, path);
    if (!found) continue;
    if (found.attribute.name === "phoneNumbers") phone = attribute;
    else
      homes.push({
        path: [...(found.extension === null ? [] : [found.extension]), found.attribute.name, ...(found.sub ? [found.sub.name] : [])],
        attribute,
      });
  }
  return { homes, phone };
}

/** Only a confirmed address is certainly the user's, so only this one names or finds an account. */
export const confirmedAddress = ({ email, emailVerified }: Person): string | null => (emailVerified ? email : null);

export const userNameOf = (settings: Settings, person: Person): string | null =>
  settings.users.userName === "email" ? confirmedAddress(person) : person.username;

const attributesOf = ({ attributes }: Person): Record<string, string[]> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, [...valuesForApplications(name, [value].flat())]]));

/** Returns the resource of a user that is sent to the target. */
function userResource(settings: Settings, person: Person, userName: string): Resource {
  const preset: Preset = presets[settings.preset];
  const { homes, phone } = homesOf(settings.mapping);
  const mapped: Resource = {};
  putHomes(mapped, homes, attributesOf(person));
  const name = (mapped.name ?? {}) as Resource;
  if (preset.requiresNames) mapped.name = { givenName: person.username, familyName: person.username, ...name };
  const full = [name.givenName, name.familyName].filter((part) => part !== undefined).join(" ");
  mapped.displayName ??= full === "" ? person.username : full;
  const number = phone === null ? undefined : first(person.attributes[phone]);
  const email = settings.users.emails === "confirmed" ? confirmedAddress(person) : person.email;
  const resource: Resource = {
    schemas: [USER, ...(mapped[ENTERPRISE] === undefined ? [] : [ENTERPRISE])],
    externalId: person.userId,
    userName,
    active: true,
    ...mapped,
    ...(email !== null && { emails: [ofAccount(email)] }),
    ...(number !== undefined && { phoneNumbers: [ofAccount(number)] }),
  };
  for (const member of preset.without) delete resource[member];
  return resource;
}

/** Returns the paths of the attributes that are sent to the target, but that this user does not have. */
export function missingPaths(settings: Settings, body: Resource): string[] {
  const { homes, phone } = homesOf(settings.mapping);
  const refused = new Set(presets[settings.preset].without);
  const isThere = (path: readonly string[]) =>
    path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), body) !== undefined;
  return [...homes.map(({ path }) => path), ["emails"], ...(phone === null ? [] : [["phoneNumbers"]])]
    .filter((path) => !refused.has(path[0]!) && !isThere(path))
    .map((path) => (path[0] === ENTERPRISE ? `${ENTERPRISE}:${path.slice(1).join(".")}` : path.join(".")));
}

export const groupResource = ({ groupId, name }: Team): Resource => ({ schemas: [GROUP], externalId: groupId, displayName: name });

const NO_ADDRESS = "This target takes the confirmed address as userName, and the user has none.";

/** Returns the state that a user should have at the target. `person` is undefined if the user was deleted. */
export function wantedUser(settings: Settings, person: Person | undefined, isErased = false): Wanted {
  const { deprovision } = settings;
  if (isErased) return { act: "delete" };
  if (!person) return leave(deprovision.deleted, null);
  const userName = userNameOf(settings, person);
  const body = userName === null ? null : userResource(settings, person, userName);
  if (!person.inScope) return leave(deprovision.outOfScope, body);
  if (!person.enabled) return leave(deprovision.disabled, body);
  return body === null ? { act: "refuse", reason: NO_ADDRESS } : { act: "keep", body };
}

const leave = (mode: Settings["deprovision"]["deleted"], body: Resource | null): Wanted =>
  mode === "deactivate" ? { act: "deactivate", body: body && { ...body, active: false } } : { act: mode ?? "none" };

export function wantedGroup(settings: Settings, team: Team | undefined): Wanted {
  if (!team?.inScope) return { act: settings.groups.removed === "none" ? "none" : "delete" };
  return { act: "keep", body: groupResource(team) };
}

/** Returns a keyed digest, which reveals nothing about a person. Changes of a deactivated account do not change its digest. */
export function digestOf(key: KeyObject, wanted: Wanted): string {
  const content = wanted.act === "keep" ? [wanted.act, wanted.body] : [wanted.act];
  return createHmac("sha256", key).update(JSON.stringify(content)).digest("base64url");
}

export const isLeaving = ({ act }: Wanted): boolean => act === "deactivate" || act === "delete";
