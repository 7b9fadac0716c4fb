// The admin console in a real browser on a real server: one server, one browser, several people.
import pg from "pg";
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { fillRealms, fillUsers, usernameOf } from "../../bench/directory-data.mjs";
import {
  examine,
  expectAccessible,
  expectLegible,
  expectNoSidewaysScrolling,
  moveTo,
  noBrowser,
  personIn,
  sharedBrowser,
  takePicture,
  takeSession,
} from "./browser.ts";
import { anyDatabase, emptyDatabase, PASSWORD, postgresUrl, type ServerProcess, startServer } from "./process.ts";
import type { Visitor } from "./visitor.ts";

const ADA_PASSWORD = "the password of ada in demo";

/** Clicks the button, unless the page, which also tries by itself, has succeeded before. */
const tryAgain = (button: Locator) => button.click({ timeout: 10_000 }).catch(() => button.waitFor({ state: "detached" }));

describe.skipIf(noBrowser)("the admin console (needs Chromium)", () => {
  let server: ServerProcess;
  let browser: Browser;
  let database: Awaited<ReturnType<typeof emptyDatabase>>;
  let url: string;
  let admin: Visitor;
  /** The tab of the tests that leave the browser as it was. */
  let tab: Page;
  const ids = { user: "", client: "", longClient: "", group: "", role: "", organization: "", target: "" };

  beforeAll(async () => {
    database = await emptyDatabase(anyDatabase);
    const env = { ...database, GATEHOUSE_MODE: "development" };
    [server, browser] = await Promise.all([startServer({ env }), sharedBrowser()]);
    url = `http://localhost:${server.port}`;
    admin = await server.admin();
    tab = await (await newContext()).newPage();
    const create = async (path: string, body: object) => {
      const { status, body: made, text } = await admin.request("POST", `/admin/realms/demo${path}`, { body });
      expect(status, `${path} ${text}`).toBe(201);
      return made;
    };
    ids.role = (await create("/roles", { name: "support" })).roleId;
    ids.user = (
      await create("/users", { username: "ada", email: "ada@example.com", password: ADA_PASSWORD, roles: ["user", "support"] })
    ).userId;
    ids.group = (await create("/groups", { name: "Engineering" })).groupId;
    ids.organization = (await create("/organizations", { name: "Initech" })).organizationId;
    const redirectUris = ["https://shop.example.com/callback"];
    ids.client = (await create("/clients", { clientId: "shop", name: "Shop", publicClient: false, redirectUris })).id;
    // As long as a name may be, or nearly: it fits in, too.
    const long = { clientId: `long-${"name".repeat(40)}`, publicClient: false, redirectUris: ["https://long.example.com/"] };
    ids.longClient = (await create("/clients", long)).id;
    await create("/webhooks", { name: "target", url: "https://hooks.example.com/", eventTypes: "LOGOUT", enabled: false });
    const scim = { name: "wiki", url: "https://wiki.example.com/scim/v2", auth: { type: "bearer" }, secret: "of the wiki", enabled: false };
    ids.target = (await create("/scim-targets", scim)).id;
    await create("/identity-providers", { protocol: "github", alias: "github", config: { clientId: "a", clientSecret: "b" } });
  });

  const to = (path: string) => `/console/realms/demo/${path}`;

  /** Signs in by the page that the console sends them to. */
  async function signIn(page: Page, username = "admin", password = PASSWORD): Promise<void> {
    await page.locator("#username").fill(username);
    await page.locator("#password").fill(password);
    await page.keyboard.press("Enter");
  }

  /** A browser of the administrator; of what it complains about is said nothing, since refusals are meant here. */
  async function newContext(visitor = admin, options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await browser.newContext({ baseURL: url, reducedMotion: "reduce", ...options });
    context.setDefaultTimeout(45_000);
    await takeSession(context, visitor, url);
    return context;
  }

  /** Opens the console in the one tab. A tab of its own would compile everything once more. */
  async function administrator(path: string, viewport = { width: 1280, height: 720 }): Promise<Page> {
    await tab.setViewportSize(viewport);
    await tab.goto(to(path));
    return tab;
  }

  /** Opens the console in a new browser. */
  async function administratorIn(context: BrowserContext, path: string): Promise<Page> {
    const page = await context.newPage();
    await page.goto(to(path));
    return page;
  }

  test("leads from / to the overview, and every screen is accessible, in light and in dark, without a complaint of the browser", async () => {
    const boss = await personIn(browser, { viewport: { width: 1280, height: 900 } });
    const page = await boss.tab();
    await page.goto(`${url}/`);
    // The overview shows its heading before this is answered.
    const counted = page.waitForResponse(/\/admin\/realms\/master\/metrics\?/);
    await signIn(page);
    await page.getByRole("heading", { name: "Get started" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/console/realms/master/overview");
    await (await counted).finished();
    const screens: readonly (readonly [path: string, shows: string])[] = [
      ["overview", "Sign-ins"],
      ["users", "ada@example.com"],
      [`users/${ids.user}`, "First name"],
      [`users/${ids.user}?tab=credentials`, "Set a password"],
      [`users/${ids.user}?tab=activity`, "ADMIN_CREATE"],
      ["import-users", "or paste the rows"],
      ["groups", "Engineering"],
      [`groups/${ids.group}`, "Parent group"],
      [`organizations/${ids.organization}`, "Initech"],
      [`roles/${ids.role}`, "support"],
      ["sessions", "Service accounts with live tokens"],
      ["clients", "Shop"],
      ["clients/new", "Single-page application"],
      [`clients/${ids.client}`, "Redirect URIs"],
      [`clients/${ids.longClient}?tab=quickstart`, "Spring Boot"],
      [`clients/${ids.client}?tab=preview`, "No token is issued"],
      [`clients/${ids.client}?tab=authorization`, "authorization services"],
      ["saml-clients", "Import metadata from an address"],
      ["agents", "has a responsible owner"],
      ["workloads", "Machines without secrets"],
      ["scopes", "openid"],
      ["claims", "The subject (sub)"],
      ["flows/browser", "Add a step"],
      ["flows/browser?tab=diagram", "one is enough"],
      ["identity-providers/github", "Connection"],
      ["passwords", "Password policy"],
      ["user-profile", "Standard attributes"],
      ["branding", "Open the saved sign-in page"],
      ["texts", "signInTitle"],
      ["messages", "Templates"],
      ["messages?tab=templates", "otp-email"],
      ["messages?tab=push-tokens", "No device gets push messages"],
      ["events", "ADMIN_CREATE"],
      ["webhooks", "target"],
      ["keys", "Algorithm"],
      ["provisioning", "SCIM tokens"],
      [`scim-targets/${ids.target}`, "Which users"],
      [`scim-targets/${ids.target}?tab=status`, "Test the connection"],
      ["transfer", "Move from another system"],
      ["settings", "Sessions"],
      ["try-it", "as an application would"],
    ];
    // A request that is made while a page is left would count as lost.
    await page.waitForLoadState("networkidle");
    for (const [path, shows] of screens) {
      await moveTo(page, to(path));
      await page.locator("#main").getByText(shows).first().waitFor();
      await page.waitForFunction(() => {
        const { document } = globalThis as unknown as { document: Document };
        return Array.from(document.querySelectorAll("#main [aria-busy]")).every((one) => !one.checkVisibility());
      });
      const name = `console-${path.replaceAll(/[0-9a-f-]{36}/g, "one").replaceAll(/[^a-z]+/g, "-")}`;
      // The navigation is the same on every screen: axe examines it on the first. A telephone does not show it.
      const isFirst = path === screens[0]![0];
      if (isFirst) {
        await page.emulateMedia({ colorScheme: "dark" });
        await expectLegible(page, `${name}-dark`);
      }
      await examine(page, name, { examined: isFirst ? [] : ["nav"] });
    }
    await boss.close();
  });

  test("works by keyboard and at the width of a phone", async () => {
    const page = await administrator("overview", { width: 360, height: 740 });
    await page.getByRole("heading", { name: "Get started" }).waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => (globalThis as unknown as { document: Document }).document.activeElement?.textContent)).toBe(
      "Skip to the content",
    );
    await page.waitForLoadState("networkidle");
    await expectNoSidewaysScrolling(page);
    // The key works in a field, too.
    await moveTo(page, to("users"));
    await page.getByLabel("Search by name, username, email or ID").focus();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.type("ada@");
    await page.getByRole("button", { name: /ada@example/ }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "ada", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Navigation" }).click();
    await page.getByRole("link", { name: "Audit log" }).first().click();
    await page.getByRole("heading", { name: "Audit log" }).waitFor();
    await takePicture(page, "console-phone");
  });

  test("shows an auditor what they may see, and nothing to change", async () => {
    const audrey = { username: "audrey", password: ADA_PASSWORD, roles: ["auditor"] };
    expect((await admin.request("POST", "/admin/realms/demo/users", { body: audrey })).status).toBe(201);
    const visitor = server.visitor();
    await visitor.signIn("demo", "audrey", ADA_PASSWORD);
    const page = await administratorIn(await newContext(visitor), "users");
    await page.getByText("ada@example.com").waitFor();
    const areas = await page.getByRole("navigation", { name: "Areas" }).getByRole("link").allTextContents();
    expect(areas).toEqual([
      ...["Overview", "Users", "Groups", "Organizations", "Roles", "Sessions"],
      ...["Applications", "SAML applications", "Agents", "Workload identity", "Scopes", "Claims", "Audit log"],
    ]);
    expect(await page.getByRole("button", { name: "Create user" }).count()).toBe(0);
    await moveTo(page, to(`users/${ids.user}`));
    await page.getByLabel("Username").waitFor();
    expect(await page.getByLabel("Username").isDisabled()).toBe(true);
    expect(await page.getByRole("button", { name: "Actions" }).count()).toBe(0);
    await moveTo(page, to("flows"));
    await page.getByText("You may not see this").waitFor();
    await page.context().close();
  });

  test("finds people by their names, and events by type and day, each with all that is known of it", async () => {
    const team = { name: "team", displayName: { en: "Team" }, type: "choice", options: [{ value: "c", displayName: { en: "Compilers" } }] };
    const profile = { attributes: [{ ...team, required: ["admin"] }] };
    expect((await admin.request("PATCH", "/admin/realms/demo/settings", { body: { userProfile: profile } })).status).toBe(200);
    const page = await administrator("users");
    await page.getByRole("button", { name: "Create user" }).first().click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Username").fill("gmh");
    await form.getByLabel("First name").fill("Grace");
    await form.getByLabel("Last name").fill("Hopper");
    await form.getByRole("button", { name: "Create", exact: true }).click();
    await form.getByText("attributes.team is required").first().waitFor();
    await form.getByRole("combobox", { name: "Team" }).click();
    await page.getByRole("option", { name: "Compilers" }).click();
    await expectAccessible(page, "console-create-user");
    await form.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("heading", { name: "gmh", level: 1 }).waitFor();
    const { body: found } = await admin.get("/admin/realms/demo/users?search=gmh");
    expect(found).toMatchObject([{ attributes: { firstName: "Grace", lastName: "Hopper", team: "c" } }]);
    const support = { action: "assign-role", userIds: [found[0].userId], roleId: ids.role };
    expect((await admin.request("POST", "/admin/realms/demo/users/bulk", { body: support })).status).toBe(200);
    const undeclared = { userProfile: { attributes: [] } };
    expect((await admin.request("PATCH", "/admin/realms/demo/settings", { body: undeclared })).status).toBe(200);
    await moveTo(page, to("users"));
    await page.getByLabel("Search by name, username, email or ID").fill("hopp");
    await page.getByRole("row", { name: /gmh Grace Hopper/ }).waitFor();
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    await page.getByRole("button", { name: "More filters" }).click();
    await page.getByRole("combobox", { name: "Role" }).fill("support");
    await page.getByRole("option", { name: "support" }).click();
    await page.waitForURL(/role=support/);
    await page.getByRole("row", { name: /gmh Grace Hopper/ }).waitFor();
    await expectAccessible(page, "console-filters");

    // A user who cannot sign in is not offered.
    const shut = await admin.request("POST", "/admin/realms/demo/users", { body: { username: "shut-out", enabled: false } });
    for (const [username, userId, offers] of [
      ["ada", ids.user, 1],
      ["shut-out", shut.body.userId, 0],
    ] as const) {
      await moveTo(page, to(`users/${userId}`));
      await page.getByRole("heading", { name: username, level: 1 }).waitFor();
      await page.getByRole("button", { name: "Actions" }).click();
      await page.getByRole("menuitem", { name: "Sign out everywhere" }).waitFor();
      expect(await page.getByRole("menuitem", { name: "Act as this user" }).count()).toBe(offers);
      await page.keyboard.press("Escape");
    }

    await moveTo(page, to("events?type=ADMIN_CREATE,ADMIN_UPDATE"));
    await page.getByRole("combobox", { name: "Type" }).fill("denied");
    await page.getByRole("option", { name: "ADMIN_DENIED" }).waitFor();
    await page.getByLabel("From").fill("2020-01-01T10:00");
    await page.waitForURL(/from=2020-01-01T/);
    await page
      .getByRole("button", { name: /ADMIN_CREATE/ })
      .first()
      .click();
    const event = page.getByRole("dialog");
    await event.getByRole("row", { name: /Request ID/ }).waitFor();
    await event.getByRole("row", { name: /Outcome SUCCESS/ }).waitFor();
    await expectAccessible(page, "console-event");
    await event.getByRole("link", { name: "Everything of this request" }).click();
    await page.waitForURL(/requestId=/);
    await event.waitFor({ state: "hidden" });
    // A request that would be refused again is not offered again.
    await moveTo(page, to("events?type=NOTHING"));
    await page.getByRole("alert").getByRole("button", { name: "Clear filters" }).click();
    await page
      .getByRole("button", { name: /ADMIN_CREATE/ })
      .first()
      .waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  });

  test("ticks the permission to read with the one to manage, and says where it is missing", async () => {
    const { body: role } = await admin.request("POST", "/admin/realms/demo/roles", { body: { name: "desk" } });
    const page = await administrator(`roles/${role.roleId}?tab=permissions`);
    await page.getByLabel("Manage users").click();
    await expect.poll(() => page.getByLabel("View users").isChecked()).toBe(true);
    await page.getByLabel("View users").click();
    await page.getByText("manage-users alone shows no list").waitFor();
  });

  test("merges the changes of two administrators of one record", async () => {
    const made = { username: "pair", attributes: { firstName: "First", lastName: "Last" } };
    const { userId } = (await admin.request("POST", "/admin/realms/demo/users", { body: made })).body;
    const elsewhere = await newContext();
    const [one, other] = await Promise.all([administrator(`users/${userId}`), administratorIn(elsewhere, `users/${userId}`)]);
    for (const page of [one, other]) await page.getByLabel("First name").waitFor();
    await other.getByLabel("First name").fill("They");
    await one.getByLabel("Username").fill("couple");
    await one.getByLabel("First name").fill("We");
    await one.getByLabel("Last name").fill("Ours");
    await one.getByRole("button", { name: "Save changes" }).click();
    // By the exact word: the bar above the form says "unsaved" until then.
    await one.getByText("Saved", { exact: true }).waitFor();
    // The other one comes back to the tab later: the page reads the record again, and still knows what the form began with.
    const readAgain = other.waitForResponse((answer) => answer.url().endsWith(`/users/${userId}`));
    await other.evaluate(() => {
      const later = Date.now() + 60_000;
      Date.now = () => later;
      const { document } = globalThis as unknown as { document: Document };
      document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    });
    await (await readAgain).finished();
    await other.getByRole("heading", { name: "couple" }).waitFor();
    await other.getByRole("button", { name: "Save changes" }).click();
    await other.getByText("Another administrator has changed this record").waitFor();
    await expectAccessible(other, "console-conflict");
    await other.getByRole("button", { name: "Save merged" }).click();
    await other.getByText("Saved", { exact: true }).waitFor();
    const { body } = await admin.get(`/admin/realms/demo/users/${userId}`);
    expect(body).toMatchObject({ username: "couple", attributes: { firstName: "They", lastName: "Ours" } });
    await other.getByRole("button", { name: "Undo" }).click();
    await other.getByText("It is as it was").waitFor();
    const { body: before } = await admin.get(`/admin/realms/demo/users/${userId}`);
    const kept = { username: "couple", attributes: { firstName: "We", lastName: "Ours" } };
    expect(before, "only the own change is taken back").toMatchObject(kept);
    await elsewhere.close();
  });

  test("keeps a half-filled form when the session ends, and sends it after a new sign-in", async () => {
    const page = await administratorIn(await newContext(), "users");
    await page.getByRole("button", { name: "Create user" }).first().click();
    await page.getByRole("dialog").getByLabel("Username").fill("grace");
    await page.context().clearCookies();
    await page.getByRole("dialog").getByRole("button", { name: "Create", exact: true }).click();
    await page.getByText("Your session has ended").waitFor();
    const [next] = await Promise.all([page.context().waitForEvent("page"), page.getByRole("link", { name: "Sign in again" }).click()]);
    await next.locator("#username").waitFor();
    expect(new URL(next.url()).pathname).toBe("/realms/demo/login");
    await next.goto(`${url}/realms/master/login?return_to=${encodeURIComponent("/console/signed-in")}`);
    await signIn(next);
    await page.getByRole("heading", { name: "grace", level: 1 }).waitFor();
    // On a page that has just been opened nothing is typed, so there is nothing to keep.
    await page.context().clearCookies();
    await page.reload();
    await page.getByRole("heading", { name: "Sign in to manage demo" }).waitFor();
    await page.context().close();
  });

  test("opens a record over its list, names a wrong field, saves by keyboard, and takes changes back", async () => {
    const page = await administrator("users?search=ada&sort=username");
    await page
      .getByRole("row", { name: /ada@example/ })
      .getByText("Active")
      .click();
    const record = page.getByRole("dialog");
    const email = record.getByLabel("Email", { exact: true });
    await email.fill("not an address");
    await page.keyboard.press("Control+s");
    await record.locator("[aria-invalid=true]").waitFor();
    // The focus is on the field with the mistake.
    expect(await email.evaluate((field) => field === field.ownerDocument.activeElement && field.getAttribute("aria-invalid"))).toBe("true");
    await expectAccessible(page, "console-drawer");
    // A page of another realm replaces the cookie of the CSRF token.
    const elsewhere = await page.context().newPage();
    await elsewhere.goto(`${url}/realms/demo/login`);
    await elsewhere.close();
    await email.fill("lovelace@example.com");
    await page.keyboard.press("Control+s");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("It is as it was").waitFor();
    expect((await admin.get(`/admin/realms/demo/users/${ids.user}`)).body.email).toBe("ada@example.com");

    await record.getByRole("tab", { name: "Role mappings" }).click();
    await record.getByRole("button", { name: "Remove: support" }).click();
    await page.getByText("support was removed").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await record.getByRole("button", { name: "Remove: support" }).waitFor();
    // Back closes the record, and the list is as it was.
    await page.goBack();
    await record.waitFor({ state: "hidden" });
    expect(new URL(page.url()).search).toBe("?search=ada&sort=username");

    // The percent sign is a part of the name.
    const sp = { entityId: "urn:sp:100%25", assertionConsumerServiceUrl: "https://sp.example.com/acs" };
    expect((await admin.request("POST", "/admin/realms/demo/saml-clients", { body: sp })).status).toBe(201);
    await page.goto(to(`saml-clients/${encodeURIComponent(sp.entityId)}`));
    await page.getByRole("heading", { name: sp.entityId, level: 1 }).waitFor();
  });

  test("says when the server does not answer or fails, keeps what was typed, and goes on when it is back", async () => {
    const page = await administratorIn(await newContext(), "settings");
    await page.waitForLoadState("networkidle");
    const version = page.getByLabel("Version");
    await version.fill("7");
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("The server cannot be reached. This page may be old").waitFor();
    await expectAccessible(page, "console-offline");
    await page.context().setOffline(false);
    await tryAgain(page.getByRole("button", { name: "Try again" }));
    await page.getByText("This page may be old").waitFor({ state: "hidden" });
    expect(await version.inputValue()).toBe("7");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    // The page has other texts with "saved" in them, so the request may still be on its way.
    await expect.poll(async () => (await admin.get("/admin/realms/demo/settings")).body.terms.version).toBe("7");

    const problem = { type: "about:blank", status: 500, title: "Internal Server Error", detail: "The database is away" };
    await page.route("**/admin/realms/demo/webhooks?*", (route) =>
      route.fulfill({ status: 500, contentType: "application/problem+json", body: JSON.stringify(problem) }),
    );
    await page.getByRole("link", { name: "Webhooks" }).click();
    await page.getByRole("alert").getByText("The database is away").waitFor();
    await page.getByText("The server answers with errors").waitFor();
    await page.unroute("**/admin/realms/demo/webhooks?*");
    await tryAgain(page.getByRole("alert").getByRole("button", { name: "Try again" }));
    await page.getByText("hooks.example.com").waitFor();
    await page.getByText("The server answers with errors").waitFor({ state: "hidden" });

    // An area whose code could not be fetched comes when the network is back.
    await page.context().setOffline(true);
    await page.getByRole("link", { name: "Scopes" }).click();
    await page.getByRole("alert").getByText("This could not be loaded").waitFor();
    await page.context().setOffline(false);
    await page.getByRole("heading", { name: "Scopes", level: 1 }).waitFor();

    // After an upgrade the files of this page are gone: it is loaded anew, and is where the link leads.
    let isNew = false;
    page.on("load", () => {
      isNew = true;
    });
    await page.route(/\/assets\/keys-/, (route) => (isNew ? route.continue() : route.fulfill({ status: 404 })));
    await page.route(`${url}/console/`, (route) => route.fulfill({ contentType: "text/html", body: "The page of the next release" }));
    await page.getByRole("link", { name: "Signing keys" }).click();
    await page.getByRole("heading", { name: "Signing keys", level: 1 }).waitFor();
    await page.context().close();
  });

  test("does the work: many users at once, an application by its wizard, a preview of its tokens, a flow that is refused in place", async () => {
    const page = await administrator("users");
    await page.getByLabel("Select ada").check();
    await page.getByLabel("Select admin").check();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
    await page.getByText("2 done").waitFor();

    await moveTo(page, to("clients/new"));
    await page.getByRole("radio", { name: /Machine/ }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByLabel("Client ID").fill("robot");
    await page.getByRole("button", { name: "Create application" }).click();
    await page.getByText("grant_type=client_credentials").waitFor();
    await page.getByText("Client secret").waitFor();

    await moveTo(page, to(`clients/${ids.client}?tab=preview`));
    await page.getByRole("combobox", { name: "User" }).click();
    await page.getByRole("option", { name: /ada/ }).click();
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByLabel("Userinfo").getByText("ada@example.com").waitFor();
    await takePicture(page, "console-preview");

    await moveTo(page, to("clients/new"));
    await page.getByRole("radio", { name: /API or MCP server/ }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByLabel("Client ID").fill("tools");
    await page.getByLabel("Address of the API").fill("https://tools.example.com/mcp");
    await page.getByRole("combobox", { name: "Scopes" }).fill("tools");
    await page.keyboard.press("Enter");
    await page.getByLabel(/^Every application of the realm/).check();
    await page.getByRole("button", { name: "Create application" }).click();
    await page.getByText('const resource = "https://tools.example.com/mcp"').waitFor();
    const { body: made } = await admin.get("/admin/realms/demo/clients?search=tools");
    const asApi = { grantTypes: [], resourceIndicators: ["https://tools.example.com/mcp"], resourceScopes: ["tools"] };
    expect(made).toMatchObject([{ clientId: "tools", resourceAccess: "everyone", ...asApi }]);

    await moveTo(page, to("flows/browser"));
    const removals = page.getByRole("button", { name: /^Remove / });
    await removals.first().waitFor();
    // The first of a level takes all below it with it.
    while ((await removals.count()) > 0) await removals.first().click();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("alert").first().waitFor();
    await page.getByRole("button", { name: "Discard" }).click();
  });

  test("draws the brand as it is typed, for its maker alone, and says what is wrong with an image", async () => {
    const page = await administrator("branding", { width: 1400, height: 900 });
    const preview = page.frameLocator("iframe[title='Preview of the sign-in page']");
    const login = async (query = "") => (await fetch(`${url}/realms/demo/login${query}`)).text();
    await page.getByLabel("Display name").fill("Northwind");
    const primary = page.getByRole("textbox", { name: "Primary color", exact: true });
    await primary.fill("#b91c1c");
    await preview.locator("h1", { hasText: "Northwind" }).waitFor();
    const colour = () =>
      preview
        .locator(".gh-button--primary")
        .evaluate((button) => button.ownerDocument.defaultView!.getComputedStyle(button).backgroundColor);
    await expect.poll(colour).toBe("rgb(185, 28, 28)");
    await page.getByRole("radiogroup", { name: "Colours" }).getByText("Dark").click();
    await preview.locator("html[data-theme=dark]").waitFor();
    await primary.fill("#b9");
    await page.getByText(/Not shown yet: Primary color/).waitFor();
    await primary.fill("#b91c1c");
    expect(await login()).not.toContain("Northwind");

    const choose = (kind: string, name: string, mimeType: string, content: string) =>
      page
        .locator("div", { has: page.getByRole("button", { name: `Upload: ${kind}`, exact: true }) })
        .last()
        .locator("input[type=file]")
        .setInputFiles({ name, mimeType, buffer: Buffer.from(content) });
    const svg = (inside: string) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20">${inside}</svg>`;
    await choose("Logo", "photo.jpg", "image/jpeg", "x");
    await page.getByRole("alert").getByText("photo.jpg is neither a PNG nor an SVG.").waitFor();
    await choose("Logo", "logo.svg", "image/svg+xml", svg("<script>alert(1)</script>"));
    await page
      .getByRole("alert")
      .getByText(/script/)
      .waitFor();
    await choose("Logo", "logo.svg", "image/svg+xml", svg('<rect width="40" height="20" fill="#b91c1c"/>'));
    await preview.locator(".gh-logo").waitFor();
    await choose("Background", "wall.svg", "image/svg+xml", svg('<rect width="40" height="20" fill="#fee2e2"/>'));
    await page.getByRole("button", { name: "Remove: Background" }).waitFor();
    await expectAccessible(page, "console-branding-preview");
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect.poll(() => login()).toContain("Northwind");
    await page.getByRole("button", { name: "Save changes" }).waitFor({ state: "detached" });
    for (const kind of ["Logo", "Background"]) {
      await page.getByRole("button", { name: `Remove: ${kind}`, exact: true }).click();
      await page.getByRole("button", { name: `Remove: ${kind}`, exact: true }).waitFor({ state: "detached" });
    }

    await moveTo(page, to("texts?locale=nl"));
    await page.getByLabel("Search by words or name").fill("signIn");
    const own = page.getByLabel("Own words for signIn", { exact: true });
    await own.fill("Kom binnen");
    await page.getByLabel("Own words for signInTitle").fill("Dag {account}");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page
      .getByText(/its values are {name}/)
      .first()
      .waitFor();
    await page.getByLabel("Own words for signInTitle").fill("Dag bij {name}");
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect.poll(() => login("?lang=nl")).toMatch(/Dag bij.*Kom binnen/s);
    await page.getByRole("button", { name: "Save changes" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Reset signIn", exact: true }).click();
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect.poll(() => login("?lang=nl")).toContain("Inloggen");
    await page.getByRole("button", { name: "Save changes" }).waitFor({ state: "detached" });

    await moveTo(page, to("messages?tab=templates"));
    await page.getByRole("combobox", { name: "Language" }).fill("Arab");
    await page.getByRole("option", { name: "Arabic" }).click();
    await page.getByRole("button", { name: "new-device-email" }).click();
    await page.getByLabel("Subject").fill("دخول");
    await page.getByRole("dialog").getByRole("button", { name: "Preview" }).click();
    const mail = page.frameLocator("iframe[title='Preview of the mail']");
    await mail.locator("html[dir=rtl]").getByText("Firefox, Linux").waitFor();
    // The styles of the mail are shown, though the console's policy allows none in its page.
    const card = mail.locator(".card");
    expect(await card.evaluate((box) => box.ownerDocument.defaultView!.getComputedStyle(box).borderRadius)).toBe("12px");
    await expectAccessible(page, "console-mail-preview");
  });

  test("tries the sign-in in another window, with a client that is made on demand and never opens the admin API", async () => {
    const page = await administratorIn(await newContext(), "try-it");
    const [popup] = await Promise.all([page.context().waitForEvent("page"), page.getByRole("button", { name: "Sign in" }).click()]);
    await popup.locator("#username").waitFor();
    await signIn(popup, "ada", ADA_PASSWORD);
    await page.getByText("It works: these are the tokens").waitFor();
    await page.getByLabel("Userinfo").getByText("ada@example.com").waitFor();
    await expectAccessible(page, "console-try-it");
    const { body: made } = await admin.get("/admin/realms/demo/clients?search=gatehouse-try-it");
    expect(made).toMatchObject([{ clientId: "gatehouse-try-it", publicClient: true, grantTypes: ["authorization_code"] }]);
    const { body: allowed } = await admin.get(`/admin/realms/demo/clients/${made[0].id}/allowed-resources`);
    expect(allowed.allowedResources).toEqual([]);
    await page.context().close();
  });

  test("speaks Dutch, and follows the audit trail", async () => {
    const page = await administratorIn(await newContext(admin, { locale: "nl-NL" }), "events");
    await page.getByRole("heading", { name: "Auditlog" }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("nl");
    // It follows from its first answer on.
    await Promise.all([page.waitForResponse(/events\/tail/), page.getByRole("switch", { name: "Live" }).click()]);
    await page.getByText("0 nieuw sinds u begon te volgen").waitFor();
    await admin.request("POST", "/admin/realms/demo/roles", { body: { name: "seen-live" } });
    await page.getByText("1 nieuw sinds u begon te volgen").waitFor();
    await moveTo(page, to("passwords"));
    await page.getByLabel("Minste hoofdletters").waitFor();
    await page.getByText("Het minimale aantal hoofdletters.").waitFor();
    // A choice of numbers shows the one that is stored.
    expect(await page.getByRole("combobox", { name: "Cijfers" }).inputValue()).toBe("6");
    // So are refusals: of a form as a whole, and of a field under the field's name.
    await moveTo(page, to("users"));
    await page.getByRole("button", { name: "Gebruiker maken" }).click();
    const drawer = page.getByRole("dialog");
    await drawer.getByLabel("Gebruikersnaam").fill("ada");
    await drawer.getByRole("button", { name: "Maken" }).click();
    await drawer.getByRole("alert").getByText("Een andere gebruiker in deze realm meldt zich al aan met die naam").waitFor();
    await drawer.getByLabel("Gebruikersnaam").fill("");
    await drawer.getByRole("button", { name: "Maken" }).click();
    await drawer.getByText(/^Gebruikersnaam (is verplicht|mag niet leeg zijn)$/).waitFor();
    await page.context().close();
  });

  test.skipIf(!postgresUrl)(
    "lists 20,000 users and 300 realms, each by one short request, and keeps the list's state in the address",
    async () => {
      const { status } = await admin.post("/admin/realms", { realm: "acme" });
      expect(status).toBe(201);
      const client = new pg.Client({ connectionString: database.DATABASE_URL! });
      await client.connect();
      const silent = () => undefined;
      await fillRealms(client, { like: "acme", count: 300, progress: silent });
      await fillUsers(client, { realm: "acme", users: 20_000, events: 0, progress: silent });
      await client.query("analyze");
      await client.end();

      const page = await (await newContext()).newPage();
      const asked: URL[] = [];
      page.on("request", (request) => {
        const address = new URL(request.url());
        if (/^\/admin\/realms(\/acme\/users)?$/.test(address.pathname)) asked.push(address);
      });
      await page.goto(`${url}/console/realms/acme/users`);
      await page.locator("tbody tr").nth(24).waitFor();
      await page.getByText("20,001").waitFor();
      expect(asked.map((one) => one.searchParams.get("size"))).toEqual(["25"]);
      await page.getByRole("button", { name: "Next page" }).click();
      await page.waitForURL(/page=1/);
      await page.getByLabel("Search by name, username, email or ID").fill(usernameOf(17_711));
      await page.waitForURL(/search=person-/);
      await page.getByText(`${usernameOf(17_711)}@example.com`).waitFor();
      expect(await page.locator("tbody tr").count()).toBe(1);
      await page.getByRole("link", { name: usernameOf(17_711) }).click();
      await page.getByRole("heading", { name: usernameOf(17_711), level: 1 }).waitFor();
      await page.goBack();
      await page.getByText(`${usernameOf(17_711)}@example.com`).waitFor();
      expect(await page.getByLabel("Search by name, username, email or ID").inputValue()).toBe(usernameOf(17_711));

      await page.getByRole("button", { name: /Switch realm/ }).click();
      await page.getByLabel("Search realms").fill("bench-r299");
      await page.getByRole("option", { name: /bench-r299/ }).click();
      await page.waitForURL(/realms\/bench-r299\/overview/);
      const sizes = asked.map((one) => Number(one.searchParams.get("size")));
      expect(Math.max(...sizes)).toBeLessThanOrEqual(25);
      await page.context().close();
    },
  );
});
