import { withoutEnding } from "../../../../kernel/text.ts";
import { defined, flagOf, isTrue, listOf, numberOf, recordOf, recordsOf, slugOf, textOf, type Values, within } from "../../reading.ts";
import type { KeycloakRealm } from "./export.ts";

export const STORAGE = "org.keycloak.storage.UserStorageProvider";
const MAPPERS = "org.keycloak.storage.ldap.mappers.LDAPStorageMapper";

const known = {
  mapped: [
    ...[
      "enabled",
      "vendor",
      "connectionUrl",
      "startTls",
      "bindDn",
      "bindCredential",
      "usersDn",
      "usernameLDAPAttribute",
      "userObjectClasses",
    ],
    ...[
      "customUserSearchFilter",
      "uuidLDAPAttribute",
      "trustEmail",
      "editMode",
      "fullSyncPeriod",
      "changedSyncPeriod",
      "connectionTimeout",
    ],
  ],
  ignored: [
    ...[
      "rdnLDAPAttribute",
      "krbPrincipalAttribute",
      "searchScope",
      "priority",
      "importEnabled",
      "pagination",
      "batchSizeForSync",
      "cachePolicy",
    ],
    ...[
      "useTruststoreSpi",
      "authType",
      "debug",
      "connectionPooling",
      "lastSync",
      "evictionDay",
      "evictionHour",
      "evictionMinute",
      "maxLifespan",
    ],
    ...[
      "connectionTrace",
      "readTimeout",
      "enableLdapPasswordPolicy",
      "syncRegistrations",
      "removeInvalidUsersEnabled",
      "referral",
      "relativeCreateDn",
    ],
  ],
};

/** Returns the first value of each member: in the `config` of a component, each is a list. */
const flat = (config: unknown): Values =>
  Object.fromEntries(Object.entries(recordOf(config)).map(([name, value]) => [name, Array.isArray(value) ? listOf(value)[0] : value]));

/** Times of entries, which are not attributes of people. */
const OF_ENTRIES = ["modifyTimestamp", "createTimestamp"];
/** The members of our configuration, by the attribute of the user. */
const OF_PEOPLE: Readonly<Record<string, string>> = {
  ...{ email: "emailAttribute", firstName: "firstNameAttribute", lastName: "lastNameAttribute", username: "uidAttribute" },
};

/** Returns the aliases of directories by the ids with which users refer to them. */
export const directoryAliases = (realm: KeycloakRealm): Map<string, string> =>
  new Map(directoriesIn(realm).map((component) => [String(component.id), slugOf(textOf(component.name) ?? "ldap")]));

const directoriesIn = (realm: KeycloakRealm) =>
  recordsOf(recordOf(realm.value.components)[STORAGE]).filter(({ providerId }) => providerId === "ldap");

export function directoriesOf(realm: KeycloakRealm): object[] {
  for (const { providerId, name } of recordsOf(recordOf(realm.value.components)[STORAGE]))
    if (providerId !== "ldap")
      realm.report.unmapped(`components.${STORAGE}[${providerId}]`, "Only LDAP directories are known here", `components[${name}]`);
  return directoriesIn(realm).map((component) => directoryOf(realm, component));
}

function directoryOf(realm: KeycloakRealm, component: Values): object {
  const name = textOf(component.name) ?? "ldap";
  const at = `components[${name}]`;
  const config = flat(component.config);
  realm.report.members(`components.${STORAGE}.config`, at, config, known);
  const isActiveDirectory = config.vendor === "ad";
  const [url = "", ...urls] = (textOf(config.connectionUrl) ?? "").split(/\s+/).filter(Boolean);
  const uid = textOf(config.usernameLDAPAttribute) ?? (isActiveDirectory ? "sAMAccountName" : "uid");
  if (textOf(config.bindCredential) === undefined)
    realm.report.unmapped(
      `components.${STORAGE}.config.bindCredential`,
      "The file does not have the password: make the directory by hand, with it",
      at,
    );
  if (textOf(config.editMode) !== undefined && config.editMode !== "READ_ONLY")
    realm.report.unmapped(
      `components.${STORAGE}.config.editMode`,
      "Directories are only read here; `editMode` PASSWORD writes passwords",
      at,
    );
  const { members, mappers } = mappersOf(realm, component, at);
  const timeout = numberOf(config.connectionTimeout);
  return {
    ...{ alias: slugOf(name), protocol: isActiveDirectory ? "ad" : "ldap", displayName: name, enabled: flagOf(config.enabled) ?? true },
    config: defined({
      url: textOf(url),
      urls: urls.length > 0 ? urls.slice(0, 5) : undefined,
      startTls: isTrue(config.startTls) || undefined,
      bindDn: textOf(config.bindDn),
      bindPassword: textOf(config.bindCredential),
      userSearchBase: textOf(config.usersDn) ?? "",
      userSearchFilter: filterOf(config, uid),
      idAttribute: textOf(config.uuidLDAPAttribute),
      trustEmail: isTrue(config.trustEmail) || undefined,
      timeoutMs: timeout === undefined || timeout <= 0 ? undefined : within(timeout, 500, 30_000),
      fullSyncMinutes: minutesOf(config.fullSyncPeriod),
      changedSyncMinutes: minutesOf(config.changedSyncPeriod),
      uidAttribute: uid,
      ...members,
    }),
    mappers,
  };
}

