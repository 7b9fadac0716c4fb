import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { newId } from "../../kernel/ids.ts";
import { type Answer, Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { relyingParty } from "../../testing/relying-party.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const must = ({ status, text, body }: Answer) => {
  expect(status, text).toBeLessThan(300);
  return body;
};

type Parts = { readonly [part in "scopes" | "resources" | "policies" | "permissions"]: readonly object[] };
interface Person {
  readonly username: string;
  readonly email?: string;
  readonly attributes?: object;
  readonly roles?: readonly string[];
}

/** Creates a decision point with these policies and users. */
async function pdp(parts: Parts, people: readonly Person[], settings: object = {}) {
  const realm = await iam.realm();
  const admin = realm.asMaster();
  const party = await relyingParty(iam, realm, {
    clientId: "pep",
    publicClient: false,
    redirectUris: [],
    grantTypes: ["client_credentials"],
  });
  for (const name of new Set(people.flatMap(({ roles = [] }) => roles))) must(await admin.post("/roles", { name }));
  const ids: Record<string, string> = {};
  for (const person of people) ids[person.username] = must(await admin.post("/users", person)).userId;
  const authz = `/clients/${party.id}/authz`;
  must(await admin.put(`${authz}/settings`, { enabled: true, ...settings }));
  for (const part of ["scopes", "resources", "policies", "permissions"] as const)
    for (const body of parts[part]) must(await admin.post(`${authz}/${part}`, body));
  const { access_token: token } = must(await party.post("/token", { grant_type: "client_credentials" }));
  const call = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    iam.browser().request("POST", `/realms/${realm.name}/access/v1${path}`, {
      body: body as object,
      headers: { authorization: `Bearer ${token}`, ...headers },
      csrf: false,
    });
  return { realm, admin, party, authz, ids, call, token };
}

const named = (names: readonly string[]) => names.map((name) => ({ name }));
const affirmative = { type: "aggregate", decisionStrategy: "AFFIRMATIVE" };

/** The fixture of the AuthZEN certification scenario, §C-1. */
const fixture: Parts = {
  scopes: named(["read", "write", "delete"]),
  resources: ["record-1", "record-2"].map((name, at) => ({
    ...{ name, type: "record", scopes: ["read", "write", "delete"], attributes: { status: [at === 0 ? "active" : "archived"] } },
  })),
  policies: [
    { name: "fixture users", type: "user", users: ["alice", "bob"] },
    { name: "alice", type: "user", users: ["alice"] },
    { name: "said archived", type: "attribute", path: "request.resource.properties.status", operator: "eq", value: "archived" },
    { name: "known archived", type: "attribute", path: "resource.attributes.status", operator: "eq", value: "archived" },
    { name: "archived", ...affirmative, policies: ["said archived", "known archived"] },
    { name: "said admin", type: "attribute", path: "request.subject.properties.role", operator: "eq", value: "admin" },
    { name: "known admin", type: "attribute", path: "user.attributes.role", operator: "eq", value: "admin" },
    { name: "admin", ...affirmative, policies: ["said admin", "known admin"] },
    { name: "known active", type: "attribute", path: "resource.attributes.status", operator: "ne", value: "archived" },
    { name: "alice active", type: "aggregate", policies: ["alice", "known active"] },
    { name: "admin archived", type: "aggregate", policies: ["admin", "archived"] },
    { name: "may write", ...affirmative, policies: ["alice active", "admin archived"] },
    { name: "soft", type: "attribute", path: "request.action.properties.soft", operator: "eq", value: true },
  ],
  permissions: [
    { name: "read", type: "scope", scopes: ["read"], policies: ["fixture users"] },
    { name: "write", type: "scope", scopes: ["write"], policies: ["may write"] },
    { name: "delete", type: "scope", scopes: ["delete"], policies: ["alice", "soft"] },
  ],
};
const alice = { type: "user", id: "alice" };
const bob = { type: "user", id: "bob" };
const record = (n: number, properties?: object) => ({ type: "record", id: `record-${n}`, ...(properties && { properties }) });
const archived = { status: "archived" };
const question = { subject: alice, action: { name: "read" }, resource: record(1) };
const certified: [boolean, object][] = [
  [true, question],
  [true, { ...question, action: { name: "write" } }],
  [true, { ...question, subject: bob }],
  [false, { ...question, subject: bob, action: { name: "write" } }],
  [false, { ...question, action: { name: "write" }, resource: record(2, archived) }],
  [true, { subject: { ...bob, properties: { role: "admin" } }, action: { name: "write" }, resource: record(2, archived) }],
  [true, { ...question, action: { name: "delete", properties: { soft: true } } }],
  [false, { ...question, action: { name: "delete", properties: { soft: false } } }],
  // These go beyond the eight questions: unknown or absent values are denied, and unknown members are ignored.
  [true, { ...question, context: { time: "2025-06-27T18:03-07:00", subject: "shadowed" } }],
  [true, { ...question, foo: "bar", futureField: { nested: true }, subject: { ...alice, future: 1, properties: { department: "Sales" } } }],
  [false, { ...question, action: { name: "delete" } }],
  [false, { ...question, subject: { type: "user", id: "nobody" } }],
  [false, { ...question, subject: { type: "group", id: "alice" } }],
  [false, { ...question, resource: { type: "record", id: "record-9" } }],
  [false, { ...question, resource: { type: "other", id: "record-1" } }],
  [false, { ...question, action: { name: "print" } }],
  [false, { ...question, subject: { type: "user", id: "x".repeat(5000) } }],
  [false, { ...question, subject: { type: "client", id: "pep" } }],
];

