// The forms of the admin console in a real browser: what they say of members, and what they send.
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { expectAccessible, moveTo, noBrowser, sharedBrowser, takeSession } from "./browser.ts";
import { PASSWORD, type ServerProcess, sharedServer } from "./process.ts";
import { must, type Visitor } from "./visitor.ts";

const REALM = "forms";
const API = `/admin/realms/${REALM}`;

describe.skipIf(noBrowser)("the forms of the admin console (need Chromium)", () => {
  let server: ServerProcess;
  let url: string;
  let admin: Visitor;
  /** The tab of the admin of master. */
  let tab: Page;

  beforeAll(async () => {
    server = await sharedServer();
    url = `http://localhost:${server.port}`;
    admin = await server.admin();
    must(await admin.post("/admin/realms", { realm: REALM }), 201);
    tab = await newTab(admin);
  });

  const to = (path: string) => `/console/realms/${REALM}/${path}`;

  const create = async (path: string, made: object) => must(await admin.post(API + path, made), 201);

  /** A browser in which this visitor is signed in. */
  async function newTab(visitor: Visitor): Promise<Page> {
    const context = await (await sharedBrowser()).newContext({
      baseURL: url,
      reducedMotion: "reduce",
      viewport: { width: 1280, height: 900 },
    });
    context.setDefaultTimeout(45_000);
    await takeSession(context, visitor, url);
    return context.newPage();
  }

  /** Opens the console for the admin of master, in the one tab: another one would compile everything once more. */
  async function administrator(path: string): Promise<Page> {
    await tab.goto(to(path));
    return tab;
  }

  /** Opens the console for an administrator of the realm. */
  async function administratorOfRealm(path: string, username: string): Promise<Page> {
    const visitor = server.visitor();
    await visitor.signIn(REALM, username, PASSWORD);
    const page = await newTab(visitor);
    await page.goto(to(path));
    return page;
  }

  test("promise to keep a secret only where one is stored", async () => {
    const keep = "Leave empty to keep the present one";
    const target = { name: "target", url: "https://hooks.example.com/", eventTypes: "LOGOUT", enabled: false };
    const { id } = await create("/webhooks", { ...target, secret: "the secret of the target" });
    const page = await administrator("users");
    await page.getByRole("button", { name: "Create user" }).first().click();
    await page.getByText("It must follow the realm's password policy").waitFor();
    expect(await page.getByPlaceholder(keep).count()).toBe(0);
    await moveTo(page, to(`webhooks/${id}`));
    await page.getByPlaceholder(keep).waitFor();
  });

  test("say who may use an application, and take roles of clients", async () => {
    const redirectUris = ["https://shop.example.com/callback"];
    const { id } = await create("/clients", { clientId: "shop", name: "Shop", publicClient: true, redirectUris });
    await create(`/clients/${id}/roles`, { name: "manager" });
    const { groupId } = await create("/groups", { name: "Sales" });
    const europe = await create("/groups", { name: "Europe", parentId: groupId });
    const page = await administrator(`clients/${id}`);
    await page.getByRole("heading", { name: "Who may use it" }).waitFor();
    await page.getByText("Only users with one of these roles").waitFor();
    await page.getByRole("combobox", { name: "Scopes", exact: true }).waitFor();
    await page.getByRole("combobox", { name: "Resource scopes" }).waitFor();
    await page.getByRole("combobox", { name: "Allowed roles" }).fill("shop/manager");
    await page.keyboard.press("Enter");
    // Its list may open over the next field, and closes when the field is left.
    await page.keyboard.press("Tab");
    await page.getByRole("combobox", { name: "Allowed groups" }).click();
    await page.getByRole("option", { name: "/Sales/Europe" }).click();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    const { body } = await admin.get(`${API}/clients/${id}`);
    expect(body).toMatchObject({ allowedRoles: ["shop/manager"], allowedGroups: ["/Sales/Europe"] });
    // Groups of one name are told apart by their paths. Beside the chosen one, the field offers the others.
    await moveTo(page, to(`groups/${europe.groupId}`));
    await expect.poll(() => page.getByRole("combobox", { name: "Parent group" }).inputValue()).toBe("/Sales");
    await page.getByRole("combobox", { name: "Parent group" }).click();
    await page.getByRole("option", { name: "/Sales/Europe" }).waitFor();
  });

  test("let administrators type what they may not list, and say so", async () => {
    const { roleId } = await create("/roles", { name: "applications" });
    const may = { body: { permissions: ["view-clients", "manage-clients"] } };
    expect((await admin.request("PUT", `${API}/admin-roles/${roleId}`, may)).status).toBe(200);
    await create("/users", { username: "carl", email: "carl@example.com", password: PASSWORD, roles: ["applications"] });
    await create("/clients", { clientId: "open", publicClient: true });
    await create("/clients", { clientId: "keeper", publicClient: false });
    const page = await administratorOfRealm("agents", "carl");
    await page.getByRole("button", { name: "Create agent" }).first().click();
    const drawer = page.getByRole("dialog");
    await drawer.getByText("You may not list these").first().waitFor();
    await drawer.getByRole("textbox", { name: "Owner" }).fill("an id");
    await drawer.getByRole("combobox", { name: "Acts as the application" }).click();
    await page.getByRole("option", { name: "keeper" }).waitFor();
    expect(await page.getByRole("option", { name: "open" }).count(), "a public client cannot act in its own name").toBe(0);
    await page.context().close();
  });

  test("show a help desk the attributes that the realm declares, and offer it only what it may do", async () => {
    const attributes = [
      { name: "shoeSize", displayName: { en: "Size of the shoes" }, type: "choice", options: [{ value: "41" }, { value: "42" }] },
    ];
    expect((await admin.patch(`${API}/settings`, { userProfile: { attributes } })).status).toBe(200);
    const { roleId } = await create("/roles", { name: "help-desk" });
    const may = { body: { permissions: ["view-users", "manage-users"] } };
    expect((await admin.request("PUT", `${API}/admin-roles/${roleId}`, may)).status).toBe(200);
    await create("/users", { username: "hilda", email: "hilda@example.com", password: PASSWORD, roles: ["help-desk"] });
    const { userId } = await create("/users", { username: "tall", attributes: { shoeSize: "41" } });
    const page = await administratorOfRealm(`users/${userId}`, "hilda");
    await page.getByRole("combobox", { name: "Size of the shoes" }).click();
    await page.getByRole("option", { name: "42" }).click();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    expect((await admin.get(`${API}/users/${userId}`)).body.attributes).toEqual({ shoeSize: "42" });
    const { body } = await admin.get(`${API}/users?search=hilda`);
    await moveTo(page, to(`users/${body[0].userId}?tab=sessions`));
    await page.getByText("pwd").first().waitFor();
    expect(await page.getByRole("button", { name: /End session/ }).count()).toBe(0);
    await page.context().close();
    expect((await admin.patch(`${API}/settings`, { userProfile: { attributes: [] } })).status).toBe(200);
  });

  test("offer a manager of the realm nothing that takes more permissions", async () => {
    const { roleId } = await create("/roles", { name: "caretaker" });
    const may = { body: { permissions: ["manage-realm"] } };
    expect((await admin.request("PUT", `${API}/admin-roles/${roleId}`, may)).status).toBe(200);
    await create("/users", { username: "carol", email: "carol@example.com", password: PASSWORD, roles: ["caretaker"] });
    const page = await administratorOfRealm("messages", "carol");
    await page.getByText("No provider yet").waitFor();
    expect(await page.getByRole("button", { name: "Add a provider" }).count()).toBe(0);
    await moveTo(page, to("scim-targets"));
    await page.getByText("Nothing here yet").waitFor();
    expect(await page.getByRole("button", { name: "Create SCIM target" }).count()).toBe(0);
    await moveTo(page, to("provisioning"));
    await page.getByText("No SCIM tokens").waitFor();
    await page.getByRole("button", { name: "Create initial access token" }).waitFor();
    expect(await page.getByRole("button", { name: "Create SCIM token" }).count()).toBe(0);
    await moveTo(page, to("overview"));
    await page.getByText("Your permissions in this realm: manage-realm").waitFor();
    await expectAccessible(page, "console-narrow-administrator");
    await page.locator("#main").getByRole("link", { name: "Branding" }).click();
    await page.getByRole("heading", { name: "Branding", level: 1 }).waitFor();
    await page.context().close();
  });

  test("say every mistake, and the one of a member without a field, too", async () => {
    const page = await administrator("user-profile");
    for (const name of ["first bad", "second bad"]) {
      await page.getByRole("textbox", { name: "New attribute" }).fill(name);
      await page.getByRole("button", { name: "Add", exact: true }).click();
    }
    await page.getByRole("button", { name: "Save changes" }).click();
    const alert = page.locator("#main [role=alert]").first();
    for (const place of [0, 1]) await alert.getByText(`userProfile.attributes.${place}.name`).waitFor();
  });

  test("change an item of a list in the version that was read, and lose nothing that somebody else wrote", async () => {
    const { id, clientId } = await create("/clients", { clientId: "stock", name: "Stock", grantTypes: ["client_credentials"] });
    await create(`/clients/${id}/roles`, { name: "view" });
    await create(`/clients/${id}/roles`, { name: "order", compositeClientRoles: [{ clientId, name: "view" }] });
    const at = `${API}/clients/${id}/roles`;
    const page = await administrator(`clients/${id}?tab=roles`);
    await page.getByRole("button", { name: "Edit: order" }).click();
    const drawer = page.getByRole("dialog");
    await drawer.getByText("stock/view").waitFor();
    await expectAccessible(page, "console-client-role", ["#root"]);
    const change = { body: { description: "Orders" }, headers: { "content-type": "application/merge-patch+json" } };
    expect((await admin.request("PATCH", `${at}/order`, change)).status).toBe(200);
    await drawer.getByLabel("Name").fill("order.all");
    await drawer.getByRole("button", { name: "Save" }).click();
    await drawer.getByRole("alert").getByText("The record has changed since you read it").waitFor();
    await drawer.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog", { name: "Discard this?" }).getByRole("button", { name: "Discard" }).click();
    await page.getByRole("button", { name: "Edit: order" }).click();
    await drawer.getByLabel("Name").fill("order.all");
    await drawer.getByRole("button", { name: "Remove: stock/view" }).click();
    await drawer.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Edit: order.all" }).waitFor();
    expect((await admin.get(`${at}/order.all`)).body).toMatchObject({ description: "Orders", compositeClientRoles: [] });
    // A policy of times takes the hour at which it ends, of which the API names the last one that counts.
    const authz = `${API}/clients/${id}/authz`;
    expect((await admin.request("PUT", `${authz}/settings`, { body: { enabled: true } })).status).toBe(200);
    await page.getByRole("tab", { name: "Authorization" }).click();
    await page.getByText("Policies", { exact: true }).click();
    await page.getByRole("button", { name: "Add policy" }).click();
    await drawer.getByLabel("Name").fill("Office hours");
    const choices = { Type: "Time", "From the hour": "08:00", "To the hour": "18:00", "From the month": "March" };
    for (const [field, option] of Object.entries(choices)) {
      await drawer.getByRole("combobox", { name: field }).click();
      await page.getByRole("option", { name: option, exact: true }).click();
    }
    await drawer.getByLabel("From", { exact: true }).fill("2026-01-01T09:30");
    await expectAccessible(page, "console-policy-of-times", ["#root"]);
    await drawer.getByRole("button", { name: "Save" }).click();
    await page.getByRole("cell", { name: "Office hours", exact: true }).waitFor();
    const policy = (await admin.get(`${authz}/policies/Office%20hours`)).body;
    expect(policy).toMatchObject({ hour: 8, hourEnd: 17, month: 3, notBefore: "2026-01-01 09:30:00" });
  });

  test("send once what is pressed twice", async () => {
    const { organizationId } = await create("/organizations", { name: "Twice" });
    const { userId } = await create("/users", { username: "twin", email: "twin@example.com" });
    const page = await administrator(`users/${userId}?tab=credentials`);
    const sent: string[] = [];
    await page.route(/\/(password|invitations)$/, async (route) => {
      if (route.request().method() !== "GET") {
        sent.push(new URL(route.request().url()).pathname.split("/").at(-1)!);
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
      await route.continue();
    });
    await page.getByLabel("New password").fill(PASSWORD);
    for (let times = 0; times < 2; times++) await page.keyboard.press("Enter");
    await page.getByText("The password is set").waitFor();
    await moveTo(page, to(`organizations/${organizationId}?tab=invitations`));
    await page.getByRole("button", { name: "Invite" }).click();
    await page.getByLabel("Email").fill("guest@example.com");
    for (let times = 0; times < 2; times++) await page.keyboard.press("Enter");
    await page.getByRole("row", { name: /guest@example.com/ }).waitFor();
    await page.unroute(/\/(password|invitations)$/);
    expect(sent).toEqual(["password", "invitations"]);
  });

  test("return the focus to where it was when a question is cancelled", async () => {
    const { userId } = await create("/users", { username: "kept" });
    const page = await administrator(`users/${userId}`);
    const focused = () => page.evaluate<string | null>("document.activeElement.textContent || document.activeElement.tagName");
    await page.getByRole("button", { name: "Actions", exact: true }).focus();
    for (const key of ["Enter", "ArrowUp", "Enter"]) {
      await page.keyboard.press(key);
      await page.waitForTimeout(200);
    }
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(focused).toBe("Actions");
    await page.getByRole("link", { name: "Users", exact: true }).first().click();
    await page.getByRole("button", { name: "Create user" }).first().click();
    const username = page.getByRole("dialog").getByLabel("Username");
    await username.fill("not saved");
    await page.goBack();
    await page.getByRole("dialog", { name: "Leave without saving?" }).getByRole("button", { name: "Cancel" }).click();
    expect(await username.inputValue()).toBe("not saved");
    await username.focus();
    await page.keyboard.press("Escape");
    await page.getByText("What you typed here is not saved.").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.evaluate<boolean>("document.activeElement.tagName === 'INPUT'")).toBe(true);
  });

  test("take the focus along to a record, and through the steps of a wizard", async () => {
    const page = await administrator("roles");
    const focused = () => page.evaluate<string>("document.activeElement.labels?.[0]?.textContent ?? document.activeElement.id");
    await page.getByRole("link", { name: "auditor" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "auditor", level: 1 }).waitFor();
    await expect.poll(focused).toBe("main");
    await moveTo(page, to("clients/new"));
    await page.getByRole("radio", { name: /Single-page/ }).click();
    await page.getByRole("button", { name: "Continue" }).press("Enter");
    await expect.poll(focused).toContain("Client ID");
    await page.keyboard.type("without an address");
    await page.keyboard.press("Enter");
    // At its field, a mistake is told by the field's label.
    await page.getByText(/^Client ID: a client id is made of/).waitFor();
    await page.getByRole("link", { name: "Users", exact: true }).click();
    await page.getByRole("dialog", { name: "Leave without saving?" }).getByRole("button", { name: "Cancel" }).click();
    await page.getByLabel("Client ID").fill("no-address");
    await page.keyboard.press("Enter");
    await page.getByText("Nobody can sign in yet").waitFor();
    await expectAccessible(page, "console-new-client");
  });

  test("make a flow from another, a webhook by names of events, and a claim by the values of its source", async () => {
    const page = await administrator("flows");
    const drawer = page.getByRole("dialog");
    const begin = (name: string) => page.getByRole("button", { name }).first().click();
    const finish = () => drawer.getByRole("button", { name: "Create", exact: true }).click();
    const choose = async (field: string, option: string) => {
      await drawer.getByRole("combobox", { name: field }).click();
      await page.getByRole("option", { name: option, exact: true }).click();
    };
    await begin("Create flow");
    await drawer.getByLabel("Alias").fill("careful");
    await finish();
    await page.getByRole("heading", { name: "careful", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Require a second factor" }).click();
    await drawer.getByRole("button", { name: "Add the steps" }).click();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    expect((await admin.get(`${API}/flows/careful`)).text).toContain('"alias":"required-second-factor"');
    await moveTo(page, to("webhooks"));
    await begin("Create webhook");
    await drawer.getByLabel("Name").fill("watch");
    await drawer.getByLabel("URL").fill("https://hooks.example.com/watch");
    await choose("Event types", "Everything");
    await page.getByRole("option", { name: "LOGIN_FAILURE", exact: true }).click();
    await page.getByRole("option", { name: "Everything about credentials and access (SECURITY)" }).click();
    await page.keyboard.press("Escape");
    await finish();
    await page.getByRole("heading", { name: "watch", level: 1 }).waitFor();
    expect((await admin.get(`${API}/webhooks?search=watch`)).body).toMatchObject([{ eventTypes: "LOGIN_FAILURE,SECURITY" }]);
    await moveTo(page, to("claims"));
    await begin("Create claim mapper");
    await drawer.getByLabel("Name").fill("teams");
    await drawer.getByRole("textbox", { name: "Claim", exact: true }).fill("teams");
    await choose("Source", "Groups");
    await drawer.getByRole("combobox", { name: "Groups" }).click();
    await page.getByRole("option", { name: "name", exact: true }).click();
    await finish();
    await page.getByRole("heading", { name: "teams", level: 1 }).waitFor();
    expect((await admin.get(`${API}/claims?search=teams`)).body).toMatchObject([{ source: "groups", value: "name" }]);
  });

  test("give a client's role to a user, and take one from a service account", async () => {
    const { id } = await create("/clients", { clientId: "robot", publicClient: false, grantTypes: ["client_credentials"] });
    await create(`/clients/${id}/roles`, { name: "runner" });
    const given = await admin.post(`${API}/clients/${id}/service-account/roles`, { name: "runner", clientId: "robot" });
    expect(given.status, given.text).toBe(200);
    const { userId } = await create("/users", { username: "runner" });
    const page = await administrator(`users/${userId}?tab=roles`);
    await page.getByRole("combobox", { name: "Application, for one of its own roles" }).click();
    await page.getByRole("option", { name: "robot" }).click();
    await page.getByRole("combobox", { name: "Role", exact: true }).click();
    await page.getByRole("option", { name: "runner" }).click();
    await page.getByRole("button", { name: "Assign" }).click();
    await page.getByRole("row", { name: "runner robot direct" }).waitFor();
    await moveTo(page, to(`clients/${id}?tab=service-account`));
    await page.getByRole("heading", { name: "robot", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Remove: runner" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("The service account has no roles").waitFor();
  });

  test("make and change a provider of messages by the fields of its driver, and keep its secret", async () => {
    const page = await administrator("messages");
    await page.getByRole("button", { name: "Add a provider" }).click();
    const drawer = page.getByRole("dialog");
    await drawer.getByRole("button", { name: "Save" }).click();
    await drawer.locator("[aria-invalid=true]").first().waitFor();
    expect(await drawer.getByLabel("Host").getAttribute("aria-invalid"), "nothing is made up, and the field says what it lacks").toBe(
      "true",
    );
    await drawer.getByLabel("Host").fill("smtp.acme.test");
    await drawer.getByLabel("Username").fill("acme");
    await drawer.getByRole("textbox", { name: "Password" }).fill("the secret of acme");
    await drawer.getByLabel("From address").fill("no-reply@acme.test");
    await drawer.getByRole("combobox", { name: "Security" }).click();
    await page.getByRole("option", { name: "TLS from the start" }).click();
    await drawer.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Actions: Email · SMTP server" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await drawer.getByPlaceholder("Leave empty to keep the present one").waitFor();
    expect(await drawer.getByLabel("Host").inputValue()).toBe("smtp.acme.test");
    await expectAccessible(page, "console-message-provider");
    await drawer.getByLabel("From name").fill("Acme");
    await drawer.getByRole("button", { name: "Save" }).click();
    await drawer.waitFor({ state: "hidden" });
    const { body } = await admin.get(`${API}/messaging/providers/EMAIL/smtp`);
    const config = { host: "smtp.acme.test", username: "acme", security: "tls" };
    expect(body).toMatchObject({ fromName: "Acme", config, secretSet: true });
    // Each channel has drivers of its own, and each driver its fields.
    await page.getByRole("button", { name: "Add a provider" }).click();
    await drawer.getByRole("combobox", { name: "Channel" }).click();
    await page.getByRole("option", { name: "SMS" }).click();
    await drawer.getByLabel("Account SID").waitFor();
  });

  test("say what to register at an identity provider, offer its choices by name, and name a wrong member at its field", async () => {
    const page = await administrator("identity-providers");
    await page.getByRole("button", { name: "Create identity provider" }).first().click();
    const drawer = page.getByRole("dialog");
    await drawer.getByLabel("Alias").fill("corp");
    await drawer.getByLabel("Issuer").fill("no address");
    await drawer.getByRole("button", { name: "Create", exact: true }).click();
    await drawer.locator("[aria-invalid=true]").nth(1).waitFor();
    for (const name of ["Issuer", "Client ID"]) expect(await drawer.getByLabel(name).getAttribute("aria-invalid"), name).toBe("true");
    await drawer.getByLabel("Issuer").fill("https://login.example.com");
    await drawer.getByLabel("Client ID").fill("gatehouse");
    await drawer.getByRole("textbox", { name: "Client secret" }).fill("the secret of the realm");
    await drawer.getByRole("combobox", { name: "Provisioning" }).click();
    await page.getByRole("option", { name: "Only link accounts that users prove to be theirs" }).click();
    await drawer.getByRole("button", { name: "Create", exact: true }).click();
    const addresses = ["/endpoint", "/endpoint/logout_response", "/backchannel-logout"];
    const shown = async (at: Locator) => {
      await at.getByText("Register this at the provider").waitFor();
      return at.locator("td code").allTextContents();
    };
    const base = `${url}/realms/${REALM}/broker/corp`;
    expect(await shown(drawer)).toEqual(addresses.map((path) => base + path));
    await drawer.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "corp", level: 1 }).waitFor();
    expect(await shown(page.locator("#main"))).toEqual(addresses.map((path) => base + path));
    const { body } = await admin.get(`${API}/identity-providers/corp`);
    expect(body.config).toMatchObject({ provisioning: "link-only", clientSecretSet: true });
    await page.getByRole("button", { name: "More about the connection" }).click();
    await page.getByRole("combobox", { name: "Signed response algorithm" }).click();
    await page.getByRole("option", { name: "ES256" }).click();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    expect((await admin.get(`${API}/identity-providers/corp`)).body.config.signedResponseAlg).toBe("ES256");
    await expectAccessible(page, "console-identity-provider");

    const metadata = { ssoUrl: "https://idp.example.com/sso", idpEntityId: "urn:idp", metadataUrl: "https://idp.example.com/metadata" };
    await create("/identity-providers", { protocol: "saml", alias: "partner", enabled: false, config: metadata });
    await moveTo(page, to("identity-providers/partner"));
    await page.getByRole("heading", { name: "partner", level: 1 }).waitFor();
    const partner = `${url}/realms/${REALM}/broker/partner`;
    expect(await shown(page.locator("#main"))).toEqual([`${partner}/metadata`, partner, `${partner}/endpoint`, `${partner}/slo`]);
    // The national schemes publish metadata, too, and what they lack is told in words that are on the screen.
    await moveTo(page, to("identity-providers"));
    await page.getByRole("button", { name: "Create identity provider" }).first().click();
    await drawer.getByRole("combobox", { name: "Protocol" }).click();
    await page.getByRole("option", { name: "eHerkenning" }).click();
    await drawer.getByLabel("Metadata URL").waitFor();
    await drawer.getByLabel("Alias").fill("eh");
    await drawer.getByRole("button", { name: "Create", exact: true }).click();
    await drawer.getByText(/^SP signing private key is required/).waitFor();
  });
});
