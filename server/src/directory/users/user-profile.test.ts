import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";
import { scimClient, USER } from "../../testing/scim.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
let admin: AdminClient;
beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
  admin = realm.asMaster();
});
afterAll(() => iam?.close());

const declare = (attributes: readonly object[], to = admin, more: object = {}) =>
  to.patch("/settings", { userProfile: { attributes, ...more } });
const refusals = ({ status, body }: { status: number; body: { errors?: { field: string; code: string }[] } }) => [
  status,
  ...(body.errors ?? []).map(({ field, code }) => `${field} ${code}`),
];
const both = { view: ["user", "admin"], edit: ["user", "admin"] };

const typed = [
  { name: "nick", ...both, minLength: 2, maxLength: 5, pattern: "[a-z]+" },
  { name: "mail", type: "email" },
  { name: "floor", type: "number" },
  { name: "remote", type: "boolean" },
  { name: "since", type: "date" },
  { name: "page", type: "url" },
  { name: "team", type: "choice", options: [{ value: "red", displayName: { en: "Red" } }, { value: "blue" }], multivalued: true },
  // A long value of it takes too much effort.
  { name: "many", ...both, pattern: "(a?){900}a*" },
];

describe("the setting", () => {
  test("is shown without the other settings to those who may read users", async () => {
    const own = await iam.realm();
    const manager = await own.as("manage-realm");
    expect((await declare(typed, manager)).status).toBe(200);
    const reader = await own.as("view-users");
    expect((await reader.get("/settings")).status).toBe(403);
    const shown = await reader.get("/users/profile");
    expect([shown.status, shown.body]).toEqual([200, (await manager.get("/settings")).body.userProfile]);
    expect((await (await own.as("manage-users", "view-clients")).get("/users/profile")).status).toBe(403);
  });

  test("is answered in full, and says where it contradicts itself", async () => {
    const own = await iam.realm();
    const [manager, outsider] = [await own.as("manage-realm"), await own.as("manage-users")];
    expect((await declare(typed, outsider)).status).toBe(403);
    const saved = await declare(typed, manager);
    expect(saved.status, saved.text).toBe(200);
    const { userProfile } = (await manager.get("/settings")).body;
    expect(userProfile).toMatchObject({ standardAttributes: true, groups: [] });
    expect(userProfile.attributes[1]).toEqual({
      ...{ name: "mail", type: "email", displayName: {}, hint: {}, options: [], multivalued: false, registration: false },
      ...{ required: [], view: ["admin"], edit: ["admin"], pattern: null, minLength: null, maxLength: null, group: null },
    });
    for (const [attribute, expected] of [
      [{ name: "email" }, "name reserved"],
      [{ name: "phoneNumberVerified", ...both }, "edit reserved"],
      [{ name: "externalId", ...both }, "edit reserved"],
      [{ name: "firstName", multivalued: true }, "multivalued reserved"],
      [{ name: "locale", type: "number" }, "type reserved"],
      [{ name: "x", view: ["user"], edit: [] }, "view required"],
      [{ name: "x", edit: ["user", "admin"] }, "edit not_viewed"],
      [{ name: "x", required: ["user"] }, "required not_editable"],
      [{ name: "x", type: "choice" }, "options required"],
      [{ name: "x", options: [{ value: "a" }] }, "options unexpected"],
      [{ name: "x", type: "choice", options: [{ value: "a" }, { value: "a" }] }, "options.1.value repeated"],
      [{ name: "x", pattern: "(?=a)" }, "pattern pattern"],
      [{ name: "x", pattern: "((((a{99}){99}){99}){99})" }, "pattern pattern"],
      [{ name: "x", type: "number", pattern: "1" }, "pattern unexpected"],
      [{ name: "x", type: "date", maxLength: 3 }, "maxLength unexpected"],
      [{ name: "x", minLength: 3, maxLength: 2 }, "minLength range"],
      [{ name: "x", group: "work" }, "group unknown"],
    ] as const)
      expect(refusals(await declare([attribute], manager)), JSON.stringify(attribute)).toEqual([
        400,
        `userProfile.attributes.0.${expected}`,
      ]);
    expect(refusals(await declare([{ name: "x" }, { name: "x" }], manager))).toEqual([400, "userProfile.attributes.1.name repeated"]);
  });
});

