import { recordOf, recordsOf, textOf, textsOf, type Values } from "../../reading.ts";
import { type KeycloakRealm, ownText } from "./export.ts";

const known = {
  mapped: ["name", "description", "composites"],
  ignored: ["id", "composite", "clientRole", "containerId", "scopeParamRequired"],
};

/** Translates a role of the realm or of a client. */
export function roleOf(realm: KeycloakRealm, role: Values, pattern: string, at: string, clientId: string | null, isDefault = false) {
  realm.report.members(pattern, at, role, known);
  const { realm: ofRealm, client } = recordOf(role.composites);
  const { roles, clientRoles } = realm.roleNames(ofRealm, client, `${pattern}.composites.client`, at, !isDefault);
  const description = ownText(role.description)?.slice(0, 1000);
  return {
    name: realm.roleName(textOf(role.name) ?? "", clientId),
    ...(description !== undefined && { description }),
    ...(roles.length > 0 && { compositeRoles: roles }),
    ...(clientRoles.length > 0 && { compositeClientRoles: clientRoles }),
  };
}

/** Translates the roles of the realm. The role that every new user gets in Keycloak is the default role here, with its own name. */
export function rolesOf(realm: KeycloakRealm): object[] {
  return [...recordsOf(recordOf(realm.value.roles).realm), ...earlierDefaultRole(realm)].map((role) => {
    const isDefault = role.name === realm.defaultRole;
    return { ...roleOf(realm, role, "roles.realm[]", `roles.realm[${role.name}]`, null, isDefault), ...(isDefault && { default: true }) };
  });
}

/** Returns the default role of a file as releases before 13 wrote it: `defaultRoles` of the realm and of its clients. */
function earlierDefaultRole({ value, defaultRole }: KeycloakRealm): Values[] {
  const client = Object.fromEntries(
    recordsOf(value.clients).flatMap(({ clientId, defaultRoles }) => {
      const names = textsOf(defaultRoles);
      return names.length === 0 ? [] : [[String(clientId), names]];
    }),
  );
  const composites = { realm: textsOf(value.defaultRoles), client };
  if (value.defaultRole !== undefined || (composites.realm.length === 0 && Object.keys(client).length === 0)) return [];
  return [{ name: defaultRole, composites }];
}

/** Returns the roles that replace roles of `realm-management` in use. They are known only after everything else was translated. */
export const permissionRolesOf = (realm: KeycloakRealm): object[] =>
  [...realm.permissionsInUse].sort().map((permission) => ({
    name: realm.permissionRole(permission),
    description: `The role ${permission} of realm-management in Keycloak`,
    permissions: [permission],
  }));

/** Returns the roles that the file names without listing them. One that the realm has already stays as it is. */
export const namedRolesOf = (realm: KeycloakRealm): object[] => {
  const ofDefault = realm.roleName(realm.defaultRole);
  return [...realm.namedRoles].sort().map((name) => ({ name, ...(name === ofDefault && { default: true }) }));
};
