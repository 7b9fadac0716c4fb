// Routes that the console needs: many users at once, previews of tokens, series of figures, the tail of the trail.
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clock, HOUR } from "../../kernel/clock.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { relyingParty } from "../../testing/relying-party.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const codes = (report: { results: { ok: boolean; code?: string }[] }) => report.results.map(({ ok, code }) => (ok ? "ok" : code));

describe("one action for many users", () => {
  test("does to each what its single request does, and reports each refusal without stopping", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    const [ada, bob] = [await realm.user("ada"), await realm.user("bob")];
    const { body: role } = await boss.post("/roles", { name: "support" });
    const { body: group } = await boss.post("/groups", { name: "Helpers" });
    const userIds = [ada.userId, "no-such-user", bob.userId];
    const run = async (action: string, more: object = {}, unknown = "users.not_found") => {
      const { status, body } = await boss.post("/users/bulk", { action, userIds, ...more });
      expect([action, status, codes(body)]).toEqual([action, 200, ["ok", unknown, "ok"]]);
      expect(body).toMatchObject({ action, succeeded: 2, failed: 1 });
    };
    const shown = async () => (await boss.get(`/users/${ada.userId}`)).body;
    await run("disable");
    expect(await shown()).toMatchObject({ enabled: false, username: "ada" });
    await run("enable");
    await run("require-action", { requiredAction: "VERIFY_EMAIL" });
    await run("assign-role", { roleId: role.roleId });
    expect(await shown()).toMatchObject({ enabled: true, roles: expect.arrayContaining(["support", "user"]) });
    await run("join-group", { groupId: group.groupId });
    expect((await boss.get(`/groups/${group.groupId}/members`)).body).toHaveLength(2);
    await run("leave-group", { groupId: group.groupId }, "groups.not_member");
    await run("unassign-role", { roleId: role.roleId });
    await boss.patch(`/users/${ada.userId}`, { locked: true });
    await run("unlock");
    expect(await shown()).toMatchObject({ locked: false, roles: ["user"] });
    expect((await boss.get(`/users/${ada.userId}/required-actions`)).body).toEqual(["VERIFY_EMAIL"]);
    const browser = iam.browser();
    await browser.signIn(realm.name, "bob", bob.password);
    await run("logout");
    expect((await boss.get(`/users/${bob.userId}/sessions`)).body).toEqual([]);
    await run("delete");
    expect((await boss.get(`/users/${ada.userId}`)).status).toBe(404);
    const deleted = await realm.events("type=ADMIN_DELETE&resourceType=users");
    expect(deleted.map(({ resourceId }) => resourceId).toSorted(), "each has an event of its own").toEqual(
      [ada.userId, bob.userId].toSorted(),
    );
    for (const body of [
      { action: "assign-role", userIds },
      { action: "enable", userIds: [] },
      { action: "enable", userIds: [bob.userId, bob.userId] },
      { action: "enable", userIds: Array.from({ length: 501 }, (_, at) => `u${at}`) },
    ])
      expect((await boss.post("/users/bulk", body)).status, JSON.stringify(body).slice(0, 60)).toBe(400);
  });

  test("asks for the permission of the action, and each row for control of its user; refusals are in the trail", async () => {
    const realm = await iam.realm();
    const manager = await realm.as("manage-users");
    const [ada, admin] = [await realm.user("ada"), await realm.as("manage-realm")];
    const { body: group } = await realm.asMaster().post("/groups", { name: "Helpers" });
    const { body: roles } = await realm.asMaster().get("/roles?search=admin");
    const roleId = roles.find(({ name }: { name: string }) => name === "admin").roleId;
    const userIds = [ada.userId, admin.userId, manager.userId];
    const disabled = await manager.post("/users/bulk", { action: "disable", userIds });
    expect(codes(disabled.body)).toEqual(["ok", "permissions.escalation", "users.self"]);
    const granted = await manager.post("/users/bulk", { action: "assign-role", userIds: [ada.userId], roleId });
    expect(codes(granted.body)).toEqual(["permissions.escalation"]);
    const denied = await realm.events("type=ADMIN_DENIED&resourceType=users");
    expect(denied.map(({ resourceId }) => resourceId)).toEqual([ada.userId, admin.userId]);
    const joined = await manager.post("/users/bulk", { action: "join-group", userIds: [ada.userId], groupId: group.groupId });
    expect([joined.status, joined.body.code]).toEqual([403, "bulk.forbidden"]);
    const organizer = await realm.as("manage-organizations");
    const ok = await organizer.post("/users/bulk", { action: "join-group", userIds: [ada.userId], groupId: group.groupId });
    expect(codes(ok.body)).toEqual(["ok"]);
    expect((await organizer.post("/users/bulk", { action: "enable", userIds: [ada.userId] })).status).toBe(403);
    // Ids of another realm are unknown here.
    const stranger = await (await iam.realm()).user("stranger");
    expect(codes((await manager.post("/users/bulk", { action: "disable", userIds: [stranger.userId] })).body)).toEqual(["users.not_found"]);
  });
});