test("decides the certification fixture, one by one and in batches; finds subjects, resources and actions", async () => {
  const people = [{ username: "alice" }, { username: "bob", attributes: { role: "admin" } }];
  const { realm, admin, authz, call, ids, party, token } = await pdp(fixture, people);
  for (const [decision, body] of certified) {
    const answer = await call("/evaluation", body);
    expect([answer.status, answer.body], JSON.stringify(body)).toEqual([200, { decision }]);
  }
  const batch = must(await call("/evaluations", { evaluations: certified.map(([, body]) => body) }));
  expect(batch.evaluations).toEqual(certified.map(([decision]) => ({ decision })));
  expect((await call("/evaluation", { ...question, subject: { type: "user", id: ids.alice } })).body).toEqual({ decision: true });

  // These are defaults, semantics, and invalid items.
  const several = (evaluations: unknown[], semantic?: string, more: object = question) =>
    call("/evaluations", { ...more, evaluations, ...(semantic && { options: { evaluations_semantic: semantic } }) });
  const bobWrites = { subject: bob, action: { name: "write" } };
  expect(must(await several([{}, bobWrites, {}])).evaluations).toEqual([{ decision: true }, { decision: false }, { decision: true }]);
  expect(must(await several([{}, bobWrites, {}], "deny_on_first_deny")).evaluations).toHaveLength(2);
  expect(must(await several([bobWrites, {}, bobWrites], "permit_on_first_permit")).evaluations).toHaveLength(2);
  expect(
    must(
      await several([
        {},
        { resource: null },
        7,
        { subject: { type: "user" } },
        { context: [] },
        { action: { name: "read", properties: 1 } },
      ]),
    ),
  ).toEqual({
    evaluations: [
      { decision: true },
      ...["resource is needed", "an evaluation must be an object", "subject.id must be a text", "context must be an object"].map(
        (message) => ({
          ...{ decision: false, context: { error: { status: 400, message } } },
        }),
      ),
      { decision: false, context: { error: { status: 400, message: "action.properties must be an object" } } },
    ],
  });
  expect(must(await several([]))).toEqual({ decision: true });
  expect(must(await call("/evaluations", question))).toEqual({ decision: true });
  expect((await several([], undefined, { subject: alice })).status).toBe(400);
  expect((await several([{}], "nope")).status).toBe(400);
  expect((await several(Array.from({ length: 1001 }, () => ({})))).status).toBe(400);

  // Errors are plain messages, and the caller's request id is returned.
  const id = { "x-request-id": "bfe9eb29-ab87:4ca3!~" };
  for (const [missing, answer] of [
    ["resource", await call("/evaluation", { subject: alice, action: { name: "read" } }, id)],
    ["", await call("/evaluation", "not json", { ...id, "content-type": "application/json" })],
  ] as const) {
    expect([answer.status, answer.headers["x-request-id"]]).toEqual([400, id["x-request-id"]]);
    expect(answer.headers["content-type"]).toMatch(/^application\/json/);
    expect(answer.body).toEqual({
      status: 400,
      message: expect.stringContaining(missing),
      requestId: expect.not.stringContaining("bfe9eb29"),
    });
  }
  expect((await call("/evaluation", question, { "x-request-id": "a".repeat(128) })).headers["x-request-id"]).toBe("a".repeat(128));
  for (const odd of ["a".repeat(129), "with space", "caf\u00e9"])
    expect((await call("/evaluation", question, { "x-request-id": odd })).headers["x-request-id"], odd).toMatch(/^[0-9a-f-]{36}$/);

  // Only a client with authorization services may call, with a token in its own name.
  const anonymous = await call("/evaluation", question, { authorization: "", ...id });
  expect([anonymous.status, anonymous.headers["x-request-id"], String(anonymous.headers["www-authenticate"])]).toEqual([
    ...[401, id["x-request-id"], expect.stringContaining("Bearer")],
  ]);
  const user = await realm.user();
  const app = await relyingParty(iam, realm);
  const { access_token: users } = must(await app.signIn(iam.browser(), user));
  for (const path of ["/evaluation", "/evaluations", "/search/subject", "/search/resource", "/search/action"])
    expect((await call(path, question, { authorization: `Bearer ${users}` })).status, path).toBe(401);
  const elsewhere = await iam.realm();
  const foreign = `/realms/${elsewhere.name}/access/v1/evaluation`;
  const headers = { authorization: `Bearer ${token}` };
  expect((await iam.browser().request("POST", foreign, { body: question, headers, csrf: false })).status, "another realm").toBe(401);

  // Subjects can be searched only if an administrator who may view users has enabled it, and only by id.
  const search = async (what: string, body: object) => must(await call(`/search/${what}`, body));
  expect(await search("action", { subject: alice, resource: record(1) })).toEqual({
    ...{ results: [{ name: "read" }, { name: "write" }], page: { next_token: "" } },
  });
  expect((await search("action", { subject: bob, resource: record(2, archived) })).results).toContainEqual({ name: "write" });
  expect((await search("action", { subject: { type: "user", id: "nobody" }, resource: record(1) })).results).toEqual([]);
  const records = { subject: alice, action: { name: "read" }, resource: { type: "record", id: "ignored" } };
  expect(await search("resource", records)).toEqual({ results: [record(1), record(2)], page: { next_token: "" } });
  expect((await search("resource", { ...records, action: { name: "write" } })).results).toEqual([record(1)]);
  const first = await search("resource", { ...records, page: { limit: 1 } });
  expect(first.results).toEqual([record(1)]);
  expect(await search("resource", { ...records, page: { limit: 1, token: first.page.next_token } })).toEqual({
    ...{ results: [record(2)], page: { next_token: "" } },
  });
  for (const token of ["x", Buffer.from('{"name":1}').toString("base64url"), Buffer.from('"a\\u0000"').toString("base64url")])
    for (const what of ["resource", "subject"]) {
      const answer = await call(`/search/${what}`, { ...records, page: { token } });
      expect(answer.status, `${what} ${token}`).toBe(what === "resource" ? 400 : 403);
    }
  const subjects = { subject: { type: "user" }, action: { name: "read" }, resource: record(1) };
  expect((await call("/search/subject", subjects)).status).toBe(403);
  const settings = must(await admin.get(`${authz}/settings`));
  const clerk = await realm.as("manage-authorization");
  expect((await clerk.put(`${authz}/settings`, { ...settings, subjectSearch: true })).body.code).toBe("authz.view_users_needed");
  must(await (await realm.as("manage-authorization", "view-users")).put(`${authz}/settings`, { ...settings, subjectSearch: true }));
  must(await clerk.put(`${authz}/settings`, { ...settings, subjectSearch: true, decisionLogPercent: 100 }));
  expect((await search("subject", subjects)).results).toEqual([ids.alice, ids.bob].sort().map((each) => ({ type: "user", id: each })));
  expect((await search("subject", { ...subjects, action: { name: "write" }, resource: record(2, archived) })).results).toEqual([
    ...[{ type: "user", id: ids.bob }],
  ]);
  expect((await search("subject", { ...subjects, subject: { type: "client" } })).results).toEqual([]);

  // Decisions are logged only after logging was enabled, each by ids.
  expect(await realm.events("type=AUTHZ_DECISION")).toEqual([]);
  must(await call("/evaluations", { ...question, evaluations: [{}, bobWrites, { subject: { type: "user", id: "nobody" } }] }));
  const events = await realm.events("type=AUTHZ_DECISION");
  expect(events.map(({ outcome, detail, actor }) => [outcome, detail, actor])).toEqual(
    expect.arrayContaining([
      ["SUCCESS", `user ${ids.alice} at pep: read`, "pep"],
      ["FAILURE", `user ${ids.bob} at pep: write`, "pep"],
      ["FAILURE", "unknown subject at pep: something unknown", "pep"],
    ]),
  );

  // An agent is decided like its client, while the agent is active.
  const bot = must(await admin.post("/clients", { clientId: "bot", publicClient: false, grantTypes: ["client_credentials"] }));
  const { id: agentId } = must(await admin.post("/agents", { name: "bot", clientId: "bot", ownerUserId: user.userId }));
  must(await admin.post(`${authz}/policies`, { name: "bot", type: "client", clients: ["bot"] }));
  must(
    await admin.put(`${authz}/permissions/read`, { scopes: ["read"], policies: ["fixture users", "bot"], decisionStrategy: "AFFIRMATIVE" }),
  );
  const byAgent = async () => must(await call("/evaluation", { ...question, subject: { type: "agent", id: agentId } })).decision;
  const evaluated = async (subject: object) =>
    must(await admin.post(`${authz}/evaluate`, { ...subject, resources: [{ name: question.resource.id, scopes: ["read"] }] })).status;
  expect([await byAgent(), bot.clientId, await evaluated({ agentId })]).toEqual([false, "bot", "DENY"]);
  must(await admin.post(`/agents/${agentId}/activate`));
  expect([await byAgent(), await evaluated({ agentId })]).toEqual([true, "PERMIT"]);
  expect(await evaluated({ userId: ids.alice, actors: ["bot"] })).toBe("PERMIT");
  for (const subject of [{}, { agentId, clientId: "bot" }, { userId: ids.alice, agentId }])
    expect(await admin.post(`${authz}/evaluate`, { ...subject, scopes: ["read"] })).toMatchObject({
      ...{ status: 400, body: { errors: [{ field: "userId", code: "one_subject" }] } },
    });
  expect((await admin.post(`${authz}/evaluate`, { agentId: newId(), scopes: ["read"] })).body.code).toBe("authz.subject_not_found");
  must(await admin.post(`/agents/${agentId}/suspend`));
  expect(await byAgent()).toBe(false);
  expect(must(await call("/evaluation", { ...question, subject: { type: "client", id: "bot" } })).decision).toBe(false);

  const metadata = must(await iam.browser().get(`/.well-known/authzen-configuration/realms/${realm.name}`));
  const issuer = `${iam.config.baseUrl}/realms/${realm.name}`;
  expect(metadata).toMatchObject({ policy_decision_point: issuer, access_evaluation_endpoint: `${issuer}/access/v1/evaluation` });
  expect(must(await iam.browser().get(`/realms/${realm.name}/.well-known/authzen-configuration`))).toEqual(metadata);
  expect(party.clientId).toBe("pep");
});

