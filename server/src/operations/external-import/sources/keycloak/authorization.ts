import { fromKeycloakAuthorization } from "../../../../applications/authorization/index.ts";
import { isTrue, recordsOf, textOf } from "../../reading.ts";
import type { KeycloakRealm } from "./export.ts";

/** The authorization services of the clients that are carried over. */
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
    return [item];
  });
}
