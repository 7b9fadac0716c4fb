import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock } from "../../kernel/clock.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { onPostgres } from "../../testing/on-postgres.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

interface Stage {
  readonly realm: RealmUnderTest;
  readonly admin: AdminClient;
  readonly client: { id: string; clientId: string };
  post(path: string, body: object): Promise<Record<string, string>>;
  evaluate(body: object): Promise<{ status: string; results: Record<string, unknown>[] }>;
  /** Returns the path below the client's authz. */
  at(path: string): string;
}

/** Creates a realm with a resource server `api`. */
async function stage(settings: object = {}): Promise<Stage> {
  const realm = await iam.realm();
  const admin = realm.asMaster();
  const must = async (answer: ReturnType<AdminClient["post"]>) => {
    const { status, text, body } = await answer;
    expect(status, text).toBeLessThan(300);
    return body;
  };
  const client = await must(admin.post("/clients", { clientId: "api" }));
  const at = (path: string) => `/clients/${client.id}/authz${path}`;
  await must(admin.put(at("/settings"), { enabled: true, ...settings }));
  return {
    realm,
    admin,
    client,
    at,
    post: (path, body) => must(admin.post(path.startsWith("~") ? at(path.slice(1)) : path, body)),
    evaluate: (body) => must(admin.post(at("/evaluate"), body)),
  };
}