/** The interoperability scenario "todo" of the working group: five people with their roles. The request names the owners. */
const todoRoles = { rick: "chief", morty: "editor", summer: "editor", beth: "viewer", jerry: "viewer" } as const;
const todo: Parts = {
  scopes: named(["can_read_user", "can_read_todos", "can_create_todo", "can_update_todo", "can_delete_todo"]),
  resources: [
    { name: "beth@todo.example", type: "user", scopes: ["can_read_user"] },
    { name: "todo-1", type: "todo", scopes: ["can_read_todos", "can_create_todo", "can_update_todo", "can_delete_todo"] },
  ],
  policies: [
    { name: "anyone", type: "attribute", path: "user.id", operator: "exists" },
    { name: "editors", type: "role", roles: ["chief", "editor"] },
    { name: "editor", type: "role", roles: ["editor"] },
    { name: "admin", type: "role", roles: ["chief"] },
    { name: "owner", type: "attribute", path: "request.resource.properties.ownerID", operator: "eq", valuePath: "user.email" },
    { name: "editing owner", type: "aggregate", policies: ["editor", "owner"] },
    { name: "may change", type: "aggregate", decisionStrategy: "AFFIRMATIVE", policies: ["admin", "editing owner"] },
  ],
  permissions: [
    { name: "read", type: "scope", scopes: ["can_read_user", "can_read_todos"], policies: ["anyone"] },
    { name: "create", type: "scope", scopes: ["can_create_todo"], policies: ["editors"] },
    { name: "change", type: "scope", scopes: ["can_update_todo", "can_delete_todo"], policies: ["may change"] },
  ],
};