/** Converts a period into minutes. Keycloak has seconds, and -1 for never. */
function minutesOf(period: unknown): number | undefined {
  const seconds = numberOf(period);
  if (seconds === undefined) return undefined;
  return seconds <= 0 ? 0 : within(seconds / 60, 5, 10_080);
}

function filterOf(config: Values, uid: string): string {
  const classes = (textOf(config.userObjectClasses) ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter((one) => /^[A-Za-z0-9-]+$/.test(one));
  const custom = textOf(config.customUserSearchFilter)?.trim();
  return `(&${classes.map((one) => `(objectClass=${one})`).join("")}(${uid}={0})${custom?.startsWith("(") ? custom : ""})`;
}

const MAX_MAPPERS = 100;

/** Returns the groups directly below a path of Keycloak's, with their names and our paths. */
function groupsAt({ groupPaths, value }: KeycloakRealm, path: string): (readonly [name: string, path: string])[] {
  const wanted = withoutEnding(path, "/");
  const find = (groups: unknown): Values[] =>
    recordsOf(groups).flatMap((group) => [...(textOf(group.path) === wanted ? recordsOf(group.subGroups) : []), ...find(group.subGroups)]);
  const found = wanted === "" ? recordsOf(value.groups) : find(value.groups);
  return found.flatMap((group) => {
    const name = textOf(group.name);
    const ours = groupPaths.get(textOf(group.path) ?? `${wanted}/${name}`);
    return name !== undefined && ours !== undefined ? [[name, ours] as const] : [];
  });
}

function mappersOf(realm: KeycloakRealm, component: Values, at: string) {
  const members: Record<string, string> = {};
  const mappers: Record<string, unknown>[] = [];
  for (const mapper of recordsOf(recordOf(component.subComponents)[MAPPERS])) {
    const kind = textOf(mapper.providerId) ?? "";
    const path = `components.${STORAGE}.mappers[${kind}]`;
    const place = `${at}.${textOf(mapper.name)}`;
    const config = flat(mapper.config);
    const attribute = textOf(config["ldap.attribute"]);
    const ours = textOf(config["user.model.attribute"]) ?? "";
    const name = textOf(mapper.name) ?? kind;
    const role = textOf(config.role);
    const group = realm.groupPaths.get(textOf(config.group) ?? "");
    if (kind === "user-attribute-ldap-mapper" && attribute !== undefined) {
      if (Object.hasOwn(OF_PEOPLE, ours)) members[OF_PEOPLE[ours]!] = attribute;
      else if (!OF_ENTRIES.includes(attribute)) mappers.push({ name, type: "attribute", claim: attribute, attribute: ours, sync: "force" });
      else {
        realm.report.ignored(path);
        continue;
      }
      realm.report.mapped(path);
    } else if (kind === "hardcoded-ldap-role-mapper" && role !== undefined && realm.isRealmRole(role)) {
      realm.report.mapped(path);
      mappers.push({ name, type: "role", role: realm.roleName(role), sync: "force" });
    } else if (kind === "hardcoded-ldap-group-mapper" && group !== undefined) {
      realm.report.mapped(path);
      mappers.push({ name, type: "group", group, sync: "force" });
    } else if (kind === "group-ldap-mapper" && textOf(config["groups.dn"]) !== undefined) {
      Object.assign(
        members,
        defined({
          groupSearchBase: textOf(config["groups.dn"]),
          groupNameAttribute: textOf(config["group.name.ldap.attribute"]),
          groupMemberAttribute: textOf(config["membership.ldap.attribute"]),
        }),
      );
      const below = groupsAt(realm, textOf(config["groups.path"]) ?? "/");
      // As in Keycloak, the members of a group in the directory join the realm's group of the same name.
      if (below.length > 0 && below.length + mappers.length <= MAX_MAPPERS) {
        for (const [value, path] of below)
          mappers.push({ name: `${name} ${value}`.slice(0, 255), type: "group", claim: "groups", value, group: path, sync: "force" });
        realm.report.mapped(path);
      } else
        realm.report.unmapped(
          path,
          below.length === 0
            ? "Groups of the directory are found, but each that counts here needs a mapper of the claim `groups`"
            : `The realm has more groups there than a directory has mappers (${MAX_MAPPERS}): make one for each that counts`,
          place,
        );
    } else if (
      ["kerberos-principal-attribute-mapper", "msad-user-account-control-mapper", "msad-lds-user-account-control-mapper"].includes(kind)
    )
      realm.report.ignored(path);
    else realm.report.unmapped(path, "Mappers of directories are of no such kind here", place);
  }
  return { members, mappers };
}
