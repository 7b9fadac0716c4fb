import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient } from "../../testing/realm.ts";
import { templateKeys } from "./index.ts";

let iam: SharedHarness;
/** For what changes nothing: making a realm takes its time. */
let unchanged: AdminClient;
beforeAll(async () => {
  iam = await sharedHarness();
  unchanged = (await iam.realm()).asMaster();
});
afterAll(() => iam?.close());

const at = "/messaging/templates";
/** All of them on one page. */
const all = `${at}?size=1000`;
/** The languages that ship, as the list sorts them; null is English, the default. */
const languages = [null, "ar", "de", "es", "fr", "it", "ja", "nl", "pl", "pt", "sv"];
const shippedCount = String(templateKeys.length * languages.length);
const admin = async () => (await iam.realm()).asMaster();
const otp = {
  templateKey: "otp-email",
  channel: "EMAIL",
  subject: "Code {{code}}",
  body: "Your code is {{code}}.",
  html: false,
  enabled: true,
};
const sms = { templateKey: "otp-sms", body: "{{code}}" };
const find = async (client: AdminClient, key: string, locale: string | null = null) =>
  (await client.get(all)).body.find(
    (template: { templateKey: string; locale: string | null }) => template.templateKey === key && template.locale === locale,
  );
const stored = (realm: string) =>
  iam.core.db.selectFrom("message_templates").select(["template_key", "locale"]).where("realm_id", "=", realm).execute();

describe("the list", () => {
  test("shows every message in every language that ships, under ids that stay, and stores nothing", async () => {
    const realm = await iam.realm();
    const client = realm.asMaster();
    const first = await client.get(all);
    expect(first).toMatchObject({ status: 200, headers: { "x-total-count": String(first.body.length) } });
    expect(first.body.map((template: { templateKey: string; locale: string }) => [template.templateKey, template.locale])).toEqual(
      templateKeys.flatMap((key) => languages.map((locale) => [key, locale])),
    );
    expect(String(new Set(first.body.map(({ id }: { id: string }) => id)).size)).toBe(shippedCount);
    expect(first.body[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      realmId: realm.name,
      templateKey: "otp-sms",
      channel: "SMS",
      locale: null,
      subject: null,
      body: expect.stringContaining("{{code}}"),
      textBody: null,
      html: false,
      enabled: true,
      isDefault: true,
    });
    expect((await client.get(all)).body).toEqual(first.body);
    expect(await find(client, "push-approval")).toMatchObject({ channel: "PUSH", subject: expect.any(String) });
    expect(await stored(realm.name)).toEqual([]);
    const other = await admin();
    expect((await find(other, "otp-sms")).id).not.toBe(first.body[0].id);
  });

  test("comes in pages, and can be searched by key and id", async () => {
    const list = async (query: string) => {
      const answer = await unchanged.get(`${at}?${query}`);
      const link = String(answer.headers.link);
      return [
        answer.headers["x-total-count"],
        answer.body.length,
        answer.body[0]?.templateKey,
        /cursor=(\d+)[^>]*>; rel="next"/.exec(link)?.[1],
      ];
    };
    expect(await list("size=6")).toEqual([shippedCount, 6, "otp-sms", "6"]);
    expect(await list("size=6&cursor=12")).toEqual([shippedCount, 6, "otp-email", "18"]);
    const page = Math.ceil(Number(shippedCount) / 10) - 1;
    const last = Number(shippedCount) - 10 * page;
    expect(await list(`size=10&page=${page}`)).toEqual([shippedCount, last, "agent-review-email", undefined]);
    expect(await list(`size=10&page=${page + 1}`)).toEqual([shippedCount, 0, undefined, undefined]);
    expect(await list("sort=-templateKey&size=1")).toEqual([shippedCount, 1, "verify-email", "1"]);
    expect(await list("search=OTP")).toEqual(["22", 22, "otp-sms", undefined]);
    const { id } = await find(unchanged, "verify-email");
    expect(await list(`search=${id}`)).toEqual(["1", 1, "verify-email", undefined]);
    for (const query of ["sort=body", "cursor=x", "size=0", "page=20&size=1000", "nope=1"])
      expect((await unchanged.get(`${at}?${query}`)).status, query).toBe(400);
  });

  test("is unchanged by a PUT of the answer of GET", async () => {
    const realm = await iam.realm();
    const client = await realm.as("realm-admin");
    const before = (await client.get(all)).body;
    // One language beside the default is as good as ten.
    const some = before.filter(({ locale }: { locale: string | null }) => locale === null || locale === "ar");
    for (const template of some) expect(await client.put(at, template)).toMatchObject({ status: 200, body: template });
    expect((await client.get(all)).body).toEqual(before);
    expect(await stored(realm.name)).toEqual([]);
  });
});

