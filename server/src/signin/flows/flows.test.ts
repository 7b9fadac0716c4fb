import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness, testDatabase } from "../../testing/harness.ts";
import { onPostgres } from "../../testing/on-postgres.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const steps = [{ authenticator: "username-password", requirement: "REQUIRED", config: {} }];
const byName = [
  { authenticator: "username", requirement: "REQUIRED", config: {} },
  { authenticator: "password", requirement: "REQUIRED", config: {} },
];

describe("flows", () => {
  onPostgres("are made, read, listed, replaced, renamed and deleted, each with its event", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-authorization");
    const made = await admin.post("/flows", { alias: "office", displayName: "Office", steps });
    expect(made).toMatchObject({ status: 201, body: { alias: "office", displayName: "Office", builtIn: false, steps } });
    const read = await admin.get("/flows/office");
    expect(read.body).toEqual(made.body);
    expect(String(read.headers.etag).startsWith(String(made.headers.etag).slice(0, -1)), "the same version").toBe(true);

    const saved = await admin.put(
      "/flows/office",
      { ...made.body, displayName: "HQ", steps: byName },
      { headers: { "if-match": String(read.headers.etag) } },
    );
    expect(saved).toMatchObject({ status: 200, body: { displayName: "HQ", steps: byName } });
    expect((await admin.put("/flows/office", made.body, { headers: { "if-match": String(read.headers.etag) } })).status).toBe(412);
    expect((await admin.put("/flows/office", { ...made.body, alias: "other" })).body.errors).toMatchObject([
      { field: "alias", code: "read_only" },
    ]);

    expect(await admin.patch("/flows/office", { alias: "hq" })).toMatchObject({ status: 200, body: { alias: "hq", displayName: "HQ" } });
    expect((await admin.get("/flows/office")).status).toBe(404);
    const list = await admin.get("/flows?search=h");
    expect([list.headers["x-total-count"], list.body.map(({ alias }: { alias: string }) => alias)]).toEqual(["1", ["hq"]]);
    expect((await admin.delete("/flows/hq")).status).toBe(204);
    expect((await admin.get("/flows/hq")).status).toBe(404);
    const events = (await realm.events("category=ADMIN")).filter(({ resourceType }) => resourceType === "flows");
    expect(events.map(({ type, resourceId }) => `${type} ${resourceId}`)).toEqual([
      "ADMIN_DELETE hq",
      "ADMIN_UPDATE hq",
      "ADMIN_UPDATE office",
      "ADMIN_CREATE office",
    ]);
  });

  test("that are built in exist without a row, can be changed, and cannot be renamed or deleted", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    const aliases = (await admin.get("/flows")).body.map(({ alias }: { alias: string }) => alias);
    expect(aliases).toEqual([
      "browser",
      "direct-grant",
      "first-broker-login",
      "passwordless",
      "registration",
      "reset-credentials",
      "step-up",
    ]);
    const shipped = await admin.get("/flow");
    expect(shipped).toMatchObject({
      status: 200,
      body: { alias: "browser", builtIn: true },
      headers: { etag: expect.stringMatching(/^"0[."]/) },
    });
    expect((await admin.put("/flow", shipped.body)).status, "what GET returned is a valid PUT").toBe(200);
    const saved = await admin.put("/flow", { ...shipped.body, steps: byName });
    expect(saved).toMatchObject({ status: 200, body: { builtIn: true, steps: byName } });
    expect((await admin.get("/flows/browser")).body).toEqual(saved.body);
    expect((await (await iam.realm()).asMaster().get("/flow")).body.steps, "another realm's is as it was").toEqual(shipped.body.steps);
    for (const alias of ["browser", "step-up"]) {
      expect(await admin.delete(`/flows/${alias}`)).toMatchObject({ status: 409, body: { code: "flows.built_in" } });
      expect(await admin.patch(`/flows/${alias}`, { alias: "mine" })).toMatchObject({ status: 409, body: { code: "flows.built_in" } });
    }
    expect(await admin.post("/flows", { alias: "browser", steps })).toMatchObject({ status: 409, body: { code: "flows.alias_taken" } });
  });

  test("are copied", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    await admin.post("/flows", { alias: "one", steps: byName });
    expect((await admin.post("/flows", { alias: "two", copyFrom: "one" })).body).toMatchObject({
      alias: "two",
      displayName: "two",
      steps: byName,
    });
    expect((await admin.post("/flows", { alias: "three", copyFrom: "nowhere" })).body.errors).toMatchObject([{ field: "copyFrom" }]);
    for (const body of [{ alias: "four" }, { alias: "four", steps, copyFrom: "one" }])
      expect((await admin.post("/flows", body)).body.errors).toMatchObject([{ field: "steps", code: "required" }]);
    expect((await admin.post("/flows", { alias: "two", steps })).status).toBe(409);
    expect((await admin.patch("/flows/two", { alias: "one" })).status).toBe(409);
  });

  test("that cannot be passed are refused with the step and the reason, and nothing changes", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    const answer = await admin.put("/flow", {
      displayName: "Sign in",
      steps: [...steps, { alias: "a", requirement: "ALTERNATIVE", steps }],
    });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: "steps.1.requirement", code: "never_asked" }] } });
    expect(answer.body.detail).toContain("would never be asked");
    const deep = (levels: number): object =>
      levels === 0 ? steps[0]! : { alias: `l${levels}`, requirement: "REQUIRED", steps: [deep(levels - 1)] };
    expect((await admin.put("/flow", { displayName: "Deep", steps: [deep(4)] })).status).toBe(200);
    expect((await admin.put("/flow", { displayName: "Deep", steps: [deep(5)] })).status).toBe(400);
    for (const body of [
      {},
      { displayName: "x" },
      { displayName: "x", steps: [] },
      { displayName: "x", steps, more: 1 },
      { displayName: "x", steps: [{ ...steps[0], requirement: "MAYBE" }] },
    ])
      expect((await admin.put("/flow", body)).status).toBe(400);
    for (const alias of ["", "UPPER", "a b", "-a", "a/b", "a".repeat(64)])
      expect((await admin.post("/flows", { alias, steps })).status).toBe(400);
    expect((await admin.get("/flow")).body.displayName).toBe("Deep");
  });

  test("that shut out every administrator are refused, whoever of the realm saves them", async () => {
    const realm = await iam.realm();
    const keeper = await realm.as("manage-authorization");
    const ask = (authenticator: string, requirement = "REQUIRED", config = {}) => ({ authenticator, requirement, config });
    const save = (...saved: object[]) => keeper.put("/flow", { displayName: "Sign in", steps: saved });
    await realm.asMaster().post("/roles", { name: "staff" });
    const shutsOut = { status: 409, body: { code: "flows.shuts_out", detail: expect.stringContaining("realm-admin") } };
    const conditional = (...inner: object[]) => ({ alias: "more", requirement: "CONDITIONAL", steps: inner });
    for (const refused of [
      [ask("identity-provider")],
      [ask("cookie", "ALTERNATIVE"), ask("identity-provider", "ALTERNATIVE")],
      [ask("username"), ask("push")],
      [ask("username"), ask("sms-otp")],
      [ask("username-password"), ask("totp", "REQUIRED", { setUp: false })],
      [ask("username-password"), conditional(ask("condition-credential", "REQUIRED", { types: ["password"] }), ask("push"))],
      [ask("username-password"), conditional(ask("condition-credential", "REQUIRED", { types: ["totp"], negate: true }), ask("push"))],
    ])
      expect(await save(...refused), JSON.stringify(refused)).toMatchObject(shutsOut);
    expect((await (await realm.admin()).put("/flow", { displayName: "x", steps: [ask("identity-provider")] })).status).toBe(409);
    const shipped = (await keeper.get("/flow")).body;
    for (const fine of [
      [ask("username-password"), ask("totp")],
      [ask("identity-provider", "ALTERNATIVE"), ask("username-password", "ALTERNATIVE")],
      [ask("username-password"), conditional(ask("condition-role", "REQUIRED", { roles: ["staff"] }), ask("push"))],
      [ask("username-password"), conditional(ask("condition-credential", "REQUIRED", { types: ["password"], negate: true }), ask("push"))],
      [ask("username-password"), conditional(ask("condition-unknown-device", "REQUIRED", { negate: true }), ask("push"))],
      byName,
      shipped.steps,
    ]) {
      expect((await save(...fine)).status, JSON.stringify(fine)).toBe(200);
      // The administrator's session may prove less than the flow asks now.
      expect((await realm.asMaster().put("/flow", shipped)).status).toBe(200);
    }
    const admin = (await realm.admin()).userId;
    expect((await realm.asMaster().patch(`/users/${admin}`, { attributes: { phoneNumber: "+31612345678" } })).status).toBe(200);
    expect((await save(ask("username"), ask("sms-otp"))).status, "the administrator has a number now").toBe(200);
    expect((await realm.asMaster().put("/flow", { displayName: "x", steps: [ask("identity-provider")] })).status, "and can undo it").toBe(
      200,
    );
  });

  test("belong to one realm, which has at most a hundred", async () => {
    const [here, there] = [await iam.realm(), await iam.realm()];
    await there.asMaster().post("/flows", { alias: "theirs", steps });
    expect((await here.asMaster().get("/flows/theirs")).status).toBe(404);
    const row = { display_name: "x", steps: JSON.stringify(steps), created_at: 0, updated_at: 0, version: 1 };
    const rows = Array.from({ length: 107 }, (_, index) => ({ realm_id: here.name, alias: `n${index}`, ...row }));
    await iam.core.db.insertInto("flows").values(rows).execute();
    expect(await here.asMaster().post("/flows", { alias: "more", steps })).toMatchObject({ status: 409, body: { code: "flows.too_many" } });
    const page = await here.asMaster().get("/flows?size=50&page=2&sort=-alias");
    expect([page.body.length, page.headers["x-total-count"]]).toEqual([14, "114"]);
    expect((await here.asMaster().get("/flows?sort=displayName")).status).toBe(400);
  });
});

