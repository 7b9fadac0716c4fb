import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, HOUR, SECOND } from "../../kernel/clock.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { type Mailing, mailing } from "../../testing/mailing.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { CALLBACK, submit, walk } from "../../testing/relying-party.ts";
import { giveTotp } from "../../testing/totp.ts";

let iam: SharedHarness;
let mail: Mailing;
let base: string;
beforeAll(async () => {
  [iam, mail] = await Promise.all([sharedHarness({ GATEHOUSE_ALLOWED_HOSTS: "127.0.0.1" }), mailing()]);
  base = iam.config.baseUrl;
});
afterEach(() => clock.reset());
afterAll(async () => {
  await iam?.close();
  await mail?.peer.close();
});

const NEW = "a brand new sentence of words";
const fresh = { newPassword: NEW, newPasswordAgain: NEW };
let people = 0;
const heading = (page: Answer) => /<h1[^>]*>(?:<[^>]+>)*([^<]*)/.exec(page.text)?.[1];
const pathOf = (link: string) => new URL(link).pathname;
const isAlive = async (realm: RealmUnderTest, browser: Browser) =>
  (await browser.get(`/realms/${realm.name}/account/profile`)).status === 200;
const refusal = ({ status, body }: Answer) => [status, body?.code];

async function situation() {
  const realm = await iam.realm();
  await mail.enable(realm);
  const user = await realm.user(`bea${people}`);
  const email = `bea.actions${people++}@example.com`;
  expect((await realm.asMaster().patch(`/users/${user.userId}`, { email, emailVerified: true })).status).toBe(200);
  const send = (body: object, by = realm.asMaster()) => by.post(`/users/${user.userId}/send-actions-email`, body);
  /** Sends the mail and returns the path of the latest link. */
  const sent = async (body: object, count = 1) => {
    const answer = await send(body);
    expect([answer.status, answer.text]).toEqual([204, ""]);
    return pathOf((await mail.linksTo(email, count)).at(-1)!);
  };
  return { realm, bea: { ...user, email }, send, sent };
}

/** Opens the link and presses its button. */
async function follow(path: string, browser: Browser = iam.browser()) {
  const { page } = await walk(browser, base, path);
  expect(heading(page)).toBe("Update your account");
  return { browser, ...(await submit(browser, base, page, {})) };
}

