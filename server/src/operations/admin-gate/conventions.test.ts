// Rules that every route of the admin API keeps. The routes come from the API description, so that none can be forgotten.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../kernel/ids.ts";
import { addAuthzParts } from "../../testing/authz-parts.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { identityProvider } from "../../testing/identity-providers.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";

interface Operation {
  readonly description?: string;
  readonly requestBody?: { readonly content: Record<string, unknown> };
  readonly responses: Record<string, { content?: Record<string, { schema: { $ref?: string; type?: string } }>; headers?: object }>;
  readonly parameters?: { name?: string; in?: string }[];
}
type Paths = Record<string, Partial<Record<"get" | "put" | "patch" | "post" | "delete", Operation>>>;

let iam: SharedHarness;
let paths: Paths;
let realm: RealmUnderTest;
let admin: AdminClient;
beforeAll(async () => {
  iam = await sharedHarness();
  paths = (await iam.browser().get("/v3/api-docs")).body.paths;
  realm = await iam.realm();
  admin = realm.asMaster();
});
afterAll(() => iam?.close());

const IN_REALM = "/admin/realms/{realm}";
const answerOf = (operation: Operation | undefined) => operation?.responses["200"]?.content?.["application/json"]?.schema.$ref;
/** The routes that replace a record: their answer is GET's answer, or an item of a collection. */
const fullStatePuts = () =>
  Object.entries(paths).filter(([path, { put }]) => path.startsWith("/admin/") && put?.requestBody && answerOf(put) !== undefined);

/** One record of each kind, as `path` of the description with its ids filled in. */
let made: Promise<Record<string, string>> | undefined;
const records = (): Promise<Record<string, string>> => {
  made ??= makeRecords();
  return made;
};
async function makeRecords(): Promise<Record<string, string>> {
  const { userId } = await realm.user();
  const { roleId } = (await admin.post("/roles", { name: "billing" })).body;
  const { groupId: above } = (await admin.post("/groups", { name: "above" })).body;
  const { groupId } = (await admin.post("/groups", { name: "below", parentId: above })).body;
  const { organizationId } = (await admin.post("/organizations", { name: "Acme" })).body;
  const { id: clientId } = (await admin.post("/clients", { clientId: "shop" })).body;
  const mapper = { name: "a", claim: "a", source: "constant", value: "b" };
  const { mapperId } = (await admin.post(`/clients/${clientId}/mappers`, mapper)).body;
  await admin.post(`/clients/${clientId}/roles`, { name: "order" });
  await admin.post("/saml-clients", { entityId: "urn:sp", assertionConsumerServiceUrl: "https://sp.example.com/acs" });
  const { mapperId: samlMapperId } = (await admin.post("/saml-clients/urn:sp/mappers", mapper)).body;
  await admin.post("/identity-providers", identityProvider("google", "mine"));
  const mapping = { name: "a", type: "role", role: "user" };
  const { mapperId: providerMapperId } = (await admin.post("/identity-providers/mine/mappers", mapping)).body;
  await admin.post("/applications", { name: "worker", template: "machine" });
  await admin.post("/flows", { alias: "mine", steps: [{ authenticator: "username-password", requirement: "REQUIRED" }] });
  const { scopeId } = (await admin.post("/client-scopes", { name: "orders" })).body;
  const { claimId } = (await admin.post("/claims", mapper)).body;
  const hook = { name: "a", url: "https://hooks.example.com/", eventTypes: "LOGOUT", secret: "a secret of the receiver" };
  const { id: webhookId } = (await admin.post("/webhooks", hook)).body;
  await admin.put("/messaging/providers", {
    ...{ channel: "SMS", driver: "http", config: { url: "https://sms.example.com/send" }, secret: "a secret of the gateway" },
  });
  await admin.put("/messaging/templates", { templateKey: "otp-sms", body: "Yours: {{code}}" });
  await addAuthzParts(admin, `/clients/${clientId}`);
  const trust = { name: "a", issuer: "https://issuer.example", subject: "a", audience: "a", clientId: "shop" };
  const { id } = (await admin.post("/workload-identity", trust)).body;
  const target = {
    name: "a",
    url: "https://scim.example.com/v2",
    auth: { type: "bearer" },
    secret: "a secret of the target",
    enabled: false,
  };
  const { id: scimTargetId } = (await admin.post("/scim-targets", target)).body;
  await admin.put("/password-source", { url: "https://old.example.com/passwords", enabled: false });
  const { id: agentId } = (await admin.post("/agents", { name: "bot", clientId: "shop" })).body;
  const ids: Record<string, string> = {
    ...{
      id,
      userId,
      roleId,
      groupId,
      orgId: organizationId,
      clientId,
      mapperId,
      name: "worker",
      alias: "mine",
      scopeId,
      claimId,
      roleName: "order",
      webhookId,
      scimTargetId,
    },
    ...{ channel: "SMS", driver: "http", templateKey: "otp-sms", entityId: "urn:sp" },
  };
  const filled = (path: string) =>
    path
      .replace(`${IN_REALM}/agents/{id}`, `/agents/${agentId}`)
      .replace(`${IN_REALM}/saml-clients/{entityId}/mappers/{mapperId}`, `/saml-clients/urn:sp/mappers/${samlMapperId}`)
      .replace(`${IN_REALM}/identity-providers/{alias}/mappers/{mapperId}`, `/identity-providers/mine/mappers/${providerMapperId}`)
      .replace(IN_REALM, "")
      .replace(/\{(\w+)\}/g, (_, id: string) => ids[id] ?? `no-${id}`);
  return Object.fromEntries(
    Object.entries(paths)
      .filter(([path, { get, put, patch }]) => path.startsWith(IN_REALM) && answerOf(get) && (answerOf(put) || patch))
      .filter(([path]) => !path.startsWith(`${IN_REALM}/settings/`))
      .map(([path]) => [path, filled(path)]),
  );
}