describe("flows of a client", () => {
  test("must exist and fit; a flow that a client uses is not deleted, and takes the client along when it is renamed", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    await admin.post("/flows", { alias: "office", steps: byName });
    const made = await admin.post("/clients", { clientId: "shop", browserFlow: "office", directGrantFlow: "office" });
    expect(made).toMatchObject({ status: 201, body: { browserFlow: "office", directGrantFlow: "office" } });
    expect(await admin.delete("/flows/office")).toMatchObject({ status: 409, body: { code: "flows.in_use" } });
    expect((await admin.delete("/flows/office")).body.detail).toContain("shop");

    const { id } = made.body;
    const before = await admin.get(`/clients/${id}`);
    await admin.patch("/flows/office", { alias: "hq" });
    const after = await admin.get(`/clients/${id}`);
    expect(after.body).toMatchObject({ browserFlow: "hq", directGrantFlow: "hq", clientId: "shop" });
    expect(after.headers.etag).not.toBe(before.headers.etag);

    const { updatedAt: _, ...state } = after.body;
    for (const [change, errors] of [
      [{ browserFlow: "nowhere" }, [{ field: "browserFlow", code: "unknown_flow" }]],
      [{ browserFlow: "registration" }, [{ field: "browserFlow", code: "unfit_flow" }]],
      [{ directGrantFlow: "passwordless" }, [{ field: "directGrantFlow", code: "unfit_flow" }]],
    ] as const)
      expect((await admin.put(`/clients/${id}`, { ...state, ...change })).body.errors).toMatchObject(errors);
    expect((await admin.put(`/clients/${id}`, { ...state, browserFlow: "passwordless", directGrantFlow: null })).status).toBe(200);
    expect((await admin.delete("/flows/hq")).status).toBe(204);
  });

  test.runIf(testDatabase() === "postgres")("a flow cannot be deleted while a client is about to use it", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    for (let round = 0; round < 5; round++) {
      await admin.post("/flows", { alias: `f${round}`, steps });
      const [client, flow] = await Promise.all([
        admin.post("/clients", { clientId: `c${round}`, browserFlow: `f${round}` }),
        admin.delete(`/flows/f${round}`),
      ]);
      expect([
        [201, 409],
        [400, 204],
      ]).toContainEqual([client.status, flow.status]);
    }
  });
});

