import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemActor } from "../../platform/context.ts";
import { type SharedHarness, sharedHarness, testDatabase } from "../../testing/harness.ts";
import { onPostgres } from "../../testing/on-postgres.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";
import type { UpdateSettings } from "./schema.ts";
import { saveSettings } from "./service.ts";

let iam: SharedHarness;
let shared: RealmUnderTest;
let manager: AdminClient;
beforeAll(async () => {
  iam = await sharedHarness();
  shared = await iam.realm();
  manager = await shared.as("manage-realm");
});
afterAll(() => iam?.close());

const branding = { displayName: null, logoUrl: null, primaryColor: null, backgroundColor: null, welcomeText: null, customCss: null };

test("a fresh realm has no branding and the documented defaults", async () => {
  const realm = await iam.realm();
  const { body, status } = await realm.asMaster().get("/settings");
  expect(status).toBe(200);
  expect(body).toMatchObject({
    realmId: realm.name,
    ...branding,
    sessions: { idleMinutes: 30, absoluteHours: 10, rememberDays: 30 },
    passwordPolicy: {
      minLength: 8,
      maxLength: 128,
      notUsername: true,
      notEmail: true,
      history: 5,
      breachCheck: true,
      maxAgeDays: null,
    },
    bruteForce: { enabled: true, maxFailures: 10, lockMinutes: 15 },
    groups: { inheritRoles: false },
    clientSecretReveal: true,
    auditClientLogins: false,
  });
});

onPostgres("GET's answer is a valid PUT that changes nothing", async () => {
  const realm = await iam.realm();
  const admin = await realm.as("manage-realm");
  const full = {
    displayName: "Ünïcode",
    logoUrl: "https://cdn.example/logo.png?v=1",
    primaryColor: "#0af",
    backgroundColor: "#FFEEDD",
    welcomeText: "Hello\nthere",
    customCss: ".gh-card { border-radius: 4px }",
    defaultLocale: "nl",
    sessions: { idleMinutes: 5, absoluteHours: 1, rememberMe: false, rememberDays: 1 },
    passwordPolicy: { minLength: 12, minDigits: 1 },
    bruteForce: { enabled: false },
    clientSecretReveal: false,
    auditClientLogins: true,
  };
  const put = await admin.put("/settings", full);
  expect(put).toMatchObject({ status: 200, body: { ...full, realmId: realm.name } });
  const read = await admin.get("/settings");
  expect(read.body).toEqual(put.body);
  expect((await admin.put("/settings", read.body)).body).toEqual(read.body);
  const [second, first] = await realm.events("type=ADMIN_UPDATE&resourceType=settings");
  expect([second?.detail, first?.detail.split(", ")], "which members, and no values").toEqual([
    null,
    expect.arrayContaining(["auditClientLogins", "displayName", "passwordPolicy.minDigits", "sessions.idleMinutes"]),
  ]);
  expect((await realm.asMaster().browser.get(`/admin/realms?search=${realm.name}`)).body).toMatchObject([{ displayName: "Ünïcode" }]);

  const emptied = await admin.put("/settings", {});
  expect(emptied.body).toEqual(
    (
      await (
        await iam.realm()
      )
        .asMaster()
        .get("/settings")
        .then(({ body }) => ({ body: { ...body, realmId: realm.name } }))
    ).body,
  );
});

test("If-Match is honoured, and of two writers at once one hears 412", async () => {
  const realm = await iam.realm();
  const admin = await realm.as("manage-realm");
  const { headers, body } = await admin.get("/settings");
  const stale = { headers: { "if-match": String(headers.etag) } };
  const both = await Promise.all(["#111", "#222"].map((primaryColor) => admin.put("/settings", { ...body, primaryColor }, stale)));
  expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
  expect((await admin.get("/settings")).body.primaryColor).toBe(both.find(({ status }) => status === 200)?.body.primaryColor);
  expect((await admin.put("/settings", body, stale)).body.code).toBe("request.precondition_failed");
});