describe("the model", () => {
  test("is off until it is enabled, and each part is created, read, replaced and deleted by name", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-authorization", "view-users");
    const { id } = (await realm.asMaster().post("/clients", { clientId: "api" })).body;
    const at = (path: string) => `/clients/${id}/authz${path}`;
    const settings = await admin.get(at("/settings"));
    expect(settings.body).toMatchObject({ enabled: false, policyEnforcementMode: "ENFORCING", decisionStrategy: "UNANIMOUS" });
    for (const path of ["/resources", "/scopes", "/policies", "/permissions"])
      for (const each of [path, `${path}/x`])
        expect(await admin.get(at(each)), each).toMatchObject({ status: 409, body: { code: "authz.disabled" } });
    const silent = await admin.put(at("/settings"), {});
    expect(silent).toMatchObject({ status: 400, body: { errors: [{ field: "enabled", code: "required" }] } });
    expect(await admin.patch(at("/settings"), { enabled: true })).toMatchObject({ status: 200, body: { enabled: true } });

    await realm.asMaster().post("/roles", { name: "staff" });
    const made = [
      ["/scopes", { name: "view" }, { displayName: "View" }],
      ["/resources", { name: "/api/*#ü", type: "doc", scopes: ["view"], uris: ["/api/*"] }, { displayName: "Docs", scopes: ["view"] }],
      [
        "/policies",
        { name: "Staff only", type: "role", roles: ["staff"] },
        { logic: "NEGATIVE", roles: [{ name: "staff", required: true }] },
      ],
      [
        "/permissions",
        { name: "Staff / view", type: "scope", scopes: ["view"], resources: ["/api/*#ü"], policies: ["Staff only"] },
        { scopes: ["view"] },
      ],
    ] as const;
    for (const [path, body, change] of made) {
      const created = await admin.post(at(path), body);
      expect(created.status, created.text).toBe(201);
      const item = at(`${path}/${encodeURIComponent(body.name)}`);
      const read = await admin.get(item);
      expect(read.body).toEqual(created.body);
      expect((await admin.put(item, read.body)).body, "what GET says is a valid PUT").toEqual(read.body);
      expect((await admin.put(item, change)).body).toMatchObject(change);
      expect((await admin.put(item, read.body, { headers: { "if-match": String(read.headers.etag) } })).status).toBe(412);
      expect((await admin.get(at(path))).body).toHaveLength(1);
      expect((await admin.post(at(path), body)).status, "taken").toBe(409);
      await admin.put(item, read.body);
    }
    const item = ([path, { name }]: (typeof made)[number]) => at(`${path}/${encodeURIComponent(name)}`);
    for (const each of made.slice(0, 3))
      expect(await admin.delete(item(each)), each[0]).toMatchObject({ status: 409, body: { code: "authz.in_use" } });
    for (const each of [made[3], made[2], made[1], made[0]]) expect((await admin.delete(item(each))).status, each[0]).toBe(204);
    expect((await admin.get(item(made[0]))).status).toBe(404);
    expect((await (await realm.as("view-clients")).post(at("/scopes"), { name: "x" })).status).toBe(403);
    expect((await (await realm.as("manage-users")).get(at("/scopes"))).status).toBe(403);
  });

  onPostgres("refuses what names nothing, includes itself, does not fit its type, or is code", async () => {
    const { admin, at, post } = await stage();
    const refused = async (path: string, body: object, field: string, code?: string) =>
      expect(await admin.post(at(path), body), JSON.stringify(body)).toMatchObject({
        status: 400,
        body: { errors: [{ field, ...(code && { code }) }] },
      });
    await refused("/resources", { name: "r", scopes: ["nope"] }, "scopes", "unknown_scope");
    await refused("/policies", { name: "p", type: "role", roles: ["nope"] }, "roles", "unknown_role");
    await refused("/policies", { name: "p", type: "group", groups: ["/nope"] }, "groups", "unknown_group");
    await refused("/policies", { name: "p", type: "client-scope", clientScopes: ["nope"] }, "clientScopes");
    await refused("/policies", { name: "p", type: "role" }, "roles", "required");
    await refused("/policies", { name: "p", type: "time", roles: ["x"] }, "roles", "other_type");
    await refused("/policies", { name: "p", type: "time", hourEnd: 3, hour: 2, timeZone: "Mars/Base" }, "timeZone");
    await refused("/policies", { name: "p", type: "regex", targetClaim: "email", pattern: "(a)\\1" }, "pattern");
    await refused("/policies", { name: "p", type: "regex", targetClaim: "email", pattern: "a".repeat(256) }, "pattern");
    await refused("/policies", { name: "p", type: "attribute", path: "server.secret", operator: "exists" }, "path");
    await refused("/policies", { name: "p", type: "aggregate", policies: ["nope"] }, "policies", "unknown_policy");
    await refused("/policies", { name: "p", type: "aggregate", policies: ["p"] }, "policies", "cycle");
    await refused("/permissions", { name: "p", type: "scope", scopes: ["nope"] }, "scopes");
    await refused("/permissions", { name: "p", type: "resource", resources: ["nope"] }, "resources", "unknown_resource");
    expect(await admin.post(at("/policies"), { name: "p", type: "js" })).toMatchObject({ status: 400, body: { code: "authz.js_refused" } });

    await post("~/policies", { name: "p0", type: "time", hour: 0, hourEnd: 23 });
    for (let depth = 1; depth <= 10; depth++)
      await post("~/policies", { name: `p${depth}`, type: "aggregate", policies: [`p${depth - 1}`] });
    await refused("/policies", { name: "p11", type: "aggregate", policies: ["p10"] }, "policies", "too_deep");
    expect(await admin.put(at("/policies/p1"), { policies: ["p5"] })).toMatchObject({ status: 400, body: { errors: [{ code: "cycle" }] } });
  });

  test("a policy keeps the client role that it names if a realm role gets the same spelling, and a new policy accepts neither", async () => {
    const { admin, client, post, at } = await stage();
    const own = await post(`/clients/${client.id}/roles`, { name: "own" });
    const policy = { name: "p", type: "role", roles: ["api/own"] };
    await post("~/policies", policy);
    const { roleId } = await post("/roles", { name: "api/own" });
    expect(await admin.post(at("/policies"), { ...policy, name: "q" })).toMatchObject({
      status: 400,
      body: { errors: [{ field: "roles", code: "ambiguous_role" }] },
    });
    expect((await admin.put(at("/policies/p"), { roles: ["api/own"], logic: "NEGATIVE" })).status).toBe(200);
    expect((await admin.delete(`/roles/${roleId}`)).status, "no policy names it").toBe(204);
    expect((await admin.get(at("/policies/p"))).body).toMatchObject({ logic: "NEGATIVE", roles: [{ name: "api/own" }] });
    await post("~/policies", { ...policy, name: "q", roles: [own.roleId] });
  });

  test("a role, group, client or scope that policies name cannot be deleted; a user always can, and then the policy denies", async () => {
    const { realm, admin, client, at, post, evaluate } = await stage({ policyEnforcementMode: "ENFORCING" });
    const role = await post("/roles", { name: "staff" });
    const top = await post("/groups", { name: "Top" });
    await post("/groups", { name: "Below", parentId: top.groupId! });
    const other = await post("/clients", { clientId: "web" });
    await post(`/clients/${client.id}/roles`, { name: "own" });
    const scope = await post("/client-scopes", { name: "orders" });
    const ada = await realm.user("ada");
    await post("~/policies", { name: "by role", type: "role", roles: ["staff", "api/own"] });
    await post("~/policies", { name: "by group", type: "group", groups: ["/Top/Below"] });
    await post("~/policies", { name: "by client", type: "client", clients: ["web"] });
    await post("~/policies", { name: "by scope", type: "client-scope", clientScopes: ["orders"] });
    await post("~/policies", { name: "not ada", type: "user", users: ["ada"], logic: "NEGATIVE" });
    for (const [path, policy] of [
      [`/roles/${role.roleId}`, "api/by role"],
      [`/clients/${client.id}/roles/own`, "api/by role"],
      [`/groups/${top.groupId}`, "api/by group"],
      [`/clients/${other.id}`, "api/by client"],
      [`/client-scopes/${scope.scopeId}`, "api/by scope"],
    ] as const)
      expect(await admin.delete(path), path).toMatchObject({
        status: 409,
        body: { code: "authz.in_use", detail: expect.stringContaining(policy) },
      });

    await post("~/scopes", { name: "view" });
    await post("~/resources", { name: "doc", scopes: ["view"] });
    await post("~/permissions", { name: "view", type: "scope", scopes: ["view"], policies: ["not ada"] });
    const bob = await realm.user("bob");
    const may = async () => (await evaluate({ userId: bob.userId, resources: [{ name: "doc" }] })).status;
    expect(await may()).toBe("PERMIT");
    expect((await admin.delete(`/users/${ada.userId}`)).status).toBe(204);
    expect(await may(), "it cannot tell any more").toBe("DENY");
    expect((await admin.get(at("/policies/not%20ada"))).body.users).toEqual([]);
    expect((await realm.events("type=ADMIN_UPDATE")).map(({ detail }) => detail)).toContain("policy not ada lost a user who was deleted");

    expect((await admin.delete(`/clients/${client.id}`)).status, "with its own policies, which name its own role").toBe(204);
    expect((await admin.delete(`/clients/${other.id}`)).status).toBe(204);
  });

  test("a policy that lost users can be written as it was read, by the API and by a document, and still permits no other user", async () => {
    const { realm, admin, at, post, evaluate } = await stage({ policyEnforcementMode: "ENFORCING" });
    const ada = await realm.user("ada");
    // An earlier document used this name for nobody.
    const others = [await realm.user("bob"), await realm.user("\u2205")];
    await post("~/scopes", { name: "view" });
    await post("~/resources", { name: "doc", scopes: ["view"] as never });
    await post("~/policies", { name: "ada", type: "user", users: ["ada"] as never });
    await post("~/policies", { name: "not ada", type: "user", users: ["ada"] as never, logic: "NEGATIVE" });
    await post("~/policies", { name: "not both", type: "user", users: ["ada", "bob"] as never, logic: "NEGATIVE" });
    const policies = ["ada", "not ada", "not both"];
    for (const policy of policies)
      await post("~/permissions", { name: `p ${policy}`, type: "scope", scopes: ["view"] as never, policies: [policy] as never });
    await admin.put(at("/settings"), { ...(await admin.get(at("/settings"))).body, decisionStrategy: "AFFIRMATIVE" });
    expect((await admin.delete(`/users/${ada.userId}`)).status).toBe(204);

    const nobody = async (after: string) => {
      for (const { userId, username } of others)
        expect((await evaluate({ userId, resources: [{ name: "doc", scopes: ["view"] }] })).status, `${username} ${after}`).toBe("DENY");
    };
    await nobody("after the deletion");
    for (const name of policies) {
      const path = at(`/policies/${encodeURIComponent(name)}`);
      const { body: read } = await admin.get(path);
      expect(read.users).toEqual(name === "not both" ? ["bob"] : []);
      expect(await admin.put(path, read), name).toMatchObject({ status: 200, body: read });
    }
    await nobody("after a PUT of what was read");
    const document = (await admin.get("/export?sections=authorization")).body;
    for (const policy of document.authorization[0].policies) policy.description = "another description";
    expect((await admin.post("/import", document)).status).toBe(200);
    await nobody("after an import with another description");
    document.authorization[0].policies[0].name = "new";
    document.authorization[0].permissions[0].policies = ["new"];
    expect((await admin.post("/import", document)).status).toBe(200);
    await nobody("after an import that makes the policy anew");

    await admin.put(at("/policies/not%20both"), { users: ["\u2205"], logic: "NEGATIVE" });
    const [bob] = others;
    expect((await evaluate({ userId: bob!.userId, resources: [{ name: "doc", scopes: ["view"] }] })).status, "other users").toBe("PERMIT");
  });

  test("is each client's own: ids and names of another client are not found", async () => {
    const { admin, at, post } = await stage();
    await post("~/scopes", { name: "view" });
    const resource = await post("~/resources", { name: "doc", scopes: ["view"] as never });
    const other = await post("/clients", { clientId: "other" });
    await admin.put(`/clients/${other.id}/authz/settings`, { enabled: true });
    for (const name of [resource.resourceId, "doc"]) {
      expect((await admin.get(`/clients/${other.id}/authz/resources/${name}`)).status).toBe(404);
      expect((await admin.delete(`/clients/${other.id}/authz/resources/${name}`)).status).toBe(404);
      expect((await admin.post(`/clients/${other.id}/authz/evaluate`, { clientId: "other", resources: [{ name }] })).status).toBe(404);
      expect((await admin.get(at(`/resources/${name}`))).status).toBe(200);
    }
    const elsewhere = (await iam.realm()).asMaster();
    expect((await elsewhere.get(at("/resources"))).status).toBe(404);
  });

  test("hides users from those who may not view them", async () => {
    const { realm, at, post } = await stage();
    const { userId } = await realm.user("ada");
    await post("~/policies", { name: "ada", type: "user", users: ["ada"] });
    const clients = await realm.as("manage-clients", "view-clients");
    expect((await clients.get(at("/policies/ada"))).body.users).toEqual([userId]);
    expect((await clients.put(at("/policies/ada"), { users: [userId], logic: "NEGATIVE" })).status).toBe(200);
    for (const users of [["bob"], ["admin"]])
      expect(await clients.post(at("/policies"), { name: "other", type: "user", users }), users[0]).toMatchObject({
        status: 403,
        body: { code: "authz.view_users_needed" },
      });
    expect((await clients.post(at("/evaluate"), { userId, scopes: ["x"] })).status).toBe(403);
  });
});