describe("administrators", () => {
  test("are held to types, lengths and patterns; values that were there before stay", async () => {
    const own = await iam.realm();
    const manager = own.asMaster();
    const attributes = { nick: "TOO LONG FOR IT", floor: "ground", team: ["green"], other: "free" };
    const { userId } = (await manager.post("/users", { username: "old", attributes })).body;
    await declare(typed, manager);
    expect((await manager.patch(`/users/${userId}`, { email: "old@example.com" })).status, "untouched values").toBe(200);
    expect((await manager.patch(`/users/${userId}`, { attributes: { other: "still free" } })).status).toBe(200);
    const change = async (name: string, value: unknown) =>
      refusals(await manager.patch(`/users/${userId}`, { attributes: { [name]: value } }));
    for (const [name, bad, good] of [
      ["nick", "A", "ab"],
      ["nick", "abcdef", "abcde"],
      ["nick", "a1", "abc"],
      ["mail", "nobody", "a@b.example"],
      ["floor", "1e9", "-1.5"],
      ["remote", "yes", "true"],
      ["since", "2026-02-30", "2026-02-28"],
      ["page", "javascript:alert(1)", "https://example.com/?a"],
      ["team", ["red", "green"], ["red", "blue"]],
      ["floor", ["1", "2"], ["1"]],
      ["many", "a".repeat(1000), "a".repeat(20)],
    ] as const) {
      expect(await change(name, bad), `${name} ${bad}`).toEqual([400, expect.stringMatching(`^attributes.${name} `)]);
      expect(await change(name, good), `${name} ${good}`).toEqual([200]);
    }
    const newcomer = await own.user("newcomer");
    await iam.browser().signIn(own.name, newcomer.username, newcomer.password);
  });

  test("give what is required of them, and leave alone what is for others to change", async () => {
    const own = await iam.realm();
    const manager = own.asMaster();
    const { userId } = (await manager.post("/users", { username: "before" })).body;
    await declare(
      [
        { name: "unit", required: ["admin"] },
        { name: "fromHr", edit: [] },
      ],
      manager,
    );
    expect(refusals(await manager.post("/users", { username: "a" }))).toEqual([400, "attributes.unit required"]);
    expect(refusals(await manager.post("/users", { username: "a", attributes: { unit: "x", fromHr: "y" } }))).toEqual([
      400,
      "attributes.fromHr read_only",
    ]);
    expect((await manager.patch(`/users/${userId}`, { enabled: false })).status, "an older account can be disabled").toBe(200);
    expect((await manager.patch(`/users/${userId}`, { attributes: { unit: "x" } })).status).toBe(200);
    expect(refusals(await manager.patch(`/users/${userId}`, { attributes: { unit: "" } }))).toEqual([400, "attributes.unit required"]);
  });
});

test("SCIM and imports obey types, not `required` or `edit`", async () => {
  const own = await iam.realm();
  const manager = own.asMaster();
  await declare(
    [
      { name: "unit", required: ["admin"] },
      { name: "title", edit: [], type: "choice", options: [{ value: "Engineer" }] },
    ],
    manager,
  );
  const scim = await scimClient(iam, own);
  const create = (title: string) => scim.post("/Users", { schemas: [USER], userName: `s-${title}`, title });
  expect((await create("Pirate")).status).toBe(400);
  expect((await create("Engineer")).status).toBe(201);
  const row = (username: string, title: string) => ({ username, attributes: { title } });
  const rows = JSON.stringify([row("i1", "Pirate"), row("i2", "Engineer")]);
  const { body } = await manager.post("/users/import", rows, { headers: { "content-type": "application/json" } });
  expect(body).toMatchObject({ created: 1, failed: 1, errors: [{ row: 1, message: expect.stringContaining("attributes.title") }] });
});