/** Drafts, pictures, a list without members, and a move: a patch of any could only be the whole of it. */
const REPLACED_ONLY = ["/settings/draft", "/settings/images/{image}", "/users/{userId}/required-actions", "/users/{userId}/source"].map(
  (path) => IN_REALM + path,
);

describe("a record", () => {
  test("that PUT replaces can be changed by PATCH, at the same address or at its own", () => {
    const lacking = fullStatePuts().filter(([path, { put, patch }]) => {
      const own = Object.entries(paths).some(
        ([other, item]) => other.startsWith(`${path}/{`) && item.patch && answerOf(item.get) === answerOf(put),
      );
      return !patch && !own;
    });
    expect(lacking.map(([path]) => path)).toEqual(REPLACED_ONLY);
    expect(fullStatePuts().length).toBeGreaterThan(15);
  });

  test("is the same after a PUT of the answer of GET, and after an empty PATCH; an unknown member is refused by both", async () => {
    const all = Object.entries(await records());
    expect(all.length).toBeGreaterThan(15);
    for (const [path, url] of all) {
      const { body: read, status } = await admin.get(url);
      expect(status, `GET ${url}`).toBe(200);
      const same = (body: object) => (Array.isArray(body) ? body : { ...body, updatedAt: 0 });
      const unknown = { status: 400, body: { errors: [{ field: "unheardOf", code: "unknown" }] } };
      if (paths[path]?.put && answerOf(paths[path].put)) {
        const put = await admin.put(url, read);
        expect([put.status, same(put.body)], `PUT ${path}`).toEqual([200, same(read)]);
        if (!Array.isArray(read)) expect(await admin.put(url, { ...read, unheardOf: 1 }), `PUT ${path}`).toMatchObject(unknown);
      }
      // PATCH of a flow renames it, and a bare list has no members.
      if (path.endsWith("/flows/{alias}") || Array.isArray(read)) continue;
      const patched = await admin.patch(url, {});
      expect([patched.status, same(patched.body)], `PATCH ${path}`).toEqual([200, same(read)]);
      expect(await admin.patch(url, { unheardOf: 1 }), `PATCH ${path}`).toMatchObject(unknown);
    }
  });

  test("is answered with 304 to a caller who knows it, also when something else than its version has changed", async () => {
    const other = await iam.realm();
    const boss = other.asMaster();
    const { userId } = (await boss.post("/users", { username: "ada" })).body;
    const { groupId } = (await boss.post("/groups", { name: "staff" })).body;
    const group = await boss.get(`/groups/${groupId}`);
    const knowing = { headers: { "if-none-match": String(group.headers.etag) } };
    const again = await boss.get(`/groups/${groupId}`, knowing);
    expect([again.status, again.text, again.headers.etag]).toEqual([304, "", group.headers.etag]);
    expect(again.headers["content-type"]).toBeUndefined();
    expect((await boss.get(`/groups/${groupId}`, { headers: { "if-none-match": `W/${group.headers.etag}, "x"` } })).status).toBe(304);
    expect((await boss.get(`/groups/${groupId}`, { headers: { "if-none-match": '"x"' } })).status).toBe(200);
    await boss.put(`/groups/${groupId}/members/${userId}`);
    expect(await boss.get(`/groups/${groupId}`, knowing)).toMatchObject({ status: 200, body: { memberCount: 1 } });
  });
});