describe("the preview of a client's tokens", () => {
  test("says what its tokens and userinfo then say, needs both permissions, and issues nothing", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    const attributes = { website: "javascript:alert(1)", picture: ["data:text/html,x", "https://ada.example/me.png"] };
    const { body: ada } = await boss.post("/users", {
      ...{ username: "ada", email: "ada@example.com", password: "a password for tests", attributes },
    });
    const party = await relyingParty(iam, realm, { grantTypes: ["password"], redirectUris: [], claimsInIdToken: true });
    const mapped = { name: "team", claim: "team", source: "constant", value: "blue", targets: ["accessToken"] };
    const mapper = await boss.post(`/clients/${party.id}/mappers`, mapped);
    expect(mapper.status, mapper.text).toBe(201);
    const seer = await realm.as("view-clients", "view-users");
    const path = `/clients/${party.id}/preview`;
    const before = await realm.events();
    const { status, body, text } = await seer.post(path, { userId: ada.userId, scope: "openid email" });
    expect(status, text).toBe(200);
    expect(text, "no token").not.toMatch(/eyJ/);
    expect(body).toMatchObject({ allowed: true, scopes: ["openid", "email"] });
    const tokens = await party.post("/token", {
      grant_type: "password",
      username: "ada",
      password: "a password for tests",
      scope: "openid email",
    });
    const fleeting = { jti: 0, gid: 0, iat: 0, exp: 0, auth_time: 0, sid: 0, at_hash: 0 };
    const lasting = (claims: object) => ({ ...claims, ...fleeting });
    expect(lasting(body.accessToken)).toEqual(lasting(decodeJwt(tokens.body.access_token)));
    expect(lasting(body.idToken)).toEqual(lasting(decodeJwt(tokens.body.id_token)));
    expect(body.accessToken).toMatchObject({ team: "blue" });
    const userinfo = await iam.browser().get(`/realms/${realm.name}/userinfo`, {
      headers: { authorization: `Bearer ${tokens.body.access_token}` },
    });
    expect(body.userinfo).toEqual(userinfo.body);
    expect((await realm.events()).filter(({ type }) => type.startsWith("ADMIN")).length).toBe(
      before.filter(({ type }) => type.startsWith("ADMIN")).length,
    );
    const plain = await seer.post(path, { userId: ada.userId, scope: "email" });
    expect(plain.body).toMatchObject({ idToken: null, userinfo: null });
    expect((await seer.post(path, { userId: ada.userId })).body.scopes).toContain("openid");
    const { userinfo: profile } = (await seer.post(path, { userId: ada.userId, scope: "openid profile" })).body;
    expect(profile, "applications make links of these claims").toMatchObject({ picture: "https://ada.example/me.png" });
    expect(profile).not.toHaveProperty("website");
    await boss.patch(`/clients/${party.id}`, { allowedRoles: ["admin"] });
    expect((await seer.post(path, { userId: ada.userId })).body.allowed).toBe(false);
    const fields = async (members: object) =>
      (await seer.post(path, { userId: ada.userId, ...members })).body.errors?.map((one: { field: string }) => one.field);
    expect(await fields({ scope: "openid nothing" })).toEqual(["scope"]);
    expect(await fields({ resource: "https://api.example.com" })).toEqual(["resource"]);
    expect(await fields({ resource: `${iam.config.baseUrl}/admin` })).toEqual(["resource"]);
    expect((await (await realm.as("view-clients")).post(path, { userId: ada.userId })).body.code).toBe("preview.view_users_needed");
    const stranger = await (await iam.realm()).user("stranger");
    expect((await seer.post(path, { userId: stranger.userId })).status).toBe(404);
  });
});