describe("people", () => {
  test("see and change what the profile lets them, and nothing else", async () => {
    const own = await iam.realm();
    const manager = own.asMaster();
    await declare(
      [
        { name: "pronouns", ...both, maxLength: 10 },
        { name: "grade", view: ["user", "admin"] },
        { name: "salary" },
        { name: "firstName", ...both, required: ["user"] },
      ],
      manager,
      { standardAttributes: false },
    );
    const ada = await own.user("ada");
    await manager.patch(`/users/${ada.userId}`, { attributes: { grade: "7", salary: "9", nickname: "Al" } });
    const browser = iam.browser();
    await browser.signIn(own.name, ada.username, ada.password);
    const at = `/realms/${own.name}/account/profile`;
    const profile = (await browser.get(at)).body;
    expect(profile.attributes).toEqual({ grade: "7" });
    const put = async (members: object) => browser.put(at, { ...profile, ...members });
    expect((await put({ firstName: "Ada", attributes: { pronouns: "she", grade: "7" } })).body.attributes).toEqual({
      pronouns: "she",
      grade: "7",
    });
    expect((await put({ firstName: "Ada", attributes: { pronouns: "they" } })).body.attributes, "left out is left alone").toMatchObject({
      grade: "7",
    });
    for (const [attributes, refusal] of [
      [{ grade: "8" }, "attributes.grade read_only"],
      [{ salary: "10" }, "attributes.salary unknown"],
      [{ nickname: "x" }, "attributes.nickname unknown"],
      [{ pronouns: "much too long" }, "attributes.pronouns too_long"],
    ] as const)
      expect(refusals(await put({ firstName: "Ada", attributes })), refusal).toEqual([400, refusal]);
    expect(refusals(await put({ firstName: null })), "a required one is not emptied").toEqual([400, "firstName required"]);
    expect((await manager.get(`/users/${ada.userId}`)).body.attributes).toMatchObject({ grade: "7", salary: "9", nickname: "Al" });
  });
});

