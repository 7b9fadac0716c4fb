import { type AuthorizationItem, fromKeycloakAuthorization } from "../../../../applications/authorization/index.ts";
import { isTrue, recordsOf, textOf } from "../../reading.ts";
import type { KeycloakRealm } from "./export.ts";

type Policy = NonNullable<AuthorizationItem["policies"]>[number];

/** Returns a policy with the names that roles and groups have here. */
const renamed = (realm: KeycloakRealm, policy: Policy): Policy => ({
  ...policy,
  ...(policy.roles && {
    roles: policy.roles.map((one) => {
      const role = typeof one === "string" ? { name: one } : one;
      return realm.isRealmRole(role.name) ? { ...role, name: realm.roleName(role.name) } : role;
    }),
  }),
  ...(policy.groups && {
    groups: policy.groups.map((one) => {
      const group = typeof one === "string" ? { path: one } : one;
      return { ...group, path: realm.groupPaths.get(group.path) ?? group.path };
    }),
  }),
});

/** Translates the authorization services of the clients that are carried over. */
export function authorizationOf(realm: KeycloakRealm, clients: readonly object[]): object[] {
  const carried = new Set(clients.map((client) => (client as { clientId?: unknown }).clientId));
  return recordsOf(realm.value.clients).flatMap((client) => {
    const clientId = textOf(client.clientId);
    const { authorizationSettings: settings } = client;
    if (clientId === undefined || settings === undefined || !isTrue(client.authorizationServicesEnabled) || !carried.has(clientId))
      return [];
    const { item, notes } = fromKeycloakAuthorization(clientId, settings);
    realm.report.mapped("clients[].authorizationSettings");
    for (const note of notes) realm.report.unmapped("clients[].authorizationSettings", note, `clients[${clientId}]`);
    return [{ ...item, policies: item.policies?.map((policy) => renamed(realm, policy)) }];
  });
}
