// The configuration of targets: rules, secrets, permissions. One sync runs, so that the store is tried on both databases.
import { afterAll, beforeAll, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import { type ScimPeer, scimPeer } from "../../testing/scim-peer.ts";
import { must, targetStage } from "../../testing/scim-target.ts";

let iam: Harness;
let peer: ScimPeer;
beforeAll(async () => {
  iam = await harness({ GATEHOUSE_MODE: "development" });
  peer = await scimPeer("strict");
});
afterAll(async () => {
  await iam?.close();
  await peer?.close();
});

const target = (more: object = {}) => ({
  name: "wiki",
  url: "https://scim.example.com/v2",
  auth: { type: "bearer" },
  secret: "hunter2",
  ...more,
});

test("every member that cannot be is named, and an address that leads inside is refused", async () => {
  const [realm, other] = [await iam.realm(), await iam.realm()];
  const admin = realm.asMaster();
  const { groupId: foreign } = (await other.asMaster().post("/groups", { name: "foreign" })).body;
  const refused: [object, string][] = [
    [{ url: "http://10.0.0.1/v2" }, "url"],
    [{ url: "https://169.254.169.254/latest" }, "url"],
    [{ url: "http://example.com/v2" }, "url"],
    [{ url: "https://user:pw@example.com/" }, "url"],
    [{ url: "https://example.com/v2?a=b" }, "url"],
    [{ auth: { type: "basic" } }, "auth.username"],
    [{ auth: { type: "bearer", username: "a" } }, "auth.username"],
    [{ auth: { type: "oauth2", clientId: "a", tokenUrl: "https://10.0.0.1/token" } }, "auth.tokenUrl"],
    [{ mapping: { nothing: "a" } }, "mapping.nothing"],
    [{ mapping: { userName: "a" } }, "mapping.userName"],
    [{ mapping: { password: "a" } }, "mapping.password"],
    [{ users: { scope: "groups", groupIds: [foreign] } }, "users.groupIds"],
    [{ users: { scope: "groups" } }, "users.groupIds"],
    [{ users: { scope: "organizations", organizationIds: [newId()] } }, "users.organizationIds"],
    [{ groups: { mode: "listed", groupIds: [foreign] } }, "groups.groupIds"],
    [{ secret: "two\nlines" }, "secret"],
    [{ preset: "nobody" }, "preset"],
    [{ matchBy: ["displayName"] }, "matchBy.0"],
  ];
  for (const [members, field] of refused)
    expect(await admin.post("/scim-targets", target(members)), field).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  expect((await admin.get("/scim-targets")).body).toEqual([]);
});

test("a secret is never shown, is kept by a PUT without it, and does not follow to another host", async () => {
  const realm = await iam.realm();
  const admin = realm.asMaster();
  const made = await admin.post("/scim-targets", target({ enabled: false }));
  expect(made).toMatchObject({ status: 201, body: { secret: null, secretSet: true, status: { state: "DISABLED" } } });
  expect((await admin.post("/scim-targets", target({ name: "WIKI" }))).body.code).toBe("scim_targets.name_taken");
  const at = `/scim-targets/${made.body.id}`;
  const { secret: _, ...state } = target({ enabled: false });
  expect((await admin.put(at, { ...state, url: "https://scim.example.com/other" })).body.secretSet).toBe(true);
  expect((await admin.put(at, made.body)).body.secretSet).toBe(true);
  expect((await admin.put(at, { ...state, auth: { type: "basic", username: "us" } })).body.secretSet).toBe(false);
  expect((await admin.patch(at, { secret: "again", auth: { type: "basic", username: "us" } })).body.secretSet).toBe(true);
  expect((await admin.put(at, { ...state, url: "https://elsewhere.example.com/v2" })).body.secretSet).toBe(false);
  expect((await admin.post(`${at}/test`)).body.code).toBe("scim_targets.no_secret");
  const tokens = (tokenUrl: string) => ({ auth: { type: "oauth2", tokenUrl, clientId: "us" } });
  await admin.put(at, { ...state, ...tokens("https://tokens.example.com/token"), secret: "again" });
  expect((await admin.put(at, { ...state, ...tokens("https://tokens.example.com/v2/token") })).body.secretSet).toBe(true);
  expect((await admin.put(at, { ...state, url: "https://tokens.example.com", ...tokens(state.url) })).body.secretSet).toBe(false);
  const stored = await iam.core.db.selectFrom("scim_targets").selectAll().where("realm_id", "=", realm.name).execute();
  expect(JSON.stringify([stored, (await admin.get("/scim-targets")).body, iam.output])).not.toMatch(/hunter2|"again"/);
});

test("a target is patched with what was read, and a full sync starts without a body", async () => {
  const admin = (await iam.realm()).asMaster();
  const { id } = (await admin.post("/scim-targets", target({ enabled: false }))).body;
  const read = (await admin.get(`/scim-targets/${id}`)).body;
  expect(await admin.patch(`/scim-targets/${id}`, read)).toMatchObject({ status: 200, body: read });
  expect((await admin.post(`/scim-targets/${id}/sync`)).status).toBe((await admin.post(`/scim-targets/${id}/sync`, {})).status);
});

test("an administrator of targets needs view-users besides manage-realm", async () => {
  const realm = await iam.realm();
  const { id } = (await realm.asMaster().post("/scim-targets", target({ enabled: false }))).body;
  const [only, both] = [await realm.as("manage-realm"), await realm.as("manage-realm", "view-users")];
  const at = `/scim-targets/${id}`;
  const { secret: _, ...state } = target({ enabled: false });
  const calls = [
    (admin: typeof only) => admin.post("/scim-targets", target({ name: `of ${admin.username}`, enabled: false })),
    (admin: typeof only) => admin.put(at, state),
    (admin: typeof only) => admin.post(`${at}/sync`, { dryRun: true }),
    (admin: typeof only) => admin.post(`${at}/sync`, {}),
    (admin: typeof only) => admin.post(`${at}/confirm`, {}),
    (admin: typeof only) => admin.post(`${at}/test`),
    (admin: typeof only) => admin.get(`${at}/objects`),
  ];
  for (const call of calls) {
    expect(await call(only)).toMatchObject({ status: 403, body: { code: "scim_targets.needs_view_users" } });
    expect((await call(both)).status).not.toBe(403);
  }
  expect((await only.get(at)).status).toBe(200);
  expect((await only.get("/export?sections=scimTargets")).status).toBe(403);
  expect((await only.delete(at)).status).toBe(204);
});

test("a new user is sent without a call, and a disabled or deleted target gets nothing", async () => {
  const realm = await iam.realm();
  const admin = realm.asMaster();
  const { id } = (await admin.post("/scim-targets", target({ url: peer.url, secret: peer.token, groups: { mode: "all" } }))).body;
  const { userId } = (await admin.post("/users", { username: "ada" })).body;
  const { groupId } = (await admin.post("/groups", { name: "team" })).body;
  await admin.put(`/groups/${groupId}/members/${userId}`);
  await expect.poll(() => peer.members("team"), { timeout: 20_000 }).toEqual(["ada"]);
  await expect.poll(() => peer.user("admin"), { timeout: 20_000 }).toBeDefined();
  await admin.patch(`/scim-targets/${id}`, { enabled: false });
  await admin.patch(`/users/${userId}`, { username: "countess" });
  await iam.server.scimTargets.runDue();
  expect(peer.user("ada")).toBeDefined();
  await admin.patch(`/scim-targets/${id}`, { enabled: true });
  await expect.poll(() => peer.user("countess"), { timeout: 20_000 }).toBeDefined();
  await admin.delete(`/scim-targets/${id}`);
  await admin.delete(`/users/${userId}`);
  await iam.server.scimTargets.runDue();
  expect(peer.user("countess")).toBeDefined();
  expect(await iam.core.db.selectFrom("scim_objects").select("local_id").where("realm_id", "=", realm.name).execute()).toEqual([]);
});

test("an erased user is deleted there, whatever the target does with deleted ones, and nothing of them is kept", async () => {
  // Time is moved here.
  await iam.server.jobs.stop();
  peer.clear();
  const stage = targetStage(iam);
  const names = () => [...peer.users.values()].map(({ userName }) => userName).sort();
  const of = await stage.targeted(peer, { deprovision: { deleted: "none" } });
  const [ada, bob] = [await of.user("ada"), await of.user("bob")];
  await stage.settle(of);
  must(await of.admin.delete(`/users/${bob}`));
  must(await of.admin.delete(`/users/${ada}/gdpr`));
  await stage.settle(of);
  expect(names()).toEqual(["bob"]);
  expect(await of.objects("")).toEqual([]);

  // Erased while the account is being made, or an old one is being adopted; and the first deletion fails.
  peer.users.set("old", { id: "old", userName: "dan" });
  for (const username of ["cyd", "dan"]) {
    const userId = await of.user(username);
    let isErased = false;
    peer.beforeAnswer = async ({ method, path }) => {
      if (isErased || !(username === "cyd" ? method === "POST" : path.includes("dan"))) return;
      isErased = true;
      must(await of.admin.delete(`/users/${userId}/gdpr`));
    };
    peer.trouble = ({ method }) => (method === "DELETE" ? { status: 500, body: { detail: "trouble" } } : null);
    await stage.settle(of);
    expect([isErased, names().includes(username)]).toEqual([true, true]);
    expect(peer.writes().filter(({ method }) => method === "PUT")).toEqual([]);
    peer.trouble = () => null;
    clock.advance(MINUTE);
    await stage.settle(of);
  }
  expect(names()).toEqual(["bob"]);
  expect(await of.objects("")).toEqual([]);
  // The target's own words may name a person: they are kept with the object alone.
  peer.trouble = ({ method, body }) => (method === "POST" ? { status: 404, body: { detail: `no plan for ${body.userName}` } } : null);
  await of.user("eve.adams");
  await stage.settle(of);
  expect(await of.status()).toMatchObject({
    state: "SUSPENDED",
    message: expect.stringContaining("/Users is not served there (404). Please"),
  });
  const [suspended] = must(await of.admin.get("/events?type=SCIM_TARGET_SUSPENDED")).items;
  expect(suspended.detail).toBe("/Users is not served there (404).");
  clock.reset();
});