describe("an attribute that people may edit", () => {
  const open = [{ name: "badge", ...both }];
  const closed = [{ name: "badge", view: ["user", "admin"] }];
  let clientId: string;
  beforeAll(async () => {
    clientId = (await admin.post("/clients", { clientId: "api" })).body.id;
    await admin.put(`/clients/${clientId}/authz/settings`, { enabled: true });
    await admin.post("/saml-clients", { entityId: "https://sp.example", assertionConsumerServiceUrl: "https://sp.example/acs" });
  });

  const saml = `/saml-clients/${encodeURIComponent("https://sp.example")}`;
  const condition = { authenticator: "condition-attribute", requirement: "REQUIRED", config: { name: "badge", value: "gold" } };
  const password = { authenticator: "username-password", requirement: "REQUIRED" };
  const policy = (name: string, more: object) => ({ name, ...more });

  /** Every use by which someone is identified or let in: [what it is called, how it is made, the member that names it, how it ends]. */
  const uses: readonly [string, () => Promise<Answer>, string, () => Promise<unknown>][] = [
    [
      "the subject claim of the realm",
      () => admin.put("/subject-claim", { strategy: "attribute", attribute: "badge" }),
      "attribute",
      () => admin.put("/subject-claim", { strategy: "userId" }),
    ],
    [
      "the subject claim of the client api",
      () => admin.patch(`/clients/${clientId}`, { subjectClaim: { strategy: "attribute", attribute: "badge" } }),
      "subjectClaim.attribute",
      () => admin.patch(`/clients/${clientId}`, { subjectClaim: null }),
    ],
    [
      "the NameID of the SAML client https://sp.example",
      () => admin.patch(saml, { options: { nameIdSource: "badge" } }),
      "options.nameIdSource",
      () => admin.patch(saml, { options: { nameIdSource: null } }),
    ],
    [
      "the NameID of the SAML client https://sp.example",
      () => admin.patch(saml, { options: { persistentNameIdSource: "badge" } }),
      "options.persistentNameIdSource",
      () => admin.patch(saml, { options: { persistentNameIdSource: null } }),
    ],
    [
      "the claim mapper r",
      () => admin.post("/claims", { name: "r", claim: "realm_access.roles", source: "attribute", value: "badge" }),
      "value",
      async () =>
        admin.delete(
          `/claims/${(await admin.get("/claims?search=r&size=100")).body.find(({ name }: { name: string }) => name === "r").claimId}`,
        ),
    ],
    [
      "the claim mapper g",
      () => admin.post(`/clients/${clientId}/mappers`, { name: "g", claim: "groups", source: "attribute", value: "badge" }),
      "value",
      async () => admin.delete(`/clients/${clientId}/mappers/${(await admin.get(`/clients/${clientId}/mappers`)).body[0].mapperId}`),
    ],
    [
      "the attribute mapper a of a SAML client",
      () => admin.post(`${saml}/mappers`, { name: "a", samlName: "urn:example:Role", source: "attribute", value: "badge" }),
      "value",
      async () => admin.delete(`${saml}/mappers/${(await admin.get(`${saml}/mappers`)).body[0].mapperId}`),
    ],
    [
      "the authorization policy p1",
      () =>
        admin.post(
          `/clients/${clientId}/authz/policies`,
          policy("p1", { type: "attribute", path: "user.attributes.badge", operator: "eq", value: "gold" }),
        ),
      "path",
      () => admin.delete(`/clients/${clientId}/authz/policies/p1`),
    ],
    [
      "the authorization policy p2",
      () =>
        admin.post(
          `/clients/${clientId}/authz/policies`,
          policy("p2", { type: "attribute", path: "request.asked", operator: "eq", valuePath: "user.attributes.badge" }),
        ),
      "path",
      () => admin.delete(`/clients/${clientId}/authz/policies/p2`),
    ],
    [
      "the authorization policy p3",
      () => admin.post(`/clients/${clientId}/authz/policies`, policy("p3", { type: "regex", targetClaim: "badge", pattern: "g.*" })),
      "targetClaim",
      () => admin.delete(`/clients/${clientId}/authz/policies/p3`),
    ],
    [
      "a condition of the flow f",
      () =>
        admin.post("/flows", {
          alias: "f",
          steps: [
            password,
            { alias: "sub", requirement: "CONDITIONAL", steps: [condition, { authenticator: "totp", requirement: "REQUIRED" }] },
          ],
        }),
      "steps",
      () => admin.delete("/flows/f"),
    ],
  ];

  test.each(uses)("cannot be %s (%#): whichever is saved second is refused, and names the first", async (by, use, field, undo) => {
    expect((await declare(open)).status).toBe(200);
    const second = await use();
    expect(refusals(second), second.text).toEqual([400, `${field} open_attribute`]);
    expect(second.text).toContain("userProfile");
    await declare(closed);
    const first = await use();
    expect(first.status, first.text).toBeLessThan(300);
    const opened = await declare(open);
    expect(refusals(opened), opened.text).toEqual([400, "userProfile.attributes.0.edit attribute_in_use"]);
    expect(opened.text).toContain(by);
    await undo();
    expect((await declare(open)).status, "free again").toBe(200);
  });

  test("cannot be a claim that a policy reads either", async () => {
    await declare(open);
    const mapper = { name: "dept", claim: "dept", source: "attribute", value: "badge" };
    expect((await admin.post(`/clients/${clientId}/mappers`, mapper)).status, "a claim as such is free").toBe(201);
    const reads = { name: "p4", type: "attribute", path: "token.dept", operator: "eq", value: "x" };
    expect(refusals(await admin.post(`/clients/${clientId}/authz/policies`, reads))).toEqual([400, "path open_attribute"]);
  });

  test("and its use are never saved at once", async () => {
    const own = await iam.realm();
    const manager = own.asMaster();
    for (let round = 0; round < 3; round++) {
      await declare(closed, manager);
      await manager.put("/subject-claim", { strategy: "userId" });
      const answers = await Promise.all([
        declare(open, manager),
        manager.put("/subject-claim", { strategy: "attribute", attribute: "badge" }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    }
  });
});