test("decides the todo scenario", async () => {
  const mail = (name: string) => `${name}@todo.example`;
  const people = Object.entries(todoRoles).map(([name, role]) => ({ username: name, email: mail(name), roles: [role] }));
  const { call } = await pdp(todo, people);
  const cases = Object.entries(todoRoles).flatMap(([name, role]) => {
    const ask = (action: string, decision: boolean, resource: object = { type: "todo", id: "todo-1" }) => {
      const body = { subject: { type: "user", id: mail(name) }, action: { name: action }, resource };
      return { decision, body };
    };
    const owned = (by: string) => ({ type: "todo", id: "todo-1", properties: { ownerID: mail(by) } });
    return [
      ask("can_read_user", true, { type: "user", id: "beth@todo.example" }),
      ask("can_read_todos", true),
      ask("can_create_todo", role !== "viewer"),
      ...["can_update_todo", "can_delete_todo"].flatMap((action) => [
        ask(action, role === "chief", owned("rick")),
        ask(action, role !== "viewer", owned(name)),
      ]),
    ];
  });
  expect(cases).toHaveLength(35);
  const { evaluations } = must(await call("/evaluations", { evaluations: cases.map(({ body }) => body) }));
  expect(evaluations).toEqual(cases.map(({ decision }) => ({ decision })));
});

