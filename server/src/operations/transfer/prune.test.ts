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