describe("a write with If-None-Match", () => {
  const excluding = (tag: unknown) => ({ headers: { "if-none-match": String(tag) } });

  test("changes no record that exists, or that still has the excluded version", async () => {
    const refused = { status: 412, body: { code: "request.exists" } };
    for (const [path, url] of Object.entries(await records())) {
      const { body, headers } = await admin.get(url);
      const { put, patch, delete: remove } = paths[path]!;
      if (put && answerOf(put)) expect(await admin.put(url, body, excluding("*")), `PUT ${path}`).toMatchObject(refused);
      if (patch && !path.endsWith("/flows/{alias}"))
        expect(await admin.patch(url, {}, excluding(`"x", W/${headers.etag}`)), `PATCH ${path}`).toMatchObject(refused);
      if (remove) expect(await admin.delete(url, excluding(headers.etag)), `DELETE ${path}`).toMatchObject(refused);
    }
    const { userId } = (await admin.post("/users", { username: "another" }, excluding("*"))).body;
    expect((await admin.patch(`/users/${userId}`, { enabled: false }, excluding('"99"'))).status).toBe(200);
    expect((await admin.delete(`/users/${newId()}`, excluding("*"))).status).toBe(404);
    const { groupId } = (await admin.post("/groups", { name: "joined" })).body;
    const member = `/groups/${groupId}/members/${userId}`;
    expect((await admin.put(member, undefined, excluding("*"))).status, "a part of the record").toBe(204);
    expect((await admin.delete(member, excluding("*"))).status, "a part of the record").toBe(204);
  });

  test("creates a provider or the text of a language only if there is none; If-Match only replaces one", async () => {
    const fresh = (await iam.realm()).asMaster();
    const provider = { channel: "SMS", driver: "http", enabled: false, config: { url: "https://sms.example.com/" } };
    const text = { templateKey: "otp-sms", locale: "fi", body: "{{code}}" };
    for (const [at, body, created] of [
      ["/messaging/providers", provider, 201],
      ["/messaging/templates", text, 200],
    ] as const) {
      expect((await fresh.put(at, body, { headers: { "if-match": "*" } })).status, at).toBe(412);
      const both = await Promise.all([1, 2].map(() => fresh.put(at, body, excluding("*"))));
      expect(both.map(({ status }) => status).sort(), at).toEqual([created, 412]);
      expect((await fresh.put(at, body, { headers: { "if-match": "*" } })).status, at).toBe(200);
    }
    expect((await fresh.put("/messaging/templates", { ...text, locale: null }, excluding("*"))).status, "a text that ships").toBe(412);
  });
});

