import { afterAll, beforeAll, expect, test } from "vitest";
import { clock, DAY, HOUR } from "../../kernel/clock.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { enableScim, scimCalls, scimClient } from "../../testing/scim.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => {
  clock.reset();
  return iam?.close();
});

test("a token is shown once, opens the realm's SCIM server, and ends when it is revoked or expires", async () => {
  const [realm, other] = [await iam.realm(), await iam.realm()];
  const boss = realm.asMaster();
  await enableScim(realm);
  await enableScim(other);
  const made = await boss.post("/provisioning/scim-tokens", { name: "entra", expiresAt: clock.now() + DAY });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    name: "entra",
    connection: "entra",
    permissions: ["view-users", "manage-users", "manage-organizations"],
    url: `http://localhost:8080/realms/${realm.name}/scim/v2`,
    lastUsedAt: null,
  });
  const { token, ...shown } = made.body;
  expect(token).toMatch(/^ghscim_[\w-]{43}$/);
  expect((await boss.get("/provisioning/scim-tokens")).body).toEqual([shown]);
  const scim = scimCalls(iam.browser(), realm.name, token);
  expect(await scim.get("/Users")).toMatchObject({ status: 200, headers: { "content-type": "application/scim+json; charset=utf-8" } });
  expect((await boss.get(`/provisioning/scim-tokens/${shown.id}`)).body.lastUsedAt).toEqual(expect.any(Number));

  const refused = { schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"], status: "401", detail: expect.any(String) };
  const callers = [
    scimCalls(iam.browser(), other.name, token), // another realm
    scimCalls(iam.browser(), realm.name, "ghscim_unknown"),
    { get: (path: string) => iam.browser().get(`/realms/${realm.name}/scim/v2${path}`) },
  ];
  for (const caller of callers)
    expect(await caller.get("/Users")).toMatchObject({
      status: 401,
      body: refused,
      headers: { "www-authenticate": expect.stringMatching(/^Bearer/), "content-type": "application/scim+json; charset=utf-8" },
    });
  expect(await scimCalls(iam.browser(), "nowhere", token).get("/Users")).toMatchObject({ status: 404, body: { status: "404" } });

  clock.advance(DAY + HOUR);
  expect((await scim.get("/Users")).status).toBe(401);
  clock.reset();
  const session = await realm.admin();
  expect((await session.delete(`/provisioning/scim-tokens/${shown.id}`)).status).toBe(204);
  expect((await scim.get("/Users")).status).toBe(401);
  const events = await realm.events("category=SECURITY");
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(["SCIM_TOKEN_CREATED", "SCIM_TOKEN_REVOKED"]));
  expect(JSON.stringify(await realm.events())).not.toContain(token);
});

test("SCIM is refused while the realm has it disabled, and its writes count as administrators' writes", async () => {
  const realm = await iam.realm();
  const scim = await scimClient(iam, realm, { permissions: ["view-users"] });
  expect((await scim.post("/Users", { userName: "ada" })).body).toMatchObject({ status: "403", detail: expect.any(String) });
  expect(await realm.events("type=ADMIN_DENIED")).toMatchObject([{ actor: "scim:entra", resourceType: "users", outcome: "FAILURE" }]);
  await enableScim(realm, false);
  expect(await scim.get("/Users")).toMatchObject({ status: 403, body: { detail: expect.stringContaining("disabled") } });
  await enableScim(realm);
  expect((await scim.get("/Users")).status).toBe(200);
  const { text } = await iam.browser().get("/monitoring/metrics");
  if (text.includes("svc_admin_write_total"))
    expect(text).toMatch(new RegExp(`svc_admin_write_total{[^}]*realm="${realm.name}"[^}]*denied`));
});

test("a token has no permission that its creator lacks, and changes nobody who holds more", async () => {
  const realm = await iam.realm();
  const maker = await realm.as("manage-realm", "view-users", "manage-users");
  for (const permissions of [undefined, ["realm-admin"], ["manage-users", "manage-roles"]])
    expect((await maker.post("/provisioning/scim-tokens", { name: "x", permissions })).status).toBe(403);
  expect((await maker.post("/provisioning/scim-tokens", { name: "x", identityProvider: "corp", permissions: ["view-users"] })).status).toBe(
    403,
  );
  expect((await realm.asMaster().get("/provisioning/scim-tokens")).body).toEqual([]);
  const scim = await scimClient(iam, realm, { permissions: ["view-users", "manage-users"] }, maker);
  const { userId } = await realm.admin();
  const before = (await realm.asMaster().get(`/users/${userId}`)).body;
  for (const answer of [
    await scim.patch(`/Users/${userId}`, [{ op: "replace", path: "active", value: false }]),
    await scim.put(`/Users/${userId}`, { userName: "admin", password: "taken over by SCIM" }),
    await scim.delete(`/Users/${userId}`),
  ])
    expect(answer).toMatchObject({ status: 403, body: { status: "403", detail: expect.stringContaining("permission") } });
  expect((await realm.asMaster().get(`/users/${userId}`)).body).toEqual(before);
  // The last administrator cannot be deleted by any caller.
  const almighty = await scimClient(iam, realm, { name: "all", permissions: ["realm-admin"] });
  for (const user of (await almighty.get("/Users")).body.Resources)
    if (user.id !== userId) expect((await almighty.delete(`/Users/${user.id}`)).status).toBe(204);
  expect(await almighty.delete(`/Users/${userId}`)).toMatchObject({ status: 409, body: { status: "409" } });
  const faults = await realm
    .asMaster()
    .post("/provisioning/scim-tokens", { name: "x", organizationId: "no", expiresAt: 1, identityProvider: "no" });
  expect(faults.body.errors.map(({ field }: { field: string }) => field)).toEqual(["expiresAt", "organizationId", "identityProvider"]);
});
