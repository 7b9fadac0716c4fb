import { expect, test } from "vitest";
import { operationIdOf } from "./operation-id.ts";

const R = "/admin/realms/{realm}";

test.each([
  ["get", "/admin/realms", true, "listRealms"],
  ["post", "/admin/realms", false, "createRealm"],
  ["get", R, false, "getRealm"],
  ["delete", R, false, "deleteRealm"],
  ["get", `${R}/users`, true, "listUsers"],
  ["get", `${R}/users/{userId}`, false, "getUser"],
  ["put", `${R}/users/{userId}/password`, false, "updateUserPassword"],
  ["post", `${R}/users/{userId}/roles`, false, "createUserRole"],
  ["delete", `${R}/users/{userId}/roles/{roleId}`, false, "deleteUserRole"],
  ["post", `${R}/keys/rotate`, false, "rotateKeys"],
  ["post", `${R}/agents/{id}/activate`, false, "activateAgent"],
  ["post", `${R}/provisioning/initial-access-tokens`, false, "createProvisioningInitialAccessToken"],
  ["delete", `${R}/clients/{clientId}/authz/policies/{name}`, false, "deleteClientAuthzPolicy"],
  ["patch", `${R}/flows/{alias}`, false, "patchFlow"],
  ["get", "/admin/audit/config", false, "getAuditConfig"],
  ["get", "/realms/{realm}/login", false, "getLogin"],
  ["post", "/realms/{realm}/login", false, "login"],
  ["get", "/realms/{realm}/.well-known/openid-configuration", false, "getWellKnownOpenidConfiguration"],
  ["get", "/monitoring/health/liveness", false, "getMonitoringHealthLiveness"],
] as const)("%s %s is called %s", (method, path, isList, id) => {
  expect(operationIdOf(method, path, isList)).toBe(id);
});
