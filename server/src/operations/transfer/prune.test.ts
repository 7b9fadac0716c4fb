import { afterAll, beforeAll, expect, test } from "vitest";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient } from "../../testing/realm.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const ok = async (answer: Promise<Answer>) => {
  const { status, text, body } = await answer;
  expect(status, text).toBeLessThan(300);
  return body;
};
const apply = (admin: AdminClient, document: object, query = "") =>
  admin.post(`/import${query}`, { schema: "gatehouse.realm/v1", ...document });

test("an import leaves alone what it does not mention; prunes what its source made, and with all whatever else there is", async () => {
  const realm = await iam.realm();
  const admin = await realm.admin();
  await ok(admin.post("/clients", { clientId: "by-hand" }));
  await ok(
    apply(admin, { clients: [{ clientId: "one" }, { clientId: "two" }], groups: [{ path: "/A" }, { path: "/A/B" }] }, "?source=code"),
  );
  const names = async () => (await admin.get("/clients")).body.map(({ clientId }: { clientId: string }) => clientId);
  await ok(apply(admin, { clients: [] }));
  await ok(apply(admin, { clients: [{ clientId: "one" }] }));
  await ok(apply(admin, { clients: [{ clientId: "one" }] }, "?source=other&prune=source"));
  expect(await names()).toEqual(["by-hand", "one", "two"]);
  const pruned = await ok(apply(admin, { clients: [{ clientId: "one" }] }, "?source=code&prune=source"));
  expect(pruned.actions).toEqual([{ section: "clients", key: "two", action: "delete", changes: [] }]);
  expect(await names()).toEqual(["by-hand", "one"]);
  // Made again by hand, it is no longer the one that the source made.
  const [, one] = (await admin.get("/clients")).body;
  expect((await admin.delete(`/clients/${one.id}`)).status).toBe(204);
  await ok(admin.post("/clients", { clientId: "one" }));
  await ok(apply(admin, { clients: [], groups: [] }, "?source=code&prune=source"));
  expect(await names()).toEqual(["by-hand", "one"]);
  expect((await admin.get("/groups")).body).toEqual([]);
  // The groups below an organization's go with it.
  const groups = ["/organization:acme", "/organization:acme/staff"].map((path) => ({ path }));
  await ok(apply(admin, { organizations: [{ name: "Acme", alias: "acme" }], groups }));
  await ok(apply(admin, { organizations: [], groups: [] }, "?prune=all"));
  expect((await admin.get("/groups")).body).toEqual([]);
  await ok(apply(admin, { clients: [], roles: [], flows: [], clientScopes: [] }, "?prune=all"));
  expect(await names()).toEqual([]);
  const roles = (await admin.get("/roles")).body.map(({ name }: { name: string }) => name);
  expect(roles).toEqual(["admin", "user"]);
  expect((await admin.get("/client-scopes")).body.map(({ name }: { name: string }) => name)).toEqual([
    "account",
    "offline_access",
    "openid",
  ]);
  const first = await admin.get("/export");
  expect(first.status, first.text).toBe(200);
  expect((await admin.get("/export")).text).toBe(first.text);
  expect((await ok(admin.post("/import?dryRun=true", first.body))).actions).toEqual([]);
});