describe("the link of the mail", () => {
  test("leads through the actions, signs in, and says that it is done; it works once", async () => {
    const { realm, bea, sent } = await situation();
    const path = await sent({ actions: ["UPDATE_PROFILE", "UPDATE_PASSWORD"] });
    expect(mail.subjectsTo(bea.email)).toEqual([expect.stringMatching(/^Update your account at /)]);
    const opened = await iam.browser().get(path);
    expect([opened.status, opened.text.includes(bea.username)]).toEqual([200, true]);

    const { browser, page } = await follow(path);
    expect(heading(page)).toBe("Choose a new password");
    expect(await isAlive(realm, browser)).toBe(false);
    const profile = await submit(browser, base, page, fresh);
    const done = await submit(browser, base, profile.page, { firstName: "Bea", lastName: "Arthur" });
    expect([done.page.status, heading(done.page)]).toEqual([200, "Your account is up to date"]);
    expect(await isAlive(realm, browser)).toBe(true);
    expect((await realm.asMaster().get(`/users/${bea.userId}`)).body.attributes).toMatchObject({ firstName: "Bea" });
    await iam.browser().signIn(realm.name, bea.username, NEW);

    const again = iam.browser();
    expect((await again.get(path)).status).toBe(410);
    expect((await again.request("POST", path, { form: { _csrf: again.cookies.get("XSRF-TOKEN")! }, csrf: false })).status).toBe(410);
    expect(await realm.events(`type=ADMIN_ACTION&resourceId=${bea.userId}`)).toMatchObject([
      { resourceType: "users", detail: "actions email: UPDATE_PROFILE, UPDATE_PASSWORD" },
    ]);
  });

  test("is followed once, also by two concurrent requests, and only by its button", async () => {
    const { sent } = await situation();
    const path = await sent({ actions: ["UPDATE_PASSWORD"] });
    const browsers = [iam.browser(), iam.browser(), iam.browser()];
    for (const browser of browsers) await browser.get(path);
    const bare = await iam.browser().request("POST", path, { form: {}, csrf: false });
    expect(bare.status).toBe(403);
    const press = (browser: Browser) => browser.request("POST", path, { form: { _csrf: browser.cookies.get("XSRF-TOKEN")! }, csrf: false });
    const answers = await Promise.all(browsers.map(press));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 410, 410]);
  });

  test("asks for the second factor that the user has before anything else", async () => {
    const { realm, bea, sent } = await situation();
    const code = await giveTotp(iam, realm.name, bea.userId);
    const { browser, page } = await follow(await sent({ actions: ["UPDATE_PASSWORD"] }));
    expect(page.text).not.toContain('name="newPassword"');
    const requested = await submit(browser, base, page, { code: code() });
    expect(heading(requested.page)).toBe("Choose a new password");
  });

  test("ends at the client's address, as long as it is the client's", async () => {
    const { realm, sent } = await situation();
    const web = { clientId: "shop", publicClient: true, grantTypes: ["authorization_code"], redirectUris: [CALLBACK] };
    const { body: client } = await realm.asMaster().post("/clients", web);
    const to = { actions: ["UPDATE_PASSWORD"], clientId: "shop", redirectUri: CALLBACK };
    const first = await follow(await sent(to));
    expect(String((await submit(first.browser, base, first.page, fresh)).left)).toBe(CALLBACK);

    const path = await sent(to, 2);
    expect((await realm.asMaster().patch(`/clients/${client.id}`, { redirectUris: ["https://elsewhere.example/cb"] })).status).toBe(200);
    const second = await follow(path);
    const another = `${NEW}, and another`;
    const done = await submit(second.browser, base, second.page, { newPassword: another, newPasswordAgain: another });
    expect(heading(done.page)).toBe("Your account is up to date");
  });

  test("confirms an unconfirmed address, if that is requested", async () => {
    const { realm, bea, send, sent } = await situation();
    expect((await realm.asMaster().patch(`/users/${bea.userId}`, { emailVerified: false })).status).toBe(200);
    expect(refusal(await send({ actions: ["UPDATE_PASSWORD"] }))).toEqual([409, "actions_email.unconfirmed_address"]);
    const { page } = await follow(await sent({ actions: ["VERIFY_EMAIL"] }));
    expect(heading(page)).toBe("Your account is up to date");
    expect((await realm.asMaster().get(`/users/${bea.userId}`)).body.emailVerified).toBe(true);
  });
});

describe("the link ends", () => {
  const isGone = async (path: string) => {
    const browser = iam.browser();
    const opened = await browser.get(path);
    const pressed = await browser.request("POST", path, { form: { _csrf: browser.cookies.get("XSRF-TOKEN")! }, csrf: false });
    return [opened.status, pressed.status];
  };

  test("with the next mail, and with another password", async () => {
    const { realm, bea, sent } = await situation();
    const first = await sent({ actions: ["UPDATE_PASSWORD"] });
    const second = await sent({ actions: ["UPDATE_PROFILE"] }, 2);
    expect(await isGone(first)).toEqual([410, 410]);
    expect((await realm.asMaster().put(`/users/${bea.userId}/password`, { newPassword: NEW })).status).toBe(204);
    expect(await isGone(second)).toEqual([410, 410]);
  });

  test("with another address, and while the account is disabled or locked", async () => {
    const { realm, bea, sent } = await situation();
    const first = await sent({ actions: ["UPDATE_PASSWORD"] });
    expect((await realm.asMaster().patch(`/users/${bea.userId}`, { email: `other.${bea.email}` })).status).toBe(200);
    expect((await isGone(first))[1]).toBe(410);
    expect((await realm.asMaster().patch(`/users/${bea.userId}`, { email: bea.email, emailVerified: true })).status).toBe(200);
    const second = await sent({ actions: ["UPDATE_PASSWORD"] }, 2);
    expect((await realm.asMaster().patch(`/users/${bea.userId}`, { enabled: false })).status).toBe(200);
    expect((await isGone(second))[1]).toBe(410);
  });

  test("after its lifespan; and it works neither in another realm nor as a link of another kind", async () => {
    const { realm, sent } = await situation();
    const other = await iam.realm();
    const path = await sent({ actions: ["UPDATE_PASSWORD"], lifespanSeconds: 600 });
    const token = path.split("/").at(-1);
    for (const foreign of [`/realms/${other.name}/account-actions/${token}`, `/realms/${realm.name}/reset-password/${token}`])
      expect((await iam.browser().get(foreign)).status, foreign).toBe(410);
    clock.advance(600 * SECOND);
    expect(await isGone(path)).toEqual([410, 410]);
  });

  test("after twelve hours by default", async () => {
    const { sent } = await situation();
    const lasting = await sent({ actions: ["UPDATE_PASSWORD"] });
    // The clean-up would end the administrator's session, which the tests after this one use.
    await iam.server.jobs.stop();
    clock.advance(11 * HOUR);
    expect((await iam.browser().get(lasting)).status).toBe(200);
    clock.advance(HOUR);
    expect((await iam.browser().get(lasting)).status).toBe(410);
    clock.reset();
    await iam.server.jobs.start();
  });
});