describe("a text in the form of an id", () => {
  test("is the user with the id in owners, policies and requests, even if another user has that username", async () => {
    const { realm, admin, at, post, evaluate } = await stage();
    const { userId } = await realm.user("victim");
    const attacker = await realm.user();
    const { body } = await admin.get(`/users/${attacker.userId}`);
    expect((await admin.put(`/users/${attacker.userId}`, { ...body, username: userId })).status).toBe(200);
    await post("~/scopes", { name: "view" });
    expect(await post("~/resources", { name: "diary", owner: userId, scopes: ["view"] as never })).toMatchObject({ owner: "victim" });
    expect((await admin.get(at(`/resources?owner=${userId}`))).body).toHaveLength(1);
    expect(await post("~/policies", { name: "Victim", type: "user", users: [userId] as never })).toMatchObject({ users: ["victim"] });
    await post("~/resources", { name: "doc", scopes: ["view"] as never });
    await post("~/permissions", { name: "p", type: "resource", resources: ["doc"] as never, policies: ["Victim"] as never });
    const ask = async (asking: string) => (await evaluate({ userId: asking, resources: [{ name: "doc", scopes: ["view"] }] })).status;
    expect([await ask(userId), await ask("victim"), await ask(attacker.userId)]).toEqual(["PERMIT", "PERMIT", "DENY"]);

    // The other user is shown by id, so that a policy can be written as it was read.
    const { users } = await post("~/policies", { name: "Namesake", type: "user", users: [attacker.userId] as never });
    expect(users).toEqual([attacker.userId]);
    expect((await admin.put(at("/policies/Namesake"), { users })).body.users).toEqual([attacker.userId]);
    expect(await post("~/resources", { name: "own", owner: attacker.userId })).toMatchObject({ owner: attacker.userId });
  });

  test("is the client with the id in policies, and the one with that client id if no client has the id", async () => {
    const { at, admin, client, post } = await stage();
    const free = "0198f0aa-0000-7000-8000-00000000000a";
    for (const clientId of [client.id, free]) await post("/clients", { clientId });
    await post("~/policies", { name: "Both", type: "client", clients: [client.id, free] as never });
    const { body } = await admin.get(at("/policies/Both"));
    expect(body.clients).toEqual(["api", free]);
    expect((await admin.put(at("/policies/Both"), { clients: body.clients })).body.clients).toEqual(["api", free]);
  });
});