test("a plan shows the groups that an organization takes along; an import that names one of them changes nothing", async () => {
  const realm = await iam.realm();
  const admin = await realm.admin();
  const path = "/Provisioned";
  const owned = { organizations: [{ name: "Acme", alias: "acme" }], groups: [{ path, organization: "acme" }, { path: "/Other" }] };
  await ok(apply(admin, owned, "?source=code"));
  const names = async () => (await admin.get("/groups")).body.map(({ name }: { name: string }) => name);
  const refused = await apply(admin, { ...owned, organizations: [] }, "?source=code&prune=source");
  expect(refused.status, refused.text).toBe(409);
  expect(refused.body.errors).toEqual([
    { field: `groups[${path}]`, code: "deleted_along", message: expect.stringContaining("would also delete this") },
  ]);
  expect(await names()).toEqual(["Other", "Provisioned"]);
  // The group stays once no organization owns it.
  const released = { organizations: [], groups: [{ path, organization: null }, { path: "/Other" }] };
  const { actions } = await ok(apply(admin, released, "?source=code&prune=source&dryRun=true"));
  expect(actions.map(({ key, action }: { key: string; action: string }) => [key, action])).toEqual([
    [path, "update"],
    ["acme", "delete"],
  ]);
  // Made by hand, it is none of what the source made; but it is deleted with the organization.
  const byHand = { organizations: [{ name: "Acme", alias: "acme" }], groups: [{ path: "/By hand", organization: "acme" }] };
  await ok(apply(admin, byHand));
  const plan = await ok(apply(admin, { organizations: [], groups: [{ path: "/Other" }] }, "?source=code&prune=source"));
  const deleted = plan.actions.filter(({ action }: { action: string }) => action === "delete");
  expect(deleted.map(({ key }: { key: string }) => key)).toEqual(["/By hand", path, "acme"]);
  expect(plan.sections.groups).toMatchObject({ deleted: 2 });
  expect(await names()).toEqual(["Other"]);
});

test("an import that would change along what it says itself is refused, and names both", async () => {
  const realm = await iam.realm();
  const admin = await realm.admin();
  const config = { issuer: "https://idp.example.com", clientId: "us", clientSecret: "the secret of corp", scopes: ["openid"] };
  const document = {
    roles: [{ name: "a", compositeRoles: ["b"] }, { name: "b" }],
    claims: [{ name: "department", claim: "department", source: "attribute", value: "department" }],
    clientScopes: [{ name: "hr", claims: ["department"] }],
    clients: [{ clientId: "bot" }, { clientId: "shop", allowedRoles: ["B"] }],
    agents: [{ name: "Assistant", clientId: "bot" }],
    groups: [{ path: "/g", roles: ["b"] }],
    identityProviders: [{ alias: "corp", protocol: "oidc", config }],
    organizations: [{ name: "One", alias: "one", identityProvider: "corp" }],
  };
  await ok(apply(admin, document, "?source=code"));
  const first = (await admin.get("/export")).text;
  const conflicts = async (changed: object) => {
    const { status, body } = await apply(admin, { ...document, ...changed }, "?source=code&prune=source");
    return [
      status,
      ...body.errors.map(({ field, code, message }: Record<string, string>) => [field, code, /\((.*?)\)/.exec(message!)![1]]),
    ];
  };
  const along = (field: string, by: string) => [field, "changed_along", by];
  expect(await conflicts({ agents: [] })).toEqual([409, along("clients[bot]", "agents[Assistant]")]);
  expect(await conflicts({ clients: document.clients.slice(1) })).toEqual([409, along("agents[Assistant]", "clients[bot]")]);
  expect(await conflicts({ identityProviders: [] })).toEqual([409, along("organizations[one]", "identityProviders[corp]")]);
  expect(await conflicts({ claims: [] })).toEqual([409, along("clientScopes[hr]", "claims[department]")]);
  expect(await conflicts({ roles: document.roles.slice(0, 1) })).toEqual([
    409,
    along("roles[a]", "roles[b]"),
    along("groups[/g]", "roles[b]"),
    along("clients[shop]", "roles[b]"),
  ]);
  expect((await admin.get("/export")).text).toBe(first);
  // Members that the document leaves out, or says otherwise, may change.
  const without = {
    ...document,
    ...{
      roles: [{ name: "a" }],
      claims: [],
      clientScopes: [{ name: "hr" }],
      clients: [{ clientId: "bot", enabled: false }, { clientId: "shop" }],
    },
    ...{ agents: [], groups: [{ path: "/g" }], identityProviders: [], organizations: [{ name: "One", alias: "one" }] },
  };
  await ok(apply(admin, without, "?source=code&prune=source"));
  expect((await ok(apply(admin, without, "?source=code&prune=source"))).actions).toEqual([]);
});