test("a role or group that a condition names is not deleted: negated, the condition would hold for everybody", async () => {
  const admin = (await iam.realm()).asMaster();
  const { roleId } = (await admin.post("/roles", { name: "Staff" })).body;
  const { groupId } = (await admin.post("/groups", { name: "Sales" })).body;
  const below = (await admin.post("/groups", { name: "Europe", parentId: groupId })).body.groupId;
  const unless = (authenticator: string, config: object) => {
    const inner = [{ authenticator, requirement: "REQUIRED", config: { ...config, negate: true } }, ...steps];
    return [...byName, { alias: "more", requirement: "CONDITIONAL", steps: inner }];
  };
  const flow = async (alias: string, steps: object[]) => expect((await admin.post("/flows", { alias, steps })).status).toBe(201);
  await flow("by-role", unless("condition-role", { roles: ["staff"] }));
  await flow("by-group", unless("condition-group", { groups: [below] }));
  const inUse = (code: string, flow: string) => ({ status: 409, body: { code, detail: expect.stringContaining(flow) } });
  expect(await admin.delete(`/roles/${roleId}`)).toMatchObject(inUse("roles.in_use", "by-role"));
  expect(await admin.delete(`/groups/${groupId}`)).toMatchObject(inUse("groups.in_use", "by-group"));
  // A client's role of that name is another role.
  const { id } = (await admin.post("/clients", { clientId: "shop" })).body;
  await admin.post(`/clients/${id}/roles`, { name: "staff" });
  expect((await admin.delete(`/clients/${id}/roles/staff`)).status).toBe(204);
  for (const alias of ["by-role", "by-group"]) await admin.delete(`/flows/${alias}`);
  for (const path of [`/roles/${roleId}`, `/groups/${groupId}`]) expect((await admin.delete(path)).status, path).toBe(204);
});

