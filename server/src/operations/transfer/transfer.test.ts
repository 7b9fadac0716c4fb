import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";
import { sections } from "./sections/index.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const SCHEMA = "gatehouse.realm/v1";
const PASSPHRASE = { headers: { "export-passphrase": "correct horse battery" } };
const ok = async (answer: Promise<{ status: number; text: string; body: Answer["body"] }>) => {
  const { status, text, body } = await answer;
  expect(status, text).toBeLessThan(300);
  return body;
};
const exported = async (admin: AdminClient, query = "") => {
  const answer = await admin.get(`/export${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer;
};
const apply = (admin: AdminClient, document: object, query = "") => admin.post(`/import${query}`, { schema: SCHEMA, ...document });

/** A realm with something in every section. */
async function furnished(): Promise<RealmUnderTest> {
  const realm = await iam.realm();
  const admin = await realm.admin();
  const post = (path: string, body: object) => ok(admin.post(path, body));
  await ok(admin.patch("/settings", { displayName: "Acme", sessions: { idleMinutes: 20 }, oidc: { implicitFlow: true } }));
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle r="4" cx="4" cy="4"/></svg>';
  await ok(admin.put("/settings/images/logo", svg, { headers: { "content-type": "image/svg+xml" } }));
  await post("/roles", { name: "staff", description: "Everyone who works here" });
  const claim = await post("/claims", { name: "department", claim: "department", source: "attribute", value: "department" });
  const scope = await post("/client-scopes", { name: "hr", description: "Personnel", assignment: "NONE" });
  await ok(admin.put(`/client-scopes/${scope.scopeId}/claims/${claim.claimId}`));
  await post("/flows", { alias: "strong", steps: [{ authenticator: "username-password", requirement: "REQUIRED" }] });
  const top = await post("/groups", { name: "Sales/EU" });
  const below = await post("/groups", { name: "North", parentId: top.groupId, description: "Up there" });
  const api = await post("/clients", { clientId: "api", grantTypes: ["client_credentials"], profile: "oauth21" });
  await post(`/clients/${api.id}/roles`, { name: "reader" });
  await post(`/clients/${api.id}/roles`, { name: "writer", compositeRoles: ["staff"] });
  await ok(admin.put(`/clients/${api.id}/authz/settings`, { enabled: true, decisionStrategy: "AFFIRMATIVE", subjectSearch: true }));
  const authz = (path: string, body: object) => post(`/clients/${api.id}/authz${path}`, body);
  for (const name of ["view", "edit"]) await authz("/scopes", { name });
  await authz("/resources", {
    name: "/orders/*",
    type: "order",
    scopes: ["view", "edit"],
    uris: ["/orders/*"],
    attributes: { level: ["1"] },
  });
  const owned = await authz("/resources", { name: "mine", owner: "admin", ownerManagedAccess: true, scopes: ["view"] });
  await authz("/policies", { name: "Staff", type: "role", roles: ["staff", { name: "api/reader", required: true }], logic: "NEGATIVE" });
  await authz("/policies", { name: "North", type: "group", groups: [{ path: "/Sales~/EU/North", extendChildren: true }] });
  await authz("/policies", { name: "Boss", type: "user", users: ["admin"] });
  await authz("/policies", { name: "Hours", type: "time", hour: 8, hourEnd: 17, timeZone: "Europe/Oslo" });
  await authz("/policies", {
    name: "Any",
    type: "aggregate",
    decisionStrategy: "AFFIRMATIVE",
    policies: ["Staff", "North", "Boss", "Hours"],
  });
  await authz("/permissions", { name: "orders", type: "scope", scopes: ["edit"], resources: ["/orders/*"], policies: ["Any"] });
  await authz("/permissions", { name: "all orders", type: "resource", resourceType: "order", policies: ["Boss"] });
  await authz("/permissions", { name: "of a user alone", type: "resource", resources: [owned.resourceId], policies: ["Boss"] });
  await post(`/groups/${below.groupId}/roles`, { name: "writer", clientId: "api" });
  await post(`/groups/${below.groupId}/roles`, { name: "staff" });
  await post("/roles", { name: "boss", compositeRoles: ["staff"], compositeClientRoles: [{ clientId: "api", name: "reader" }] });
  await post(`/clients/${api.id}/service-account/roles`, { name: "auditor" });
  await post("/agents", { name: "Assistant", clientId: "api", scopes: ["hr"] });
  await post("/workload-identity", {
    ...{ name: "build", issuer: "https://ci.example.com", subject: "repo:acme/shop", audience: "https://a.example.com" },
    ...{
      clientId: "api",
      jwksUri: "https://ci.example.com/keys",
      conditions: { ref: "main" },
      scopes: "hr",
      maxTokenSeconds: 300,
      singleUse: false,
    },
  });
  const shop = await post("/clients", {
    clientId: "shop",
    redirectUris: ["https://shop.example.com/cb"],
    scopes: ["openid", "hr"],
    browserFlow: "strong",
    allowedRoles: ["staff"],
    allowedGroups: ["/Sales~/EU"],
    secret: "the-secret-of-the-shop-1",
  });
  await post(`/clients/${shop.id}/mappers`, { name: "plan", claim: "plan", source: "constant", value: "gold" });
  await ok(admin.put(`/clients/${shop.id}/allowed-resources`, { allowedResources: ["https://api.example.com/"] }));
  await post("/identity-providers", {
    alias: "corp",
    protocol: "oidc",
    config: {
      ...{ issuer: "https://idp.example.com", clientId: "us", clientSecret: "the secret of corp", scopes: ["openid"] },
      ...{ defaultRoles: ["staff"], defaultGroups: [below.groupId] },
    },
  });
  await post("/identity-providers/corp/mappers", {
    name: "to the north",
    type: "group",
    group: below.groupId,
    claim: "region",
    value: "north",
  });
  await post("/organizations", { name: "Acme", alias: "acme", domains: [{ domain: "acme.example" }], identityProvider: "corp" });
  await post("/saml-clients", { entityId: "https://sp.example.com/", assertionConsumerServiceUrl: "https://sp.example.com/acs" });
  await post("/webhooks", { name: "audit", url: "https://hooks.example.com/a", eventTypes: "*", secret: "webhook secret" });
  await post("/webhooks", { name: "audit", url: "https://hooks.example.com/b", eventTypes: "ADMIN" });
  await post("/scim-targets", {
    ...{ name: "wiki", url: "https://scim.example.com/v2", auth: { type: "bearer" }, secret: "the secret of wiki", enabled: false },
    ...{ users: { scope: "groups", groupIds: [below.groupId] }, groups: { mode: "listed", groupIds: [top.groupId] } },
    ...{ mapping: { title: "jobTitle" }, preset: "aws" },
  });
  const smtp = { channel: "EMAIL", driver: "smtp", fromAddress: "a@example.com", config: { host: "smtp.example.com", port: 587 } };
  await ok(admin.put("/messaging/providers", { ...smtp, secret: "mail secret", config: { ...smtp.config, username: "mailer" } }));
  await ok(admin.put("/messaging/templates", { templateKey: "otp-email", locale: "nl", subject: "Code", body: "Uw code is {{code}}" }));
  await ok(admin.put("/subject-claim", { strategy: "username" }));
  await ok(admin.patch("/provisioning", { registration: { enabled: true } }));
  return realm;
}

describe("export and import", () => {
  let realm: RealmUnderTest;
  let admin: AdminClient;
  beforeAll(async () => {
    realm = await furnished();
    admin = await realm.admin();
  });

  test("two exports are the same bytes; an import elsewhere, exported, is the same again; a second import changes nothing", async () => {
    const first = await exported(admin);
    expect((await exported(admin)).text).toBe(first.text);
    expect(first.text).not.toMatch(/secret.of|webhook secret|mail secret|\*\*\*/);
    expect(first.text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);

    const other = await iam.realm();
    const there = await other.admin();
    // Their secrets are left out, and an enabled provider needs one.
    const document = JSON.parse(first.text);
    document.identityProviders[0].config.clientSecret = "another secret of corp";
    const done = await there.post("/import?source=test", document);
    expect(done.status, done.text).toBe(200);
    expect(done.body.generated).toEqual([
      { section: "clients", key: "api", path: "secret" },
      { section: "clients", key: "shop", path: "secret" },
    ]);
    const again = await exported(there);
    expect(again.text.replaceAll(other.name, realm.name)).toBe(first.text);

    const before = await other.events();
    const repeated = await ok(there.post("/import?source=test", JSON.parse(again.text)));
    expect(repeated.actions).toEqual([]);
    expect(
      Object.values<Record<string, number>>(repeated.sections).every((counts) => counts.created! + counts.updated! + counts.deleted! === 0),
    ).toBe(true);
    expect(await other.events()).toEqual(before);
  });

  test("full shows the defaults, and says the same; sections can be chosen", async () => {
    const full = (await exported(admin, "?full=true&sections=clients,settings")).body;
    expect(Object.keys(full)).toEqual(["schema", "realm", "settings", "clients"]);
    expect(full.settings.sessions).toMatchObject({ idleMinutes: 20, absoluteHours: 10 });
    expect((await ok(admin.post("/import?dryRun=true", full))).actions).toEqual([]);
    for (const wrong of ["nothing", "roles,", ""]) expect((await admin.get(`/export?sections=${wrong}`)).status, wrong).toBe(400);
    expect((await admin.get("/export?sections=roles,cleints")).body.errors).toMatchObject([
      { field: "sections", message: "There is no section “cleints”. Did you mean clients?" },
    ]);
  });

  test("with a passphrase, secrets and keys are sealed and arrive; a wrong one is refused first", async () => {
    expect(await admin.get("/export?secrets=sealed")).toMatchObject({ status: 400, body: { code: "transfer.passphrase_short" } });
    const answer = await admin.get("/export?secrets=sealed", PASSPHRASE);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.text).not.toMatch(/secret.of|webhook secret|mail secret/);
    // Nothing is proven of a section that has no item here: a new one is added to the realm above.
    const isEmpty = ({ name }: { name: string }) => Object.keys(answer.body[name] ?? {}).length === 0;
    expect(sections.filter(isEmpty).map(({ name }) => name)).toEqual([]);
    expect(await realm.events("type=REALM_EXPORTED")).toHaveLength(1);

    const other = await iam.realm();
    const there = await other.admin();
    expect(await there.post("/import", answer.body)).toMatchObject({ status: 400, body: { code: "transfer.passphrase_needed" } });
    const wrong = { headers: { "export-passphrase": "another passphrase" } };
    expect(await there.post("/import", answer.body, wrong)).toMatchObject({ status: 400, body: { code: "transfer.wrong_passphrase" } });
    expect((await there.get("/clients")).body).toEqual([]);
    const done = await there.post("/import", answer.body, PASSPHRASE);
    expect(done.status, done.text).toBe(200);
    expect(done.body.generated).toEqual([]);
    const clients = (await there.get("/clients")).body;
    const shop = clients.find(({ clientId }: { clientId: string }) => clientId === "shop");
    expect((await there.get(`/clients/${shop.id}/secret`)).body.secret).toBe("the-secret-of-the-shop-1");
    const keysOf = async (of: AdminClient) => (await of.get("/keys")).body;
    const [ours, theirs] = [await keysOf(admin), await keysOf(there)];
    expect(theirs[0]).toMatchObject({ keyId: ours[0].keyId, status: "ACTIVE", publicKey: ours[0].publicKey });
    expect(theirs).toHaveLength(2);
    expect((await ok(there.post("/import", answer.body, PASSPHRASE))).actions).toEqual([]);

    // A secret belongs to its place.
    const moved = structuredClone(answer.body);
    moved.clients[1].secret = moved.identityProviders[0].config.clientSecret;
    expect(await there.post("/import", moved, PASSPHRASE)).toMatchObject({
      status: 400,
      body: { errors: [{ field: "clients[shop].secret", code: "sealed" }] },
    });
  });

  test("sealed secrets need realm-admin; a section needs the permission to read it", async () => {
    const lesser = await realm.as("manage-realm", "view-clients");
    expect(await lesser.get("/export?secrets=sealed", PASSPHRASE)).toMatchObject({ status: 403 });
    const refused = await lesser.get("/export");
    expect(refused).toMatchObject({ status: 403, body: { code: "transfer.permissions" } });
    expect(refused.body.detail).toContain("view-users (roles)");
    expect((await lesser.get("/export?sections=settings,clients")).status).toBe(200);
    expect((await (await realm.as("view-clients")).get("/export")).status).toBe(403);
  });
});

describe("an import", () => {
  test("says in a dry run exactly what it then does; a plan that is no longer true is refused", async () => {
    const realm = await iam.realm();
    const admin = await realm.admin();
    await ok(apply(admin, { clients: [{ clientId: "app", name: "One", redirectUris: ["https://a.example/cb"] }] }));
    const document = {
      roles: [{ name: "new" }],
      clients: [{ clientId: "app", name: "Two", redirectUris: ["https://a.example/cb"], secret: "a-brought-secret-of-it" }],
    };
    const plan = await ok(apply(admin, document, "?dryRun=true"));
    expect(plan).toMatchObject({ dryRun: true, sections: { roles: { created: 1 }, clients: { updated: 1, unchanged: 0 } } });
    expect(plan.actions[0]).toEqual({
      ...{ section: "clients", key: "app", action: "update" },
      changes: [
        { path: "name", before: "One", after: "Two" },
        { path: "secret", secret: true },
      ],
    });
    expect(JSON.stringify(plan)).not.toContain("brought");
    expect((await admin.get("/clients")).body[0].name).toBe("One");

    const [{ id }] = (await admin.get("/clients")).body;
    await ok(admin.patch(`/clients/${id}`, { name: "By hand" }));
    expect(await apply(admin, document, `?plan=${plan.digest}`)).toMatchObject({ status: 409, body: { code: "transfer.plan_changed" } });
    expect((await admin.get("/roles")).body.map(({ name }: { name: string }) => name)).not.toContain("new");
    const fresh = await ok(apply(admin, document, "?dryRun=true"));
    const done = await ok(apply(admin, document, `?plan=${fresh.digest}`));
    expect(done).toEqual({ ...fresh, dryRun: false });
  });

  test("changes nothing at all if one item is refused, and names every fault by its path", async () => {
    const realm = await iam.realm();
    const admin = await realm.admin();
    const before = (await exported(admin)).text;
    const answer = await apply(admin, {
      roles: [{ name: "fine" }, { name: "wide", compositeRoles: ["nowhere"] }],
      groups: [{ path: "/A/B" }],
      clients: [
        { clientId: "a", redirectUris: ["ftp://x"] },
        { clientId: "b", browserFlow: "none-such", scopes: ["none-such"] },
      ],
    });
    expect(answer).toMatchObject({ status: 400, body: { code: "transfer.faults" } });
    const fields = answer.body.errors.map(({ field }: { field: string }) => field);
    expect(fields).toEqual(
      expect.arrayContaining(["roles[wide].compositeRoles", "groups[/A/B].path", "clients[a].redirectUris.0", "clients[b].scopes"]),
    );
    expect((await exported(admin)).text).toBe(before);

    const malformed = await apply(admin, {
      clients: [{ clientId: "c", nope: 1 }, { clientId: "d" }, { clientId: "d" }],
      webhooks: {},
      what: [],
    });
    expect(malformed.body.errors).toEqual([expect.objectContaining({ field: "what", code: "unknown" })]);
    const { errors } = (await apply(admin, { clients: [{ clientId: "c", nope: 1 }, { clientId: "d" }, { clientId: "d" }], webhooks: {} }))
      .body;
    expect(errors.map(({ field, code }: { field: string; code: string }) => [field, code])).toEqual([
      ["clients[c].nope", "unknown"],
      ["clients[d]", "duplicate"],
      ["webhooks", "type"],
    ]);
    expect(await apply(admin, { clients: [{ clientId: "e", secret: "**********" }] })).toMatchObject({
      status: 400,
      body: { errors: expect.arrayContaining([expect.objectContaining({ field: "clients[e].secret", code: "mask" })]) },
    });
    expect(await admin.post("/import", { roles: [] })).toMatchObject({ status: 400, body: { errors: [{ field: "schema" }] } });
    expect(await admin.post("/import", [])).toMatchObject({ status: 400 });
  });

  test("is refused without a body, as every import is", async () => {
    const admin = (await iam.realm()).asMaster();
    for (const [path, refusal] of [
      ["/import", [400, "request.malformed"]],
      ["/import/external", [400, "external.empty"]],
      ["/users/import", [415, "request.media_type"]],
    ] as const) {
      const { status, body } = await admin.post(path);
      expect([status, body.code], path).toEqual(refusal);
    }
  });

  test("is judged at once, whatever a text repeats: no pattern of a schema can be read in many ways", async () => {
    const patterns = new Set<string>();
    const collect = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      for (const [name, member] of Object.entries(value)) {
        if (name === "pattern" && typeof member === "string") patterns.add(member);
        if (name === "patternProperties") for (const pattern of Object.keys(member)) patterns.add(pattern);
        collect(member);
      }
    };
    collect(sections.map(({ schema }) => schema));
    collect((await iam.browser().get("/openapi.json")).body);
    expect(patterns.size).toBeGreaterThan(40);
    // A text that can be read in two ways at each of forty repetitions has a million million readings.
    const attempt = `for (const text of texts) pattern.test(text)`;
    for (const pattern of patterns) {
      const parts = [...new Set(pattern.replace(/[()[\]{}?*+|^$\\]/g, "").slice(0, 12)), "a", "0", "/", "-", "."];
      const repeated = parts.flatMap((one) => ["", ...parts].map((other) => (one + other).repeat(40)));
      const texts = repeated.flatMap((middle) => ["", "/", "a"].flatMap((start) => ["\u0000", "//"].map((end) => start + middle + end)));
      const judge = () => runInNewContext(attempt, { texts, pattern: new RegExp(pattern, "u") }, { timeout: 5_000 });
      expect(judge, pattern).not.toThrow();
    }
    // The deadline of the test would not stop it.
    const answer = await apply(await (await iam.realm()).admin(), { groups: [{ path: `/a${"~/".repeat(6_000)}x//` }] }, "?dryRun=true");
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: [expect.objectContaining({ field: expect.stringContaining("groups") })] },
    });
  });

  test("tells a group below one whose name ends in ~ from one with a slash in its name", async () => {
    const realm = await iam.realm();
    const admin = await realm.admin();
    const { groupId: above } = await ok(admin.post("/groups", { name: "a~" }));
    const { groupId: below } = await ok(admin.post("/groups", { name: "b", parentId: above }));
    const { groupId: slashed } = await ok(admin.post("/groups", { name: "a/b" }));
    const document = (await exported(admin)).body;
    expect(document.groups.map(({ path }: { path: string }) => path)).toEqual(["/a~/b", "/a~~", "/a~~/b"]);
    const there = await (await iam.realm()).admin();
    await ok(there.post("/import", document));
    expect((await exported(there)).body.groups).toEqual(document.groups);
    expect((await ok(there.post("/import", document))).actions).toEqual([]);
    expect((await ok(apply(there, { groups: [{ path: "/a~" }] }))).actions).toEqual([]);
    const restricted = { clientId: "shop", allowedGroups: ["/a~~/b", "/a~/b"] };
    const { id } = await ok(admin.post("/clients", restricted));
    expect((await admin.get(`/clients/${id}`)).body.allowedGroups).toEqual(restricted.allowedGroups);
    for (const groupId of [below, slashed]) await ok(admin.delete(`/groups/${groupId}`));
    expect((await admin.get(`/clients/${id}`)).body.allowedGroups).toEqual([below, slashed]);
  });

  test("keeps the secret and the parts that it does not mention", async () => {
    const realm = await iam.realm();
    const admin = await realm.admin();
    const { id, secret } = await ok(admin.post("/clients", { clientId: "app" }));
    await ok(admin.post(`/clients/${id}/roles`, { name: "reader" }));
    await ok(admin.post(`/clients/${id}/mappers`, { name: "plan", claim: "plan", source: "constant", value: "gold" }));
    const done = await ok(apply(admin, { clients: [{ clientId: "app", name: "New name" }] }));
    expect(done.actions[0].changes).toEqual([{ path: "name", after: "New name" }]);
    expect((await admin.get(`/clients/${id}/secret`)).body.secret).toBe(secret);
    expect((await admin.get(`/clients/${id}/roles`)).body).toHaveLength(1);
    await ok(apply(admin, { clients: [{ clientId: "app", roles: [{ name: "reader", compositeRoles: ["user"] }], mappers: [] }] }));
    expect((await admin.get(`/clients/${id}/roles`)).body).toMatchObject([{ name: "reader", compositeRoles: ["user"] }]);
    expect((await admin.get(`/clients/${id}/mappers`)).body).toEqual([]);
    const { groupId } = await ok(admin.post("/groups", { name: "Staff" }));
    await ok(admin.post("/roles", { name: "clerk" }));
    for (const role of [{ name: "clerk" }, { name: "reader", clientId: "app" }]) await ok(admin.post(`/groups/${groupId}/roles`, role));
    const names = async () => (await admin.get(`/groups/${groupId}/roles`)).body.map(({ name }: { name: string }) => name);
    expect((await ok(apply(admin, { groups: [{ path: "/Staff" }] }))).actions).toEqual([]);
    await ok(apply(admin, { groups: [{ path: "/Staff", description: "All", clientRoles: [] }] }));
    expect(await names(), "a list that is not there is kept, an empty one is a state").toEqual(["clerk"]);
    await ok(apply(admin, { groups: [{ path: "/Staff", roles: [] }] }));
    expect(await names()).toEqual([]);
  });

  test("needs the permission of each area, tells it in a dry run, and lifts no caller above their own", async () => {
    const realm = await iam.realm();
    const clerk = await realm.as("manage-realm", "manage-roles");
    const document = { roles: [{ name: "harmless" }], clients: [{ clientId: "app" }] };
    const plan = await ok(apply(clerk, document, "?dryRun=true"));
    expect(plan).toMatchObject({ lacking: [{ section: "clients", permission: "manage-clients" }], sections: { roles: { created: 1 } } });
    expect(await apply(clerk, document)).toMatchObject({ status: 403, body: { code: "transfer.permissions" } });
    expect(await realm.events("type=ADMIN_DENIED")).toHaveLength(1);
    for (const roles of [
      [{ name: "mighty", permissions: ["realm-admin"] }],
      [{ name: "mighty", compositeRoles: ["admin"] }],
      [{ name: "auditor", permissions: [] }],
    ])
      expect(await apply(clerk, { roles }), JSON.stringify(roles)).toMatchObject({
        status: 403,
        body: { errors: [{ field: `roles[${roles[0]!.name}]` }] },
      });
    expect(
      await apply(clerk, { messagingProviders: [{ channel: "EMAIL", driver: "smtp", enabled: false, config: { host: "h.example" } }] }),
    ).toMatchObject({ status: 403 });
    expect(await apply(clerk, { keys: [] })).toMatchObject({ status: 403 });
    expect((await (await realm.as("manage-roles")).post("/import", { schema: SCHEMA })).status).toBe(403);
    expect((await apply(clerk, { roles: [{ name: "harmless" }] })).status).toBe(200);
  });

  test("never loses the last realm-admin", async () => {
    const realm = await iam.realm();
    const admin = await realm.admin();
    expect(await apply(admin, { roles: [{ name: "admin", permissions: [] }] })).toMatchObject({ status: 409 });
  });
});