describe("every route of the admin and the account API", () => {
  /** Pages of the account console are no API. */
  const isPage = (path: string) => path.startsWith("/realms/{realm}/account/pages/");
  const own = () =>
    Object.entries(paths).filter(
      ([path]) =>
        path.startsWith("/admin/") || (path.startsWith("/realms/{realm}/account/") && !isPage(path) && !path.endsWith("/account/")),
    );

  test("that answers an array takes page, size, search, sort and cursor, or says why not", () => {
    const lists = own().filter(([, { get }]) => get?.responses["200"]?.content?.["application/json"]?.schema.type === "array");
    expect(lists.length).toBeGreaterThan(30);
    const members = ["page", "size", "search", "sort", "cursor"];
    const without = lists.filter(([, { get }]) => !members.every((member) => get!.parameters?.some(({ name }) => name === member)));
    expect(without.filter(([, { get }]) => !get!.description?.includes("Not paged:")).map(([path]) => path)).toEqual([]);
    expect(without.map(([path]) => path).filter((path) => path.startsWith("/admin/"))).toEqual([]);
  });

  test("refuses a member of the query or body that it does not know, and names it", async () => {
    const other = await iam.realm();
    const { browser } = other.asMaster();
    const user = await other.as();
    const refused: string[] = [];
    for (const [path, item] of own())
      for (const method of Object.keys(item)) {
        const url = path
          .replace("{realm}", other.name)
          .replace("{locale}", "en")
          .replace(/\{\w+\}/g, "01900000-0000-7000-8000-000000000000");
        const by = path.startsWith("/admin/") ? browser : user.browser;
        const answer = await by.request(
          method.toUpperCase(),
          `${url}?unheardOf=1`,
          ["put", "post", "patch"].includes(method) ? { body: {} } : {},
        );
        const fields = (answer.body?.errors ?? []).map(({ field }: { field: string }) => field);
        // A picture is no JSON: it is refused before its query is read.
        if (answer.status === 415 && path.endsWith("/images/{image}")) continue;
        // Errors of the body come first; where a route needs no body, those of the query follow.
        if (answer.status !== 400 || (!item[method as "get"]?.requestBody && !fields.includes("unheardOf")))
          refused.push(`${method} ${path} ${answer.status}`);
        if (method === "get" || item[method as "put"]?.requestBody) continue;
        const { status, body } = await by.request(method.toUpperCase(), url, { body: { unheardOf: 1 } });
        const isNamed = status === 400 && body.errors[0]?.field === "unheardOf";
        if (!isNamed && status !== 415) refused.push(`${method} ${path} ${status} with a body`);
      }
    expect(refused).toEqual([]);
    const rotated = (body?: unknown) => browser.request("POST", `/admin/realms/${other.name}/keys/rotate`, { body });
    expect([(await rotated()).status, (await rotated({})).status]).toEqual([201, 201]);
    expect(await rotated([1])).toMatchObject({ status: 400, body: { errors: [{ field: "body", code: "unknown" }] } });
  });
});

test("short lists are searched, sorted and paged like others", async () => {
  const other = await iam.realm();
  const boss = other.asMaster();
  await boss.post("/keys/rotate");
  const [active, retained] = (await boss.get("/keys")).body;
  const page = await boss.get("/keys?size=1");
  expect([page.body, page.headers["x-total-count"]]).toEqual([[active], "2"]);
  expect(String(page.headers.link)).toContain('rel="next"');
  const next = /<([^>]+)>; rel="next"/.exec(String(page.headers.link))![1]!;
  expect((await boss.browser.get(next)).body).toEqual([retained]);
  expect((await boss.get("/keys?sort=createdAt")).body).toEqual([retained, active]);
  expect((await boss.get(`/keys?search=${retained.keyId}`)).body).toEqual([retained]);
  expect((await boss.get("/keys?search=act")).body).toEqual([active]);
  expect(await boss.get("/keys?sort=certificate")).toMatchObject({ status: 400, body: { errors: [{ field: "sort" }] } });
  expect(await boss.get("/keys?cursor=x")).toMatchObject({ status: 400, body: { errors: [{ field: "cursor" }] } });
  expect((await boss.get("/authenticators?search=totp")).body).toMatchObject([{ name: "totp" }]);
});

test("events are found by several types at once; a type that does not exist is refused with what was meant", async () => {
  const other = await iam.realm();
  const boss = other.asMaster();
  const { roleId } = (await boss.post("/roles", { name: "one" })).body;
  await boss.delete(`/roles/${roleId}`);
  const found = async (query: string) =>
    (await boss.get(`/events?resourceId=${roleId}&${query}`)).body.items.map(({ type }: { type: string }) => type).sort();
  expect(await found("type=ADMIN_CREATE")).toEqual(["ADMIN_CREATE"]);
  expect(await found("type=ADMIN_CREATE,ADMIN_DELETE")).toEqual(["ADMIN_CREATE", "ADMIN_DELETE"]);
  expect(await found("type=ADMIN_CREATE&type=ADMIN_DELETE,LOGOUT")).toEqual(["ADMIN_CREATE", "ADMIN_DELETE"]);
  const refused = await boss.get("/events?type=ADMIN_CREATE,LOGIN_SUCESS");
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: "type", code: "enum" }] } });
  expect(refused.body.errors[0].message).toContain("Did you mean LOGIN_SUCCESS?");
});