test.each<[string, unknown]>([
  ["realmId", "other"],
  ["realmId", 5],
  ["displayName", ""],
  ["displayName", "x".repeat(256)],
  ["displayName", 5],
  ["logoUrl", "http://cdn.example/logo.png"],
  ["logoUrl", "javascript:alert(1)"],
  ["logoUrl", "//evil.example/logo.png"],
  ["logoUrl", "/\\evil.example/logo.png"],
  ["logoUrl", "https://"],
  ["logoUrl", "https://x; script-src *"],
  ["logoUrl", "https://[x]/"],
  ["logoUrl", "https://user@evil.example/"],
  ["logoUrl", "data:image/svg+xml;base64,PHN2Zz4="],
  ["logoUrl", "data:text/html;base64,PHN2Zz4="],
  ["logoUrl", `https://cdn.example/${"x".repeat(2048)}`],
  ["primaryColor", "red"],
  ["primaryColor", "#12"],
  ["primaryColor", "#12345g"],
  ["primaryColor", "#123;}"],
  ["primaryColor", "#1234567"],
  ["backgroundColor", "rgb(0,0,0)"],
  ["backgroundColor", 0],
  ["welcomeText", "x".repeat(1001)],
  ["customCss", "@import 'https://evil.example/x.css';"],
  ["customCss", "a { background: url(https://evil.example/x) }"],
  ["customCss", "a { color: red"],
  ["customCss", "</style><script>"],
  ["customCss", `/*${"x".repeat(65_536)}*/`],
  ["defaultLocale", "xx"],
  ["defaultLocale", null],
  ["sessions", null],
  ["sessions", []],
  ["sessions.idleMinutes", 0],
  ["sessions.idleMinutes", 1.5],
  ["sessions.idleMinutes", "30"],
  ["sessions.absoluteHours", 8761],
  ["sessions.rememberMe", "yes"],
  ["sessions.rememberDays", 366],
  ["sessions.unheardOf", 1],
  ["passwordPolicy.minLength", 3],
  ["passwordPolicy.maxLength", 63],
  ["passwordPolicy.maxLength", 257],
  ["passwordPolicy.minLowercase", -1],
  ["passwordPolicy.minUppercase", 17],
  ["passwordPolicy.minDigits", null],
  ["passwordPolicy.minSymbols", "1"],
  ["passwordPolicy.notUsername", 1],
  ["passwordPolicy.notEmail", null],
  ["passwordPolicy.history", 25],
  ["passwordPolicy.history", -1],
  ["passwordPolicy.breachCheck", "yes"],
  ["passwordPolicy.maxAgeDays", 0],
  ["passwordPolicy.__unheard", true],
  ["bruteForce.enabled", "no"],
  ["bruteForce.maxFailures", 2],
  ["bruteForce.lockMinutes", 0],
  ["bruteForce.maxFailuresPerAddress", 4],
  ["bruteForce.forgetAfterMinutes", 0],
  ["unheardOf", 1],
])("refuses %s = %j and names it", async (field, value) => {
  const before = (await manager.get("/settings")).body;
  const [group, member] = field.split(".") as [string, string?];
  const body = member === undefined ? { ...before, [group]: value } : { ...before, [group]: { ...before[group], [member]: value } };
  const answer = await manager.put("/settings", body);
  expect(answer).toMatchObject({ status: 400, body: { code: "request.invalid", errors: [{ field }] } });
  expect(answer.body.errors).toHaveLength(1);
  expect(answer.body.errors[0].message).toMatch(/\w{3}/);
  expect((await manager.get("/settings")).body).toEqual(before);
});

test("refuses a password policy that no password can meet", async () => {
  const answer = await manager.put("/settings", { passwordPolicy: { minLength: 100, maxLength: 64 } });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: "passwordPolicy.minLength" }] } });
});

test("passkeys belong to the server's host or to a domain that it is in", async () => {
  const refused = await manager.put("/settings", { passkeys: { rpId: "evil.example" } });
  expect(refused).toMatchObject({
    status: 400,
    body: { errors: [{ field: "passkeys.rpId", message: expect.stringContaining("must be localhost") }] },
  });
  expect((await manager.put("/settings", { passkeys: { rpId: "localhost" } })).status).toBe(200);
  const realm = await iam.realm();
  const taken = (rpId: string, baseUrl: string) =>
    iam.core.work
      .transact({ realm: realm.name, actor: systemActor(realm.name), sourceIp: null }, (ctx) =>
        saveSettings(ctx, { passkeys: { rpId } } as UpdateSettings, baseUrl),
      )
      .then(
        ({ settings }) => settings.passkeys.rpId === rpId,
        ({ status }) => status,
      );
  const host = "https://login.id.acme.example:8443";
  for (const rpId of ["login.id.acme.example", "id.acme.example", "acme.example"]) expect(await taken(rpId, host), rpId).toBe(true);
  for (const rpId of ["example", "me.example", "d.acme.example", "x.login.id.acme.example"])
    expect(await taken(rpId, host), rpId).toBe(400);
  expect(await taken("0.0.1", "http://127.0.0.1:8080")).toBe(400);
});

test.each(["https://cdn.example", "https://cdn.example:8443/a?b=c#d", "/assets/logo.svg", "/", "data:image/png;base64,iVBORw0KGgo="])(
  "takes %s as logo",
  async (logoUrl) => {
    expect((await manager.put("/settings", { logoUrl })).body.logoUrl).toBe(logoUrl);
    expect((await iam.browser().get(`/realms/${shared.name}/login`)).status).toBe(200);
  },
);

test("counts at once: on the sign-in page and for the next password", async () => {
  const realm = await iam.realm();
  const admin = await realm.as("manage-realm");
  await admin.put("/settings", { displayName: "Acme <&> Sons", passwordPolicy: { minLength: 30 } });
  expect((await iam.browser().get(`/realms/${realm.name}/login`)).text).toContain("Acme &lt;&amp;> Sons");
  const { userId } = (await realm.asMaster().post("/users", { username: "ada" })).body;
  const answer = await realm.asMaster().put(`/users/${userId}/password`, { newPassword: "twenty characters xx" });
  expect(answer).toMatchObject({
    status: 400,
    body: { code: "password.policy", detail: expect.stringContaining("at least 30 characters") },
  });
});