test("the series of a realm counts by steps without gaps, and refuses too many points", async () => {
  const realm = await iam.realm();
  const boss = realm.asMaster();
  const hour = Math.floor(clock.now() / HOUR) * HOUR;
  const rows = [
    { hour, metric: "login", outcome: "success", count: 2 },
    { hour: hour - HOUR, metric: "login", outcome: "success", count: 3 },
    { hour: hour - 30 * HOUR, metric: "tokens", outcome: "", count: 7 },
  ] as const;
  await iam.core.db
    .insertInto("metric_hours")
    .values(rows.map((row) => ({ realm_id: realm.name, ...row })))
    .execute();
  const day = (await boss.get("/metrics")).body;
  expect([day.step, day.points.length]).toEqual(["1h", 25]);
  const logins = (points: { logins: { success: number } }[]) => points.map((point) => point.logins.success).filter(Boolean);
  expect(logins(day.points)).toEqual([3, 2]);
  expect(day.points.at(-1)).toMatchObject({ at: new Date(hour).toISOString(), tokens: 0, adminWrites: { denied: 0 } });
  const week = (await boss.get(`/metrics?from=${hour - 168 * HOUR}&to=${hour + HOUR}&step=1d`)).body;
  expect(week.points.reduce((sum: number, { tokens }: { tokens: number }) => sum + tokens, 0)).toBe(7);
  expect(logins(week.points).reduce((sum, count) => sum + count)).toBe(5);
  expect((await (await iam.realm()).asMaster().get("/metrics")).body.points.every((point: { tokens: number }) => point.tokens === 0)).toBe(
    true,
  );
  for (const query of ["from=2020-01-01", "from=2030-01-02&to=2030-01-01", "step=1m", "from=never"])
    expect((await boss.get(`/metrics?${query}`)).status, query).toBe(400);
});

test("the tail returns each event of the realm once, in commit order, and no other realm's", async () => {
  const realm = await iam.realm();
  const other = await iam.realm();
  const boss = realm.asMaster();
  const begin = (await boss.get("/events/tail")).body;
  expect(begin).toMatchObject({ items: [], more: false });
  const seen: { type: string; resourceType: string }[] = [];
  let cursor = begin.cursor;
  const follow = async (filter = "") => {
    const { status, body, text } = await boss.get(`/events/tail?after=${cursor}${filter}`);
    expect(status, text).toBe(200);
    ({ cursor } = body);
    seen.push(...body.items);
    return body.items.length;
  };
  await boss.post("/roles", { name: "first" });
  await other.asMaster().post("/roles", { name: "elsewhere" });
  await boss.post("/groups", { name: "second" });
  // Another test's open transaction may hold it back for a moment.
  await expect.poll(() => follow().then(() => seen.length)).toBe(2);
  await boss.post("/roles", { name: "third" });
  await expect.poll(() => follow().then(() => seen.length)).toBe(3);
  expect(seen.map(({ resourceType }) => resourceType)).toEqual(["roles", "groups", "roles"]);
  expect(new Set(seen.map((event) => JSON.stringify(event))).size).toBe(3);
  expect(await follow()).toBe(0);
  cursor = begin.cursor;
  expect(await follow("&resourceType=groups"), "filters").toBe(1);
  for (const after of ["x", Buffer.from(`${2n ** 64n} 00000000-0000-0000-0000-000000000000 0`).toString("base64url"), "%00"])
    expect((await boss.get(`/events/tail?after=${after}`)).status, after).toBe(400);
});
