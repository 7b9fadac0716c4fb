import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clock, HOUR } from "../../kernel/clock.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";
import { relyingParty } from "../../testing/relying-party.ts";
import { deleteExpiredDrafts } from "./index.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
let admin: AdminClient;
beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
  admin = await realm.as("manage-realm");
});
afterAll(() => iam?.close());

const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const PNG = { headers: { "content-type": "image/png" } };
const draft = {
  displayName: "Northwind",
  primaryColor: "#b91c1c",
  backgroundStyle: "dots",
  fontFamily: "serif",
  welcomeTexts: { nl: "Welkom terug" },
  privacyUrl: "https://northwind.example/privacy",
};

describe("a draft of the branding", () => {
  test("is shown to the session that made it, as the page would be, and changes nothing for visitors", async () => {
    expect((await admin.get("/settings/draft")).body).toEqual({});
    expect((await admin.put("/settings/draft", draft)).body).toEqual(draft);
    expect((await admin.get("/settings/draft")).body).toEqual(draft);
    const page = await admin.get("/settings/draft/page?locale=nl&theme=dark");
    expect(page).toMatchObject({ status: 200, headers: { "x-frame-options": "SAMEORIGIN", "cache-control": "no-store" } });
    expect(page.headers["content-security-policy"]).toMatch(/form-action 'none'.*frame-ancestors 'self'/);
    expect(page.text).toContain("Welkom terug");
    expect(page.text).not.toContain("autofocus");
    expect(page.text).toContain('href="https://northwind.example/privacy"');
    const sheet = `/admin/realms/${realm.name}/settings/draft/theme.css`;
    expect(page.text).toContain(`href="${sheet}"`);
    const { text: css } = await admin.get("/settings/draft/theme.css");
    expect(css).toContain("--gh-button: #b91c1c");
    expect(css).toMatch(/--gh-font: ui-serif/);

    const shown = await iam.browser().get(`/realms/${realm.name}/login`);
    expect(shown.text).not.toContain("Northwind");
    expect(shown.headers["x-frame-options"]).toBe("DENY");
    const other = await realm.as("manage-realm");
    expect((await other.get("/settings/draft")).body).toEqual({});
    expect((await other.get("/settings/draft/page")).text).not.toContain("Northwind");
    expect((await other.get("/settings/draft/theme.css")).text).not.toContain("#b91c1c");
    expect((await (await realm.as("view-users")).get("/settings/draft/page")).status).toBe(403);
    expect((await iam.browser().get(sheet)).status).toBe(401);
  });

  test("needs a session: a client's own token keeps none, as the description says, and sees the page of visitors", async () => {
    const client = { clientId: "robot", publicClient: false, redirectUris: [], grantTypes: ["client_credentials"] };
    const robot = await relyingParty(iam, realm, client);
    const resource = `${iam.config.baseUrl}/admin`;
    const boss = realm.asMaster();
    expect((await boss.put(`/clients/${robot.id}/allowed-resources`, { allowedResources: [resource] })).status).toBe(200);
    expect((await boss.post(`/clients/${robot.id}/service-account/roles`, { name: "admin" })).status).toBe(200);
    const { access_token: token } = (await robot.post("/token", { grant_type: "client_credentials", resource })).body;
    const by = { headers: { authorization: `Bearer ${token}` } };
    const refused = await realm.anonymous().put("/settings/draft", draft, by);
    expect(refused).toMatchObject({ status: 409, body: { code: "branding.no_session" } });
    const { body: api } = await iam.browser().get("/v3/api-docs");
    expect(api.paths["/admin/realms/{realm}/settings/draft"].put.responses).toHaveProperty("409");
    expect(await realm.anonymous().get("/settings/draft", by)).toMatchObject({ status: 200, body: {} });
    for (const path of ["page", "theme.css"]) expect((await realm.anonymous().get(`/settings/draft/${path}`, by)).status, path).toBe(200);
  });

  test("has its style sheet in a realm of any name", async () => {
    const { browser } = realm.asMaster();
    const pages = `/admin/realms/pages-${realm.name}`;
    expect((await browser.post("/admin/realms", { realm: `pages-${realm.name}` })).status).toBe(201);
    expect((await browser.get(`${pages}/settings/draft/page`)).text).toContain(`href="${pages}/settings/draft/theme.css"`);
  });

  test("shows the realm's own texts, and those of the draft in their place", async () => {
    const own = await iam.realm();
    const editor = await own.as("manage-realm");
    expect((await editor.patch("/settings", { texts: { en: { signIn: "Come in", signInTitle: "Hello at {name}" } } })).status).toBe(200);
    const saved = (await editor.get("/settings/draft/page?locale=en")).text;
    expect(saved).toMatch(/Hello at.*Come in/);
    expect((await editor.put("/settings/draft", { texts: { en: { signIn: "Walk in" } } })).status).toBe(200);
    expect((await editor.get("/settings/draft/page?locale=en")).text).toContain("Walk in");
    const wrong = await editor.put("/settings/draft", { texts: { en: { signInn: "Walk in" } } });
    expect([wrong.status, wrong.body.errors?.[0].field]).toEqual([400, "texts.en.signInn"]);
  });

  test("is checked as the settings are, and is forgotten", async () => {
    const bad = async (members: object) => (await admin.put("/settings/draft", members)).body.errors?.[0].field;
    expect(await bad({ customCss: "a { b: url(https://evil.example) }" })).toBe("customCss");
    expect(await bad({ primaryColor: "red" })).toBe("primaryColor");
    expect(await bad({ sessions: {} })).toBe("sessions");
    await deleteExpiredDrafts(iam.core.db, clock.now() + 11 * HOUR);
    expect((await admin.get("/settings/draft")).body).toEqual(draft);
    await deleteExpiredDrafts(iam.core.db, clock.now() + 13 * HOUR);
    expect((await admin.get("/settings/draft")).body).toEqual({});
  });
});