/**
 * The parameters of paths that are names, not ids that the server makes, and the request that would give a record the name `..`. HTTP clients
 * remove such a segment: they would send a request for another record.
 */
const NAMED: Readonly<Record<string, readonly [string, (name: string) => object]>> = {
  [IN_REALM]: ["/admin/realms", (realm) => ({ realm })],
  "/applications/{name}": ["/applications", (name) => ({ name, template: "machine" })],
  "/authz/permissions/{name}": ["/authz/permissions", (name) => ({ name, type: "resource" })],
  "/authz/policies/{name}": ["/authz/policies", (name) => ({ name, type: "role", roles: ["user"] })],
  "/authz/resources/{name}": ["/authz/resources", (name) => ({ name })],
  "/authz/scopes/{name}": ["/authz/scopes", (name) => ({ name })],
  "/clients/{clientId}/roles/{roleName}": ["/clients/{clientId}/roles", (name) => ({ name })],
  "/flows/{alias}": ["/flows", (alias) => ({ alias, steps: [{ authenticator: "username-password", requirement: "REQUIRED" }] })],
  "/domains/{domain}": ["/organizations", (domain) => ({ name: "Acme", domains: [{ domain }] })],
  "/{entityId}": ["/saml-clients", (entityId) => ({ entityId, assertionConsumerServiceUrl: "https://sp.example.com/acs" })],
  "/account/applications/{clientId}": ["/clients", (clientId) => ({ clientId })],
  "/consents/{clientId}": ["/clients", (clientId) => ({ clientId })],
  "/{alias}": ["/identity-providers", (alias) => identityProvider("google", alias)],
};
/** One of a list that the server has, or a token that it makes. */
const FIXED = ["channel", "driver", "templateKey", "image", "locale", "type", "token"];
const MADE = /^(id|\w+Id)$/;

test("no name that stands in a path can be . or ..", async () => {
  const parameters = Object.keys(paths).flatMap((path) =>
    [...path.matchAll(/\{(\w+)\}/g)].map(({ 1: name, index, 0: segment }) => ({ name: name!, at: path.slice(0, index) + segment })),
  );
  const namedBy = (at: string) =>
    at.endsWith("/{realm}") ? IN_REALM : Object.keys(NAMED).find((end) => end !== IN_REALM && at.endsWith(end));
  const unknown = parameters.filter(
    ({ name, at }) => !namedBy(at) && !FIXED.includes(name) && !MADE.test(name) && !at.endsWith("/images/{name}"),
  );
  expect(
    unknown.map(({ at }) => at),
    "are ids, or have a line in NAMED",
  ).toEqual([]);
  expect(Object.keys(NAMED).filter((end) => !parameters.some(({ at }) => namedBy(at) === end))).toEqual([]);

  const other = await iam.realm();
  const boss = other.asMaster();
  const { id } = (await boss.post("/clients", { clientId: "shop", publicClient: false })).body;
  await boss.put(`/clients/${id}/authz/settings`, { enabled: true });
  const taken: string[] = [];
  for (const [end, [collection, body]] of Object.entries(NAMED))
    for (const name of [".", ".."]) {
      const url = collection.replace("{clientId}", id).replace(/^\/authz/, `/clients/${id}/authz`);
      const sent = end === IN_REALM ? await boss.browser.post(url, body(name)) : await boss.post(url, body(name));
      const fields = (sent.body.errors ?? []).map(({ field }: { field: string }) => field.split(".").at(-1)).join();
      if (!/^(realm|name|alias|clientId|entityId|domain)$/.test(fields)) taken.push(`${end} ${name} ${sent.status} ${fields}`);
    }
  expect(taken).toEqual([]);
});

