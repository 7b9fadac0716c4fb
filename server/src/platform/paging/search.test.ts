import { rootCertificates } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const named = { name: "Orders Desk" };
const lists: Readonly<Record<string, object>> = {
  "/agents": named,
  "/applications": { ...named, name: "Orders-Desk", template: "machine" },
  "/claims": { ...named, claim: "desk", source: "attribute", value: "desk" },
  "/client-scopes": { name: "Orders-Desk" },
  "/clients": { clientId: "desk", name: "Orders Desk" },
  "/groups": named,
  "/identity-providers": {
    ...{ alias: "Orders-Desk", protocol: "saml", displayName: "Staff" },
    config: { ssoUrl: "https://id.example.com/sso", idpEntityId: "https://id.example.com", idpSigningCertificate: rootCertificates[0] },
  },
  "/organizations": named,
  "/provisioning/initial-access-tokens": named,
  "/provisioning/scim-tokens": named,
  "/roles": named,
  "/saml-clients": { entityId: "https://Orders.example.com/", assertionConsumerServiceUrl: "https://orders.example.com/acs" },
  "/users": { username: "Orders-Desk" },
  "/clients/{id}/authz/permissions": { ...named, type: "resource", resources: [], resourceType: "desk", policies: [] },
  "/clients/{id}/authz/policies": { ...named, type: "role", roles: [{ name: "user" }] },
  "/clients/{id}/authz/resources": named,
  "/clients/{id}/authz/scopes": { name: "Orders-Desk" },
  "/clients/{id}/mappers": { ...named, claim: "desk", source: "attribute", value: "desk" },
  "/clients/{id}/roles": named,
};

test("a search finds the beginning of a name whatever its letter case", async () => {
  const admin = (await iam.realm()).asMaster();
  const server = (await admin.post("/clients", { clientId: "server", publicClient: false })).body;
  await admin.put(`/clients/${server.id}/authz/settings`, { enabled: true });
  const found: Record<string, readonly number[]> = {};
  for (const [list, record] of Object.entries(lists)) {
    const path = list.replace("{id}", server.id);
    const created = await admin.post(path, record);
    expect(created, `${list}: ${JSON.stringify(created.body)}`).toMatchObject({ status: 201 });
    const count = async (prefix: string) => (await admin.get(`${path}?search=${encodeURIComponent(prefix)}`)).body.length;
    const scheme = list === "/saml-clients" ? "https://" : "";
    found[list] = [await count(`${scheme}orders`), await count(`${scheme}ORDERS`), await count(`${scheme}rders`)];
  }
  expect(found).toEqual(Object.fromEntries(Object.keys(lists).map((list) => [list, list === "/clients" ? [2, 2, 0] : [1, 1, 0]])));
});

test("a search folds the letters of other scripts, too", async () => {
  const admin = (await iam.realm()).asMaster();
  const made = {
    "/agents": await admin.post("/agents", {
      name: "ÉQUIPE Żółw",
      clientId: (await admin.post("/clients", { clientId: "bot" })).body.clientId,
    }),
    "/clients": await admin.post("/clients", { clientId: "team", name: "ÉQUIPE Żółw" }),
    "/provisioning/scim-tokens": await admin.post("/provisioning/scim-tokens", { name: "ÉQUIPE Żółw" }),
  };
  for (const [list, { status, body }] of Object.entries(made)) {
    expect(status, `${list}: ${JSON.stringify(body)}`).toBe(201);
    for (const search of ["équipe ż", "ÉQUIPE Ż"]) {
      const found = (await admin.get(`${list}?search=${encodeURIComponent(search)}`)).body;
      expect(
        found.map(({ name }: { name: string }) => name),
        `${list} ${search}`,
      ).toEqual(["ÉQUIPE Żółw"]);
    }
  }
});