describe("the brand", () => {
  test("is on pages and in mails, once it is saved", async () => {
    await admin.patch("/settings", { ...draft, terms: { url: "https://northwind.example/terms" } });
    const [logo, dark, icon] = await Promise.all(
      ["logo", "logo-dark", "favicon"].map(async (name) => (await admin.put(`/settings/images/${name}`, png, PNG)).body.href as string),
    );
    const page = (language: string) => iam.browser().get(`/realms/${realm.name}/login`, { headers: { "accept-language": language } });
    const { text } = await page("nl");
    expect(text).toContain("Welkom terug");
    expect((await page("fr")).text).not.toContain("Welkom terug");
    expect(text).toContain(`<source media="(prefers-color-scheme: dark)" srcset="${dark}"`);
    expect(text).toContain(`href="${icon}"`);
    for (const link of ["terms", "privacy"]) expect(text).toContain(`href="https://northwind.example/${link}"`);

    const preview = async () =>
      (await admin.post("/messaging/templates/preview", { templateKey: "new-device-email", sample: { browser: "Firefox, Linux" } })).body;
    const { body: html, text: plain } = await preview();
    expect(html).toContain(`src="http://localhost:8080${logo}"`);
    expect(html).toContain(`src="http://localhost:8080${dark}"`);
    expect(html).toContain("background:#b91c1c;color:#ffffff");
    expect(html).toContain("<strong><bdi>Firefox, Linux</bdi></strong>");
    expect(plain).toContain("Browser: Firefox, Linux");
    expect(plain.endsWith("-- \nNorthwind")).toBe(true);

    // Mail programs draw no SVG: the icon and the name stand in.
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>';
    await admin.put("/settings/images/logo", svg, { headers: { "content-type": "image/svg+xml" } });
    await admin.patch("/settings", { displayName: 'A<b>"' });
    const other = (await preview()).body;
    expect(other).not.toContain("/images/logo?");
    expect(other).toContain(`src="http://localhost:8080${icon}"`);
    expect(other).toContain("A&lt;b&gt;&quot;</strong>");
  });

  test("a template's value stands only in harmless places", async () => {
    const put = async (body: string) =>
      (await realm.asMaster().put("/messaging/templates", { templateKey: "otp-email", subject: "x", body, html: true })).status;
    expect(await put('<p style="color:{{brandColor}}">{{brand}} {{code}}</p>')).toBe(200);
    expect(await put('<p style="color:{{realm}}">{{code}}</p>')).toBe(400);
    expect(await put('<img src="{{brandColor}}">')).toBe(400);
    expect(await put("<script>{{brandColor}}</script>")).toBe(400);
  });
});