describe("PATCH", () => {
  const as = (type: string) => ({ headers: { "content-type": type } });

  test("merges as RFC 7396 says, sent as application/merge-patch+json or application/json", async () => {
    const { userId } = (await admin.post("/users", { username: "merged", email: "merged@example.com", attributes: { a: "1", b: "2" } }))
      .body;
    for (const type of ["application/merge-patch+json", "application/json"]) {
      const answer = await admin.patch(`/users/${userId}`, { attributes: { b: null, [type.slice(12, 16)]: "3" } }, as(type));
      expect(answer.status, type).toBe(200);
    }
    const patched = await admin.patch(`/users/${userId}`, { email: null });
    expect(patched.body).toMatchObject({ username: "merged", email: null, enabled: true, roles: ["user"] });
    expect(patched.body.attributes).toMatchObject({ a: "1" });
    expect(patched.body.attributes).not.toHaveProperty("b");
    expect((await admin.put(`/users/${userId}`, patched.body, as("application/merge-patch+json"))).status, "is for PATCH").toBe(415);
    for (const body of [[], ["text"]]) expect((await admin.patch(`/users/${userId}`, body)).status, JSON.stringify(body)).toBe(400);
    const refused = await admin.patch(`/users/${userId}`, { username: null });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: "username" }] } });
    const { errors } = (await admin.patch("/settings", { account: { erase: "yes", unheardOf: 1 } })).body;
    const fields = errors.map(({ field }: { field: string }) => field).sort();
    expect(fields, "and not account, which need not be null").toEqual(["account.erase", "account.unheardOf"]);
    expect(await admin.patch(`/users/${userId}`, { createdAt: 5 })).toMatchObject({
      status: 400,
      body: { errors: [{ field: "createdAt" }] },
    });
  });

  test("keeps a secret that it does not name, clears it by null, and replaces it by a text", async () => {
    const hook = { name: "kept", url: "https://hooks.example.com/kept", eventTypes: "LOGOUT", secret: "a secret of the receiver" };
    const { id } = (await admin.post("/webhooks", hook)).body;
    const change = async (patch: object) => (await admin.patch(`/webhooks/${id}`, patch)).body;
    expect(await change({ name: "renamed" })).toMatchObject({ name: "renamed", enabled: true, secretSet: true });
    expect(await change({ secret: null })).toMatchObject({ secretSet: false });
    expect(await change({ secret: "another secret" })).toMatchObject({ secret: null, secretSet: true });
  });

  test("two at once both count; If-Match lets only the first one through", async () => {
    const { userId } = (await admin.post("/users", { username: "raced" })).body;
    const names = ["a", "b", "c", "d", "e"];
    const answers = await Promise.all(names.map((name) => admin.patch(`/users/${userId}`, { attributes: { [name]: "x" } })));
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    const { body, headers } = await admin.get(`/users/${userId}`);
    expect(Object.keys(body.attributes).sort()).toEqual(names);
    const seen = { headers: { "if-match": String(headers.etag) } };
    const both = await Promise.all(names.map((name) => admin.patch(`/users/${userId}`, { attributes: { [name]: "y" } }, seen)));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412]);
  });

  test("grants nothing that a PUT would not", async () => {
    const other = await iam.realm();
    const lesser = await other.as("manage-users", "view-users");
    const { userId } = (await other.asMaster().post("/users", { username: "plain" })).body;
    expect((await lesser.patch(`/users/${userId}`, { roles: ["admin"] })).status).toBe(403);
    const boss = (await other.asMaster().post("/users", { username: "boss", roles: ["admin"] })).body;
    expect((await lesser.patch(`/users/${boss.userId}`, { email: "mine@example.com" })).status).toBe(403);
    const requested = await other.asMaster().browser.patch(`/admin/realms/${other.name}/users/${userId}`, { email: null }, { csrf: false });
    expect(requested.status, "needs the CSRF token").toBe(403);
  });

  test("a template and a provider cannot become another at their own address", async () => {
    await admin.put("/messaging/providers", {
      channel: "EMAIL",
      driver: "http",
      enabled: false,
      config: { url: "https://mail.example.com/" },
    });
    expect(await admin.patch("/messaging/providers/EMAIL/http", { fromName: "Acme" })).toMatchObject({ body: { fromName: "Acme" } });
    const moved = await admin.patch("/messaging/providers/EMAIL/http", { channel: "SMS" });
    expect(moved).toMatchObject({ status: 400, body: { errors: [{ field: "channel" }] } });
    expect(await admin.patch("/messaging/templates/otp-sms", { body: "{{code}}!" })).toMatchObject({ body: { isDefault: false } });
    const other = await admin.patch("/messaging/templates/otp-sms", { templateKey: "otp-email" });
    expect(other).toMatchObject({ status: 400, body: { errors: [{ field: "templateKey" }] } });
    expect((await admin.get("/messaging/templates/otp-sms?locale=xx")).status).toBe(404);
  });
});