test("a condition names roles and groups that exist, or those that the flow already names", async () => {
  const realm = await iam.realm();
  const admin = realm.asMaster();
  await admin.post("/roles", { name: "Staff" });
  const { id } = (await admin.post("/clients", { clientId: "shop" })).body;
  await admin.post(`/clients/${id}/roles`, { name: "clerk" });
  const step = (authenticator: string, config: object) => ({ authenticator, requirement: "REQUIRED", config });
  const when = (...conditions: object[]) => [...byName, { alias: "more", requirement: "CONDITIONAL", steps: [...conditions, ...steps] }];
  const group = "018f0000-0000-7000-8000-000000000000";
  const wrong = when(step("condition-role", { roles: ["staff", "clerk"] }), step("condition-group", { groups: [group] }));
  const at = `steps.${byName.length}.steps`;
  const refused = {
    status: 400,
    body: {
      errors: [
        { field: `${at}.0.config.roles.1`, code: "unknown_role" },
        { field: `${at}.1.config.groups.0`, code: "unknown_group" },
      ],
    },
  };
  expect(await admin.post("/flows", { alias: "office", steps: wrong })).toMatchObject(refused);
  expect((await admin.post("/flows", { alias: "office", steps: when(step("condition-role", { roles: ["staff"] })) })).status).toBe(201);
  expect(await admin.put("/flows/office", { steps: wrong })).toMatchObject(refused);
  expect(await admin.patch("/flow", { steps: wrong })).toMatchObject(refused);
  // Before roles in use were kept, one could be deleted.
  await iam.core.db
    .updateTable("roles")
    .set({ name: "Crew", name_key: "crew" })
    .where("realm_id", "=", realm.name)
    .where("name", "=", "Staff")
    .execute();
  expect((await admin.put("/flows/office", (await admin.get("/flows/office")).body)).status).toBe(200);
});

test("authenticators are listed with the configuration of their steps", async () => {
  const realm = await iam.realm();
  const { status, body } = await (await realm.as("manage-authorization")).get("/authenticators");
  expect(status).toBe(200);
  const named = Object.fromEntries(body.map((each: { name: string }) => [each.name, each]));
  expect(named["username-password"]).toMatchObject({ kind: "question", factor: "knowledge", identifies: true });
  expect(named.password).toMatchObject({ kind: "question", factor: "knowledge", identifies: false });
  expect(named.cookie).toMatchObject({ kind: "silent", factor: null });
  expect(named["condition-network"]).toMatchObject({
    kind: "condition",
    config: { type: "object", required: ["networks"], properties: { networks: { type: "array" } } },
  });
});
