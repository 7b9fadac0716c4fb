import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { identityProvider } from "../../testing/identity-providers.ts";
import { normalDomain } from "./domains.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const noBranding = {
  displayName: null,
  logoUrl: null,
  primaryColor: null,
  backgroundColor: null,
  welcomeText: null,
  customCss: null,
};

describe("an organization", () => {
  test("is created, read, replaced and deleted, each with its event", async () => {
    const realm = await iam.realm();
    const admin = await realm.admin();
    expect((await admin.post("/identity-providers", identityProvider("google", "books-idp"))).status).toBe(201);
    const created = await admin.post("/organizations", { name: "Bücher & Co.", domains: [{ domain: "Bücher.Example." }] });
    expect(created).toMatchObject({ status: 201, headers: { etag: expect.stringMatching(/^"1[."]/) } });
    const { organizationId, createdAt, ...rest } = created.body;
    expect(rest).toEqual({
      realmId: realm.name,
      name: "Bücher & Co.",
      alias: "bucher-co",
      displayName: null,
      domains: [{ domain: "xn--bcher-kva.example", verified: false, verification: expect.objectContaining({ method: null }) }],
      attributes: {},
      branding: noBranding,
      identityProvider: null,
      enabled: true,
      memberCount: 0,
    });
    expect((await admin.get(`/organizations/${organizationId}`)).body).toEqual(created.body);

    const state = {
      ...created.body,
      displayName: "Books",
      domains: [
        { domain: "books.example", verified: true },
        { domain: "xn--bcher-kva.example", verified: true },
      ],
      attributes: { contract: "C-1", constructor: ["a", "b"] },
      branding: { ...noBranding, primaryColor: "#0f766e", customCss: ".gh-card { color: red }" },
      identityProvider: "books-idp",
      enabled: false,
    };
    const saved = await admin.put(`/organizations/${organizationId}`, state);
    expect(saved).toMatchObject({ status: 200, headers: { etag: expect.stringMatching(/^"2[."]/) } });
    expect(saved.body).toEqual({
      ...state,
      domains: state.domains.map((domain: object) => ({ ...domain, verification: expect.anything() })),
    });
    const refused = await admin.put(`/organizations/${organizationId}`, { name: "Books" });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: "enabled", code: "required" }] } });
    expect((await admin.put(`/organizations/${organizationId}`, { name: "Books", enabled: false })).body).toEqual({
      ...rest,
      organizationId,
      createdAt,
      name: "Books",
      domains: [],
      enabled: false,
    });
    expect((await admin.delete(`/organizations/${organizationId}`)).status).toBe(204);
    expect((await admin.get(`/organizations/${organizationId}`)).body.code).toBe("organizations.not_found");
    const events = await realm.events(`resourceType=organizations&resourceId=${organizationId}`);
    expect(events.map(({ type }) => type)).toEqual(["ADMIN_DELETE", "ADMIN_UPDATE", "ADMIN_UPDATE", "ADMIN_CREATE"]);
  });

  test("honours If-Match, and what GET returned is a valid PUT", async () => {
    const realm = await iam.realm();
    const admin = await realm.admin();
    const { body } = await admin.post("/organizations", { name: "Acme", alias: "acme" });
    const at = `/organizations/${body.organizationId}`;
    expect((await admin.put(at, body, { headers: { "if-match": '"1"' } })).status).toBe(200);
    expect((await admin.put(at, body, { headers: { "if-match": '"1"' } })).status).toBe(412);
    expect((await admin.delete(at, { headers: { "if-match": '"1"' } })).status).toBe(412);
    for (const member of ["realmId", "organizationId", "alias", "createdAt"]) {
      const changed = { ...body, [member]: typeof body[member] === "number" ? 999 : "other" };
      const refused = await admin.put(at, changed);
      expect(refused.status, member).toBe(400);
      expect(refused.body.errors).toEqual([expect.objectContaining({ field: member, code: "read_only" })]);
    }
    // Another user joined since it was read: the caller has changed nothing.
    expect((await admin.put(`${at}/members/${admin.userId}`, {})).status).toBe(204);
    expect(await admin.put(at, body)).toMatchObject({ status: 200, body: { memberCount: 1 } });
  });

  test("has a name and an alias that no other has, whatever their letter case, also when two are created at once", async () => {
    const realm = await iam.realm();
    const admin = await realm.admin();
    const answers = await Promise.all(
      ["Acme", "ACME", "ａｃｍｅ"].map((name, i) => admin.post("/organizations", { name, alias: `a${i}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)!.body.code).toBe("organizations.name_taken");
    const { alias } = answers.find(({ status }) => status === 201)!.body;
    expect((await admin.post("/organizations", { name: "Other", alias })).body.code).toBe("organizations.alias_taken");
    expect((await admin.post("/organizations", { name: "株式会社" })).body.errors).toEqual([
      expect.objectContaining({ field: "alias", code: "required" }),
    ]);
    expect((await admin.post("/organizations", { name: "株式会社", alias: "kk" })).status).toBe(201);
    const { body } = await admin.post("/organizations", { name: "Third" });
    expect((await admin.patch(`/organizations/${body.organizationId}`, { name: "acme" })).body.code).toBe("organizations.name_taken");
    expect((await (await iam.realm()).asMaster().post("/organizations", { name: "Acme", alias: "a0" })).status).toBe(201);
  });

  test("is found by the beginning of name, alias, display name and domain, sorted and paged", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("view-users", "manage-organizations");
    await admin.post("/organizations", { name: "Zeta", alias: "first", displayName: "Hidden", domains: [{ domain: "müller.example" }] });
    await admin.post("/organizations", { name: "Alpha", alias: "second", displayName: "Shown_100%" });
    const found = async (search: string) =>
      (await admin.get(`/organizations?search=${encodeURIComponent(search)}`)).body.map(({ name }: { name: string }) => name);
    for (const search of ["ze", "FIRST", "hid", "müller.example", "xn--mller", "mÜller.Example"])
      expect(await found(search), search).toEqual(["Zeta"]);
    expect(await found("shown_100%")).toEqual(["Alpha"]);
    for (const search of ["eta", "example", "%", "_", "shown%"]) expect(await found(search), search).toEqual([]);
    const all = await admin.get("/organizations");
    expect(await found(all.body[0].organizationId)).toEqual(["Alpha"]);
    expect(all.headers["x-total-count"]).toBe("2");
    const names = async (sort: string) => (await admin.get(`/organizations?sort=${sort}`)).body.map(({ name }: { name: string }) => name);
    expect([await names("name"), await names("-alias"), await names("createdAt")]).toEqual([
      ["Alpha", "Zeta"],
      ["Alpha", "Zeta"],
      ["Zeta", "Alpha"],
    ]);
    const first = await admin.get("/organizations?size=1");
    const next = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))![1]!;
    expect((await admin.browser.get(next)).body.map(({ name }: { name: string }) => name)).toEqual(["Zeta"]);
    expect((await admin.get("/organizations?sort=memberCount")).status).toBe(400);
  });

  test("refuses what cannot be kept or shown", async () => {
    const realm = await iam.realm();
    const admin = await realm.admin();
    const fieldsOf = async (body: object) => {
      const answer = await admin.post("/organizations", body);
      expect(answer.status, JSON.stringify(body).slice(0, 100)).toBe(400);
      return answer.body.errors.map(({ field }: { field: string }) => field);
    };
    for (const name of ["", " Acme", "Acme ", "A\u202ecme", "A\u200bcme", "A\u0000cme", "A\ncme", "x".repeat(256)])
      expect(await fieldsOf({ name })).toEqual(["name"]);
    for (const alias of ["", "../x", "A", "a b", "-a", "a-", "x".repeat(64)])
      expect(await fieldsOf({ name: "Acme", alias })).toEqual(["alias"]);
    expect(await fieldsOf({ name: "Acme", attributes: { "../x": "1" } })).toEqual(["attributes.../x"]);
    expect(await fieldsOf({ name: "Acme", attributes: { big: "x".repeat(4097) } })).toEqual(["attributes.big"]);
    expect(await fieldsOf({ name: "Acme", branding: { primaryColor: "red" } })).toEqual(["branding.primaryColor"]);
    expect(await fieldsOf({ name: "Acme", branding: { customCss: "@import 'x';" } })).toEqual(["branding.customCss"]);
    expect(await fieldsOf({ name: "Acme", branding: { logoUrl: "https://[:x" } })).toEqual(["branding.logoUrl"]);
    expect(await fieldsOf({ name: "Acme", branding: { font: "Arial" } })).toEqual(["branding.font"]);
    expect(await fieldsOf({ name: "Acme", identityProvider: "../idp" })).toEqual(["identityProvider"]);
    expect(await fieldsOf({ name: "Acme", role: "x" })).toEqual(["role"]);
    const raw = (body: string) =>
      admin.browser.request("POST", `/admin/realms/${realm.name}/organizations`, {
        body: body as unknown,
        headers: { "content-type": "application/json" },
      });
    expect((await raw('{"name":"Acme","attributes":{"__proto__":{"a":"1"}}}')).status).toBe(400);
    expect((await raw(`{"name":"${"x".repeat(1024 * 1024)}"}`)).status).toBe(413);
    // A path in a name is a name like any other: nothing is kept under it.
    expect((await admin.post("/organizations", { name: "../../etc/passwd" })).body).toMatchObject({ alias: "etc-passwd" });
    expect((await admin.get("/organizations/..%2f..%2fusers")).status).toBe(404);
    expect((await admin.get("/organizations/a%00b")).status).toBe(404);
    expect(await realm.events("resourceType=organizations")).toHaveLength(1);
  });

  test("is a 404 by every route of another realm, and stays unchanged", async () => {
    const [realm, other] = [await iam.realm(), await iam.realm()];
    const [admin, outsider] = [await realm.admin(), await other.admin()];
    const { organizationId, ...before } = (await admin.post("/organizations", { name: "Acme", domains: [{ domain: "acme.example" }] }))
      .body;
    const at = `/organizations/${organizationId}`;
    const [mine, theirs] = [await realm.user(), await other.user()];
    await admin.put(`${at}/members/${mine.userId}`);
    const refusals = [
      await outsider.get(at),
      await outsider.put(at, { name: "Stolen", enabled: true }),
      await outsider.patch(at, { name: "Stolen" }),
      await outsider.delete(at),
      await outsider.get(`${at}/members`),
      await outsider.put(`${at}/members/${theirs.userId}`),
      await outsider.delete(`${at}/members/${mine.userId}`),
      await outsider.get(`${at}/invitations`),
      await outsider.post(`${at}/invitations`, { email: "guest@example.com" }),
      await outsider.delete(`${at}/invitations/${organizationId}`),
    ];
    for (const answer of refusals) expect([answer.status, answer.body?.code]).toEqual([404, "organizations.not_found"]);
    // Nor does a user of another realm join.
    expect((await admin.put(`${at}/members/${theirs.userId}`)).body.code).toBe("users.not_found");
    expect((await outsider.get(`/organizations?search=${organizationId}`)).body).toEqual([]);
    expect((await admin.get(at)).body).toEqual({ ...before, organizationId, memberCount: 1 });
    expect(await other.events("resourceType=organizations")).toEqual([]);
  });

  test("is managed by holders of manage-organizations and read by those of view-users", async () => {
    const realm = await iam.realm();
    const [reader, writer] = [await realm.as("view-users"), await realm.as("manage-organizations")];
    const { organizationId } = (await writer.post("/organizations", { name: "Acme" })).body;
    expect((await reader.get(`/organizations/${organizationId}`)).status).toBe(200);
    expect((await writer.get(`/organizations/${organizationId}`)).status).toBe(403);
    expect((await reader.put(`/organizations/${organizationId}`, { name: "Mine" })).status).toBe(403);
    expect((await reader.put(`/organizations/${organizationId}/members/${reader.userId}`)).status).toBe(403);
    expect(await realm.events("type=ADMIN_DENIED")).toHaveLength(2);
  });
});

describe("domains", () => {
  test("are kept in one form", () => {
    const cases: [string, string | null][] = [
      ["Example.COM", "example.com"],
      [" example.com. ", "example.com"],
      ["bücher.example", "xn--bcher-kva.example"],
      ["ｅｘａｍｐｌｅ.com", "example.com"],
      ["例え.テスト", "xn--r8jz45g.xn--zckzah"],
      ["a.b.c.example", "a.b.c.example"],
      [`${"a".repeat(63)}.example`, `${"a".repeat(63)}.example`],
      ...[
        "",
        "localhost",
        "a/b.com",
        "../etc",
        "a%2eb.com",
        "1.2.3.4",
        "0x7f.1",
        "a..b",
        "-a.com",
        "a-.com",
        "a_b.com",
        "*.example.com",
        "user@example.com",
        "example.com:443",
        "exam ple.com",
        "exa\u202emple.com",
        "exa\u200dmple.com",
        "xn--a.com",
        "example.123",
        `${"a".repeat(64)}.example`,
        `${"abcdefghi.".repeat(26)}example`,
      ].map((text): [string, null] => [text, null]),
    ];
    for (const [text, domain] of cases) expect(normalDomain(text), text).toBe(domain);
  });

  test("are refused by their place in the list when they are none, or there twice", async () => {
    const admin = (await iam.realm()).asMaster();
    const domains = [{ domain: "a.example" }, { domain: "not a domain" }, { domain: "A.Example" }];
    const answer = await admin.post("/organizations", { name: "Acme", domains });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([
      expect.objectContaining({ field: "domains.1.domain", code: "domain" }),
      expect.objectContaining({ field: "domains.2.domain", code: "duplicate" }),
    ]);
    const many = Array.from({ length: 101 }, (_, i) => ({ domain: `d${i}.example` }));
    expect((await admin.post("/organizations", { name: "Acme", domains: many })).status).toBe(400);
  });

  test("belong to one organization of the realm, also when two ask for one at once; the answer names it", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    const create = (name: string, ...domains: string[]) =>
      admin.post("/organizations", { name, domains: domains.map((domain) => ({ domain })) });
    const answers = await Promise.all([
      create("One", "one.example", "shared.example"),
      create("Two", "Shared.Example", "two.example"),
      create("Three", "three.example", "shared.EXAMPLE"),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    for (const refused of answers.filter(({ status }) => status === 409)) {
      expect(refused.body.code).toBe("organizations.domain_taken");
      expect(refused.body.detail).toContain("shared.example");
    }
    // Nothing of those who lost is left.
    const [winner, ...others] = (await admin.get("/organizations")).body;
    expect(others).toEqual([]);
    const free = (await create("Four", "four.example")).body;
    const refused = await admin.put(`/organizations/${free.organizationId}`, { ...free, domains: winner.domains });
    expect(refused.status).toBe(409);
    expect((await admin.get(`/organizations/${free.organizationId}`)).body.domains).toEqual(free.domains);
    // One that is given up is free; in another realm it always was.
    await admin.put(`/organizations/${winner.organizationId}`, { ...winner, domains: [] });
    expect((await admin.put(`/organizations/${free.organizationId}`, { ...free, domains: winner.domains })).status).toBe(200);
    expect((await (await iam.realm()).asMaster().post("/organizations", { name: "X", domains: winner.domains })).status).toBe(201);
  });
});