describe("saving", () => {
  test("puts the realm's own text in the place of what ships, with an event, and another language beside it", async () => {
    const realm = await iam.realm();
    const client = await realm.as("realm-admin");
    const shipped = await find(client, "otp-email");
    const saved = await client.put(at, otp);
    expect(saved).toMatchObject({ status: 200, headers: { etag: expect.stringMatching(/^"1[."]/) } });
    expect(saved.body).toEqual({ ...otp, id: shipped.id, realmId: realm.name, locale: null, textBody: null, isDefault: false });
    expect(await find(client, "otp-email")).toEqual(saved.body);
    expect(await client.put(at, { ...otp, locale: "pt-br", body: "Código {{code}}" })).toMatchObject({
      status: 200,
      body: { locale: "pt-BR", isDefault: false },
    });
    const list = await client.get(all);
    expect(list.headers["x-total-count"]).toBe(String(Number(shippedCount) + 1));
    expect(
      list.body
        .filter(({ templateKey }: { templateKey: string }) => templateKey === "otp-email")
        .map(({ locale }: { locale: string }) => locale),
    ).toEqual([...languages.slice(0, -1), "pt-BR", "sv"]);
    expect(await realm.events("type=ADMIN_UPDATE&resourceType=messaging")).toMatchObject([
      { detail: "template otp-email (pt-BR)" },
      { detail: "template otp-email", resourceId: shipped.id, actor: client.username },
    ]);
    expect(await (await admin()).get(all), "another realm keeps what ships").toMatchObject({ headers: { "x-total-count": shippedCount } });
  });

  test("honours If-Match, from a text that ships on", async () => {
    const client = await admin();
    const save = (body: string, version: number) => client.put(at, { ...otp, body }, { headers: { "if-match": `"${version}"` } });
    expect(await save("a {{code}}", 1)).toMatchObject({ status: 412 });
    expect(await save("a {{code}}", 0)).toMatchObject({ status: 200, headers: { etag: expect.stringMatching(/^"1[."]/) } });
    expect(await save("b {{code}}", 1)).toMatchObject({ status: 200, headers: { etag: expect.stringMatching(/^"2[."]/) } });
    expect(await save("c {{code}}", 1)).toMatchObject({ status: 412 });
    expect(await client.delete(`${at}/otp-email`, { headers: { "if-match": '"1"' } })).toMatchObject({ status: 412 });
  });

  test("restoring the shipped text removes the realm's own; deleting does too, once", async () => {
    const realm = await iam.realm();
    const client = await realm.as("realm-admin");
    const shipped = await find(client, "otp-email", "nl");
    await client.put(at, { ...otp, locale: "nl" });
    expect(await client.put(at, { ...shipped, isDefault: false })).toMatchObject({ status: 200, body: shipped });
    expect(await stored(realm.name)).toEqual([]);
    await client.put(at, { ...otp, locale: "nl" });
    expect((await client.delete(`${at}/otp-email?locale=nl`)).status).toBe(204);
    expect(await find(client, "otp-email", "nl")).toEqual(shipped);
    expect(await realm.events("type=ADMIN_DELETE")).toMatchObject([{ resourceType: "messaging", detail: "template otp-email (nl)" }]);
    for (const path of ["otp-email?locale=nl", "otp-email", "nope", "otp-email?locale=--", "constructor"])
      expect(await client.delete(`${at}/${path}`), path).toMatchObject({ status: 404, body: { code: "messaging.template_not_found" } });
  });

  test("a disabled text that ships is a change", async () => {
    const client = await admin();
    const shipped = await find(client, "new-device-email");
    expect(await client.put(at, { ...shipped, enabled: false })).toMatchObject({ status: 200, body: { enabled: false, isDefault: false } });
    expect(await find(client, "new-device-email")).toMatchObject({ enabled: false });
  });

  test("keeps what is read-only, and the channel that follows from the key", async () => {
    const client = unchanged;
    for (const [member, value] of [
      ["id", "019b76da-a803-7d4e-9f5a-6b7c8d9e0f1a"],
      ["realmId", "other"],
      ["isDefault", false],
      ["channel", "SMS"],
    ] as const)
      expect(await client.put(at, { ...otp, [member]: value }), member).toMatchObject({
        status: 400,
        body: { errors: [{ field: member, code: "read_only" }] },
      });
  });

  test.each([
    ["an unknown key, with the list", { ...otp, templateKey: "welcome" }, ["templateKey"], /otp-sms, otp-email, magic-link-email/],
    ["a key of the object's own", { ...otp, templateKey: "constructor" }, ["templateKey"], /one of/],
    [
      "unknown placeholders, each",
      { ...otp, subject: "{{nope}}", body: "{{link}} {{other}} {{code}}" },
      ["subject", "body", "body"],
      /3 faults/,
    ],
    ["a code's mail without the code", { ...otp, body: "See {{realm}}" }, ["body"], /lacks {{code}}/],
    ["a code's text message without the code", { ...sms, body: "Hello" }, ["body"], /lacks {{code}}/],
    [
      "a link's mail with the link in its title only",
      { templateKey: "magic-link-email", subject: "s", html: true, body: "<title>{{link}}</title><p>Hello</p>" },
      ["body"],
      /lacks {{link}}/,
    ],
    ["a plain part without the code", { ...otp, html: true, textBody: "Read the HTML" }, ["textBody"], /lacks {{code}}/],
    [
      "a mail with a link and a code that has neither",
      { ...otp, templateKey: "verify-email", subject: "s", body: "Hello" },
      ["body"],
      /{{link}} or {{code}}/,
    ],
    ["a placeholder that is not closed", { ...otp, body: "{{code}} {{code" }, ["body"], /no }} closes/],
    ["an unknown placeholder of the plain part", { ...otp, html: true, textBody: "{{code}} {{x}}" }, ["textBody"], /not known/],
    ["a line break in the subject", { ...otp, subject: "a\r\nBcc: eve@example.com" }, ["subject"], /one line/],
    ["a mail without a subject", { ...otp, subject: null }, ["subject"], /needs one/],
    ["an SMS with one", { ...sms, subject: "x" }, ["subject"], /has no subject/],
    ["HTML in an SMS", { ...sms, html: true }, ["html"], /only mails/],
    ["a plain part beside a plain body", { ...otp, textBody: "x" }, ["textBody"], /HTML body/],
    ["an empty body", { ...otp, body: "" }, ["body"], /empty/],
    ["no body", { ...otp, body: undefined }, ["body"], /required/],
    ["control characters", { ...otp, body: "{{code}}\u001b[2J" }, ["body"], /control/],
    ["a subject of 256", { ...otp, subject: "x".repeat(256) }, ["subject"], /255/],
    ["a body beyond 64 KiB", { ...otp, body: "x".repeat(65_537) }, ["body"], /65536/],
    ["something that is no language", { ...otp, locale: "n" }, ["locale"], /language tag/],
    ["a language that cannot be", { ...otp, locale: "en-a" }, ["locale"], /language tag/],
    ["an unknown member", { ...otp, to: "eve@example.com" }, ["to"], /not a known/],
    [
      "a placeholder where a value could do harm",
      { ...otp, html: true, body: '<a href="{{user.site}}">{{code}}</a>' },
      ["body"],
      /only {{link}} may/,
    ],
  ])("refuses %s", async (_, body, fields, words) => {
    const answer = await unchanged.put(at, body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
    expect(answer.body.detail).toMatch(words);
    expect(await unchanged.get(at)).toMatchObject({ headers: { "x-total-count": shippedCount } });
  });

  test("refuses a megabyte, and takes 64 KiB", async () => {
    const client = await admin();
    expect([400, 413]).toContain((await client.put(at, { ...otp, body: "x".repeat(1_000_000) })).status);
    expect([400, 413]).toContain((await client.put(at, { ...otp, body: "x".repeat(2_000_000) })).status);
    expect((await client.put(at, { ...otp, body: `{{code}}${"é".repeat(65_528)}` })).status).toBe(200);
  });

  test("stops at fifty languages of one message", async () => {
    const client = await admin();
    const letters = "abcdefghijklmnopqrstuvwxyz";
    const tags = [...letters].flatMap((letter) => [`q${letter}`, `${letter}q`]).filter((tag) => tag !== "qq");
    for (const locale of tags.slice(10)) expect((await client.put(at, { ...sms, locale })).status).toBe(200);
    const others = [...tags.slice(0, 10), ...[..."abcdefghij"].map((letter) => `z${letter}`)];
    const statuses = (await Promise.all(others.map((locale) => client.put(at, { ...sms, locale })))).map(({ status }) => status);
    expect(statuses.sort(), "at once").toEqual([...Array(10).fill(200), ...Array(10).fill(409)]);
    expect(await client.put(at, { ...sms, locale: "xx" })).toMatchObject({ status: 409, body: { code: "messaging.too_many_languages" } });
    expect((await client.put(at, { ...sms, locale: tags.at(-1), body: "{{code}}!" })).status, "a known one can be changed").toBe(200);
  });
});