test("one check takes at most three statements; a changed policy counts on this node at once, and on another", async () => {
  const { realm, admin, authz, call, token } = await pdp(fixture, [
    { username: "alice" },
    { username: "bob", attributes: { role: "admin" } },
  ]);
  const query = vi.spyOn(pg.Client.prototype, "query");
  const cost = async () => {
    const before = query.mock.calls.length;
    must(await call("/evaluation", question));
    return query.mock.calls.length - before;
  };
  await cost();
  // The lowest count of several is used, because background work also queries the database.
  let fewest = await cost();
  for (let rounds = 0; rounds < 20; rounds++) fewest = Math.min(fewest, await cost());
  query.mockRestore();
  expect(fewest).toBeGreaterThan(0);
  expect(fewest).toBeLessThanOrEqual(3);

  const second = await iam.secondNode();
  const there = new Browser(second.server.app);
  const decidedThere = async () =>
    must(
      await there.request("POST", `/realms/${realm.name}/access/v1/evaluation`, {
        ...{ body: question, headers: { authorization: `Bearer ${token}` }, csrf: false },
      }),
    ).decision;
  expect(await decidedThere()).toBe(true);
  must(await admin.put(`${authz}/policies/fixture users`, { type: "user", users: ["bob"] }));
  expect(must(await call("/evaluation", question)).decision).toBe(false);
  await expect.poll(decidedThere).toBe(false);
});
