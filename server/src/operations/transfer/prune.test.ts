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
    { field: `groups[${path}]`, code: "deleted_along", message: expect.stringContaining("take it along") },
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