describe("evaluate", () => {
  test("gives the reasons of a decision as sentences", async () => {
    const { realm, post, evaluate } = await stage();
    const { userId } = await realm.user();
    await post("/roles", { name: "staff" });
    await post("~/policies", { name: "Staff", type: "role", roles: ["staff"] as never });
    await post("~/resources", { name: "doc" });
    await post("~/permissions", { name: "p", type: "resource", resources: ["doc"] as never, policies: ["Staff"] as never });
    expect((await evaluate({ userId, resources: [{ name: "doc" }] })).results).toMatchObject([
      {
        reason: "all permissions that apply must permit",
        permissions: [{ policies: [{ name: "Staff", status: "DENY", reason: "the subject does not hold the roles" }] }],
      },
    ]);
  });

  onPostgres("follows roles on the next call and names the policy; by groups, never by their names; by the server's clock", async () => {
    const { realm, admin, post, evaluate } = await stage();
    const staff = await post("/roles", { name: "staff" });
    const [a, b] = [await post("/groups", { name: "a" }), await post("/groups", { name: "b" })];
    const [first, second] = [
      await post("/groups", { name: "staff", parentId: a.groupId! }),
      await post("/groups", { name: "staff", parentId: b.groupId! }),
    ];
    for (const name of ["view", "group", "time"]) await post("~/scopes", { name });
    await post("~/resources", { name: "doc", scopes: ["view", "group", "time"] as never });
    await post("~/policies", { name: "Staff", type: "role", roles: ["staff"] });
    await post("~/policies", { name: "Group", type: "group", groups: [{ path: "/a", extendChildren: true }] as never });
    await post("~/policies", { name: "Past", type: "time", notOnOrAfter: "2001-01-01 00:00:00" });
    for (const [scope, policy] of [
      ["view", "Staff"],
      ["group", "Group"],
      ["time", "Past"],
    ])
      await post("~/permissions", { name: scope!, type: "scope", scopes: [scope] as never, policies: [policy] as never });
    const { userId } = await realm.user();
    const ask = async (...scopes: string[]) =>
      (
        await evaluate({
          userId,
          resources: [{ name: "doc", scopes }],
          context: { now: "2000-01-01", "kc.time.date_time": "2000-01-01 00:00:00" },
        })
      ).results[0]!;
    expect(await ask("view")).toMatchObject({
      status: "DENY",
      permissions: [{ name: "view", policies: [{ name: "Staff", status: "DENY" }] }],
    });
    await post(`/users/${userId}/roles`, { name: "staff" });
    expect(await ask("view")).toMatchObject({ status: "PERMIT", allowedScopes: ["view"] });
    expect((await admin.delete(`/users/${userId}/roles/${staff.roleId}`)).status).toBe(204);
    expect((await ask("view")).status).toBe("DENY");

    await post(`/groups/${second.groupId}/members`, { userId });
    expect((await ask("group")).status, "another group of that name").toBe("DENY");
    await post(`/groups/${first.groupId}/members`, { userId });
    expect((await ask("group")).status).toBe("PERMIT");
    expect((await ask("time")).status, "pushed times have no effect").toBe("DENY");
    expect(await ask("group", "time")).toMatchObject({ status: "DENY", allowedScopes: ["group"], deniedScopes: ["time"] });
    const events = await realm.events();
    await ask("group");
    expect(await realm.events(), "no event").toHaveLength(events.length);
  });

  test("combines by strategy and mode, and does dry runs", async () => {
    const { realm, admin, at, post, evaluate } = await stage();
    await post("~/scopes", { name: "view" });
    await post("~/resources", { name: "doc", scopes: ["view"] as never });
    const { userId } = await realm.user();
    const ask = async (more: object = {}) => (await evaluate({ userId, resources: [{ name: "doc" }], ...more })).status;
    expect(await ask(), "no permission").toBe("DENY");
    await admin.put(at("/settings"), { enabled: true, policyEnforcementMode: "PERMISSIVE" });
    expect(await ask()).toBe("PERMIT");
    await post("~/policies", { name: "yes", type: "time", hour: 0, hourEnd: 23 });
    await post("~/policies", { name: "yes too", type: "time", minute: 0, minuteEnd: 59 });
    await post("~/policies", { name: "no", type: "time", hour: 0, hourEnd: 23, logic: "NEGATIVE" });
    const permission = (policies: string[], decisionStrategy: string) => ({
      permissions: [{ name: "view", type: "scope", scopes: ["view"], policies, decisionStrategy }],
    });
    for (const [policies, strategy, verdict] of [
      [["yes", "yes too", "no"], "UNANIMOUS", "DENY"],
      [["yes", "yes too", "no"], "AFFIRMATIVE", "PERMIT"],
      [["yes", "yes too", "no"], "CONSENSUS", "PERMIT"],
      [["yes", "no"], "CONSENSUS", "DENY"],
      [[], "AFFIRMATIVE", "DENY"],
    ] as const)
      expect(await ask(permission([...policies], strategy)), `${policies} ${strategy}`).toBe(verdict);
    expect(
      await ask({
        ...permission(["maybe"], "UNANIMOUS"),
        policies: [{ name: "maybe", type: "attribute", path: "request.level", operator: "gt", value: 2 }],
        context: { level: 3 },
      }),
    ).toBe("PERMIT");
    expect(await ask(), "nothing of it was stored").toBe("PERMIT");
    await post("~/permissions", permission(["no"], "UNANIMOUS").permissions[0]!);
    expect(await ask()).toBe("DENY");
    await admin.put(at("/settings"), { enabled: true, policyEnforcementMode: "DISABLED" });
    expect(await ask()).toBe("PERMIT");
  });

  test("answers for clients, and for actors of a user what both may do", async () => {
    const { realm, admin, at, post, evaluate } = await stage();
    await post("/roles", { name: "staff" });
    await post("~/scopes", { name: "view" });
    await post("~/resources", { name: "doc", scopes: ["view"] as never });
    await post("~/policies", { name: "Staff", type: "role", roles: ["staff"] });
    await post("~/permissions", { name: "view", type: "scope", scopes: ["view"] as never, policies: ["Staff"] as never });
    const robot = await post("/clients", { clientId: "robot", grantTypes: ["client_credentials"] as never });
    const { userId } = await realm.user();
    await post(`/users/${userId}/roles`, { name: "staff" });
    const ask = async (body: object) => (await evaluate({ ...body, resources: [{ name: "doc" }] })).status;
    expect(await ask({ clientId: "robot" })).toBe("DENY");
    expect(await ask({ userId, actors: ["robot"] })).toBe("DENY");
    await admin.put(at("/settings"), { enabled: true, delegation: "subject" });
    expect(await ask({ userId, actors: ["robot"] })).toBe("PERMIT");
    await admin.put(at("/settings"), { enabled: true });
    await post(`/clients/${robot.id}/service-account/roles`, { name: "staff" });
    expect(await ask({ clientId: "robot" })).toBe("PERMIT");
    expect(await ask({ userId, actors: ["robot"] })).toBe("PERMIT");
    expect((await admin.post(at("/evaluate"), { userId: "nobody here", scopes: ["view"] })).status).toBe(404);
  });
});