describe("the preview", () => {
  const preview = async (body: object, client?: AdminClient) => (client ?? (await admin())).post(`${at}/preview`, body);

  test("renders what is saved, with the realm's own name, and leaves what is missing empty", async () => {
    const realm = await iam.realm();
    const client = await realm.as("manage-realm");
    await client.put("/settings", { displayName: "Acme & Co" });
    const answer = await preview({ templateKey: "otp-sms", sample: { code: "123456" } }, client);
    expect(answer.headers["content-type"]).toContain("application/json");
    const text = "123456 is your code for Acme & Co. It is valid for . Never share it with anyone.";
    expect(answer).toMatchObject({ status: 200, body: { subject: null, body: text, text } });
    expect((await preview({ templateKey: "otp-sms", sample: { code: "1", realm: "Elsewhere" } }, client)).body.text).toContain("Elsewhere");
    const html = await preview({ templateKey: "otp-email", sample: { code: "<1>" } }, client);
    expect(html.body.body).toContain("Acme &amp; Co");
    expect(html.body.body).toContain("&lt;1&gt;");
    expect(html.body.text).toContain("<1>");
    expect(html.body.subject).toBe("Your sign-in code for Acme & Co");
  });

  test("chooses the language: the requested one, the realm's, the default", async () => {
    const client = await admin();
    const textIn = async (locale?: string) =>
      (await preview({ templateKey: "otp-sms", sample: {}, ...(locale && { locale }) }, client)).body.text;
    expect(await textIn()).toContain("is your code");
    expect(await textIn("nl-BE")).toContain("is je code");
    expect(await textIn("de-AT")).toContain("ist Ihr Code");
    expect(await textIn("fr")).toContain("est votre code");
    expect(await textIn("es-MX")).toContain("es tu clave");
    expect(await textIn("fi")).toContain("is your code");
    await client.put("/settings", { defaultLocale: "nl" });
    expect(await textIn("fi")).toContain("is je code");
    expect(await textIn("en")).toContain("is your code");
    await client.put(at, { ...sms, locale: "fi", body: "Koodisi: {{code}}" });
    expect(await textIn("fi-FI")).toBe("Koodisi: ");
  });

  test("shows a text that is still being written, judged like one that is saved, and stores nothing", async () => {
    const realm = await iam.realm();
    const client = await realm.as("realm-admin");
    const draft = { templateKey: "magic-link-email", subject: "Hi {{user.firstName}}", body: '<a href="{{link}}">Go</a>', html: true };
    const sample = { link: "https://acme.example/?a=1&b=2", "user.firstName": "<Ada>\r\nBcc: x" };
    expect(await preview({ ...draft, sample }, client)).toMatchObject({
      status: 200,
      body: {
        subject: "Hi <Ada> Bcc: x",
        body: '<a href="https://acme.example/?a=1&amp;b=2">Go</a>',
        text: "Go: https://acme.example/?a=1&b=2",
      },
    });
    expect(await preview({ ...draft, body: "{{code}}", sample }, client)).toMatchObject({
      status: 400,
      body: { errors: [{ field: "body" }] },
    });
    expect(await stored(realm.name)).toEqual([]);
    expect(await realm.events("resourceType=messaging")).toEqual([]);
  });

  test("refuses samples of what is no placeholder, links that lead to no page, and keys there are none of", async () => {
    const client = unchanged;
    expect(await preview({ templateKey: "otp-sms", sample: { cod: "1", "user.": "x" } }, client)).toMatchObject({
      status: 400,
      body: { errors: [{ field: "sample.cod" }, { field: "sample.user." }] },
    });
    for (const link of ["javascript:alert(1)", "data:text/html,x", "//evil.example", "https://a b", "x"])
      expect(await preview({ templateKey: "magic-link-email", sample: { link } }, client), link).toMatchObject({
        status: 400,
        body: { errors: [{ field: "sample.link" }] },
      });
    expect(await preview({ templateKey: "nope", sample: {} }, client)).toMatchObject({
      status: 400,
      body: { errors: [{ field: "templateKey" }] },
    });
    expect(await preview({ templateKey: "otp-sms" }, client)).toMatchObject({ status: 400, body: { errors: [{ field: "sample" }] } });
  });
});