describe("the mail is refused", () => {
  test("to a caller who may not control the user, and for a user of another realm", async () => {
    const { realm, bea, send } = await situation();
    const other = await iam.realm();
    const lesser = await realm.as("manage-users");
    expect((await realm.asMaster().post(`/users/${bea.userId}/roles`, { name: "admin" })).status).toBe(200);
    expect(refusal(await send({ actions: ["UPDATE_PASSWORD"] }, lesser))).toEqual([403, "permissions.escalation"]);
    expect(refusal(await send({ actions: ["UPDATE_PASSWORD"] }, await realm.as("view-users")))).toEqual([403, "auth.forbidden"]);
    const elsewhere = await other.asMaster().post(`/users/${bea.userId}/send-actions-email`, { actions: ["UPDATE_PASSWORD"] });
    expect(refusal(elsewhere)).toEqual([404, "users.not_found"]);
    expect(mail.subjectsTo(bea.email)).toEqual([]);
  });

  test("for a user who cannot follow it, and in a realm that sends no mail; nothing is stored then", async () => {
    const { realm, bea, send, sent } = await situation();
    const first = await sent({ actions: ["UPDATE_PASSWORD"] });
    const patch = (body: object) => realm.asMaster().patch(`/users/${bea.userId}`, body);
    await patch({ enabled: false });
    expect(refusal(await send({ actions: ["UPDATE_PASSWORD"] }))).toEqual([409, "actions_email.shut_out"]);
    await patch({ enabled: true, email: null });
    expect(refusal(await send({ actions: ["UPDATE_PASSWORD"] }))).toEqual([409, "actions_email.no_address"]);
    await patch({ email: bea.email, emailVerified: true });
    await realm.asMaster().delete("/messaging/providers/EMAIL/smtp");
    expect(refusal(await send({ actions: ["UPDATE_PASSWORD"] }))).toEqual([409, "messaging.no_provider"]);
    expect((await iam.browser().get(first)).status, "the link of before").toBe(200);
    expect(await realm.events(`type=ADMIN_ACTION&resourceId=${bea.userId}`)).toHaveLength(1);
  });

  test("for actions and addresses that the realm does not have, by the name of the field", async () => {
    const { realm, send } = await situation();
    const app = {
      clientId: "shop",
      applicationType: "native",
      publicClient: true,
      grantTypes: ["authorization_code"],
      redirectUris: [CALLBACK, "com.example.app:/cb"],
    };
    const created = await realm.asMaster().post("/clients", app);
    expect(created.status, created.text).toBe(201);
    const actions = ["UPDATE_PASSWORD"];
    for (const [body, field] of [
      [{ actions: [] }, "actions"],
      [{ actions: ["UPDATE_PASSWORD", "FLY"] }, "actions.1"],
      [{ actions: ["UPDATE_PASSWORD", "ACCEPT_TERMS"] }, "actions.1"],
      [{ actions, redirectUri: CALLBACK }, "clientId"],
      [{ actions, clientId: "nobody", redirectUri: CALLBACK }, "clientId"],
      [{ actions, clientId: "shop", redirectUri: `${CALLBACK}/other` }, "redirectUri"],
      [{ actions, clientId: "shop", redirectUri: "com.example.app:/cb" }, "redirectUri"],
      [{ actions, lifespanSeconds: 5 }, "lifespanSeconds"],
      [{ actions, lifespan: 600 }, "lifespan"],
    ] as const)
      expect(await send(body), JSON.stringify(body)).toMatchObject({ status: 400, body: { errors: [{ field }] } });
    await realm.asMaster().patch("/settings", { terms: { text: "Be kind." } });
    expect((await send({ actions: ["ACCEPT_TERMS"] })).status).toBe(204);
  });
});