describe("texts in a realm's own words", () => {
  const page = async (realm: RealmUnderTest, lang: string) => (await iam.browser().get(`/realms/${realm.name}/login?lang=${lang}`)).text;

  test("are shown at once, in their language alone, as plain text, and are removed by PATCH", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-realm");
    const texts = { nl: { signIn: "Kom <b>binnen</b>", signInTitle: "Dag bij {name}" }, ar: { signIn: "ادخل" } };
    expect((await admin.patch("/settings", { texts })).body.texts).toEqual(texts);
    expect(await page(realm, "nl")).toContain("Kom &lt;b>binnen&lt;/b>");
    expect(await page(realm, "nl")).toContain("Dag bij");
    expect(await page(realm, "ar")).toMatch(/<html lang="ar" dir="rtl".*ادخل/s);
    expect(await page(realm, "en")).toContain("Sign in");
    const list = (await admin.get("/settings/texts/nl")).body as { name: string; shipped: string; own: string | null }[];
    expect(list.find(({ name }) => name === "signIn")).toEqual({ name: "signIn", shipped: "Inloggen", own: texts.nl.signIn });
    expect(list.find(({ name }) => name === "password")).toMatchObject({ own: null });
    expect((await admin.patch("/settings", { texts: { nl: { signIn: null, signInTitle: null } } })).body.texts.ar).toEqual(texts.ar);
    expect(await page(realm, "nl")).toContain("Inloggen");
    const reader = await realm.as("view-users");
    expect((await reader.get("/settings/texts/nl")).status).toBe(403);
  });

  test("a text of an earlier release may stay: the settings of an upgraded realm, and its documents, are saved as they are", async () => {
    const realm = await iam.realm();
    const texts = { en: { movedOnTitle: "Elsewhere", signIn: "Come in" } };
    expect((await realm.asMaster().patch("/settings", { texts })).body.texts).toEqual(texts);
    expect(await page(realm, "en")).toContain("Come in");
  });

  test.each([
    ["a language that no page speaks", { xx: { signIn: "x" } }, "texts.xx", /the languages are en, nl/],
    ["a name that no text has", { en: { signInn: "x" } }, "texts.en.signInn", /Did you mean signIn\?/],
    [
      "a value that the text is not given",
      { en: { signInTitle: "Hi {account}" } },
      "texts.en.signInTitle",
      /\{account\}; its values are \{name\}/,
    ],
    ["a brace without its other", { en: { signIn: "Sign {in" } }, "texts.en.signIn", /has no values/],
    ["two lines", { en: { signIn: "Sign\nin" } }, "texts.en.signIn", /one line/],
    ["text that runs backwards", { en: { signIn: "Sign \u202ein" } }, "texts.en.signIn", /visible/],
    [
      "a plural without its last form",
      { en: { accountCodesLeft: "{count, plural, one {# code}}" } },
      "texts.en.accountCodesLeft",
      /form other/,
    ],
    ["a property of every object", { en: { constructor: "x" } }, "texts.en.constructor", /no such text/],
  ])("refuse %s", async (_what, texts, field, message) => {
    const answer = await manager.patch("/settings", { texts });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field, message: expect.stringMatching(message) }] } });
  });
});

describe.runIf(testDatabase() === "postgres")("on a second node", () => {
  test("the change is seen", async () => {
    const second = await iam.secondNode();
    const realm = await iam.realm();
    const there = iam.browser().elsewhere(second.server.app);
    const page = async () => (await there.get(`/realms/${realm.name}/login`)).text;
    expect(await page()).not.toContain("Everywhere Ltd");
    await realm.asMaster().put("/settings", { displayName: "Everywhere Ltd" });
    await expect.poll(page).toContain("Everywhere Ltd");
  });
});

test("to keep events for a shorter time takes realm-admin, also by an import; a longer one is free", async () => {
  const realm = await iam.realm();
  const lesser = await realm.as("manage-realm");
  const keep = (admin: AdminClient, retentionDays: number | null) => admin.patch("/settings", { audit: { retentionDays } });
  expect((await keep(lesser, 30)).body.code).toBe("permissions.escalation");
  expect((await keep(realm.asMaster(), 30)).status).toBe(200);
  expect((await keep(lesser, 7)).body.code).toBe("permissions.escalation");
  const document = { schema: "gatehouse.realm/v1", settings: { audit: { retentionDays: 7 } } };
  expect((await lesser.post("/import", document)).body.errors).toMatchObject([{ field: "settings", code: "permissions.escalation" }]);
  expect((await lesser.get("/settings")).body.audit).toEqual({ retentionDays: 30 });
  expect((await keep(lesser, 60)).status).toBe(200);
  expect((await keep(lesser, null)).status).toBe(200);
  const events = await realm.events("type=ADMIN_UPDATE&resourceType=settings");
  expect(events.map(({ detail }) => detail)).toEqual(new Array(3).fill("audit.retentionDays"));
});
