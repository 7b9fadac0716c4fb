import { expect } from "vitest";
import type { Step } from "../signin/flows/index.ts";
import type { Answer, Browser } from "./browser.ts";
import { enrolledApp } from "./device.ts";
import type { SharedHarness } from "./harness.ts";
import { allowMessages, outbox } from "./outbox.ts";
import { passkeyForm } from "./passkey.ts";
import { userWithPasskey } from "./passkeys.ts";
import type { RealmUnderTest } from "./realm.ts";
import { relyingParty, walk } from "./relying-party.ts";
import { answerPage, followed, setBrowserFlow } from "./step-pages.ts";
import { giveTotp } from "./totp.ts";

type Fields = Record<string, string>;
type User = Awaited<ReturnType<RealmUnderTest["user"]>> & { readonly email: string };

interface Scene {
  readonly iam: SharedHarness;
  readonly realm: RealmUnderTest;
  readonly user: User;
}
interface Screen {
  readonly browser: Browser;
  readonly page: Answer;
}

/** The access of the suite to an authenticator. */
export interface Stage {
  /** The steps before the authenticator's. */
  readonly after: "nothing" | "username" | "username-password";
  /** Gives the user the credential. The result returns the right answer to the page or, if the answer is given elsewhere, gives it there. */
  equip(scene: Scene): Promise<(screen: Screen) => Fields | Promise<Fields>>;
  /** Returns a wrong answer. Null if no answer is wrong. */
  wrong: ((username: string) => Fields) | null;
}

const PHONE = "+31612345678";
const html = { headers: { accept: "text/html" } };

async function reachable({ realm, user }: Scene): Promise<void> {
  await allowMessages(realm);
  const { body } = await realm.asMaster().get(`/users/${user.userId}`);
  const saved = await realm
    .asMaster()
    .put(`/users/${user.userId}`, { ...body, email: user.email, attributes: { ...body.attributes, phoneNumber: PHONE } });
  expect(saved.status, saved.text).toBe(200);
}
const latest = async ({ iam, realm }: Scene, to: string) => (await outbox(iam, realm)).filter((message) => message.to === to).at(-1)!.text;

const sentCode = (after: Stage["after"], to: (user: User) => string): Stage => ({
  after,
  async equip(scene) {
    await reachable(scene);
    return async () => ({ code: /\b\d{6}\b/.exec(await latest(scene, to(scene.user)))![0] });
  },
  wrong: () => ({ code: "none" }),
});

/** The stage of every question. `cookie` and the conditions ask nothing, so they have no page to answer. */
export const stages: Readonly<Record<string, Stage>> = {
  "username-password": {
    after: "nothing",
    equip:
      async ({ user: { username, password } }) =>
      () => ({ username, password }),
    wrong: (username) => ({ username, password: "not the password" }),
  },
  username: {
    after: "nothing",
    equip:
      async ({ user: { username } }) =>
      () => ({ username }),
    wrong: null,
  },
  password: {
    after: "username",
    equip:
      async ({ user: { password } }) =>
      () => ({ password }),
    wrong: () => ({ password: "not the password" }),
  },
  passkey: {
    after: "nothing",
    async equip({ iam, realm, user }) {
      const { passkey } = await userWithPasskey(iam, realm, { user });
      return ({ page }) => ({ credential: JSON.stringify(passkey.get(passkeyForm(page.text).options)) });
    },
    wrong: () => ({ credential: "{}" }),
  },
  totp: {
    after: "username-password",
    async equip({ iam, realm, user }) {
      const code = await giveTotp(iam, realm.name, user.userId);
      return () => ({ code: code() });
    },
    wrong: () => ({ code: "none" }),
  },
  "recovery-code": {
    after: "username-password",
    async equip({ iam, realm, user }) {
      const browser = iam.browser();
      await browser.signIn(realm.name, user.username, user.password);
      const made = await browser.post(`/realms/${realm.name}/account/credentials`, { type: "recovery-code" });
      return () => ({ code: made.body.codes[0] });
    },
    wrong: () => ({ code: "none" }),
  },
  "email-otp": sentCode("username", ({ email }) => email),
  "sms-otp": sentCode("username-password", () => PHONE),
  "reset-email": sentCode("username", ({ email }) => email),
  "magic-link": {
    after: "username",
    async equip(scene) {
      await reachable(scene);
      return async ({ browser }) => {
        const { pathname, searchParams } = new URL(/https?:\/\/\S+/.exec(await latest(scene, scene.user.email))![0]);
        const form = { ...Object.fromEntries(searchParams), _csrf: browser.cookies.get("XSRF-TOKEN") ?? "" };
        expect((await browser.request("POST", pathname, { form, csrf: false })).status).toBe(200);
        return {};
      };
    },
    wrong: () => ({}),
  },
  push: {
    after: "username-password",
    async equip({ iam, realm, user }) {
      const app = await enrolledApp(iam, realm, user.userId);
      return async ({ page }) => {
        const [asked] = (await app.call("GET", "/push")).body;
        const number = /gh-number">(\d{2})</.exec(page.text)?.[1];
        expect((await app.call("POST", `/push/${asked.id}/approve`, { number })).status).toBe(200);
        return {};
      };
    },
    wrong: () => ({}),
  },
  qr: {
    after: "nothing",
    async equip({ iam, realm, user }) {
      const phone = iam.browser();
      await phone.signIn(realm.name, user.username, user.password);
      return async () => {
        const challenges = iam.core.db.selectFrom("device_challenges").select("challenge_id").where("realm_id", "=", realm.name);
        const { challenge_id: id } = await challenges.where("kind", "=", "qr").executeTakeFirstOrThrow();
        const at = `/realms/${realm.name}/qr/${id}`;
        const form = { _csrf: /name="_csrf" value="([^"]+)"/.exec((await phone.get(at, html)).text)![1]! };
        expect((await phone.request("POST", `${at}/confirm`, { ...html, form, csrf: false })).status).toBe(200);
        return {};
      };
    },
    wrong: () => ({}),
  },
  terms: {
    after: "username-password",
    async equip({ realm }) {
      const { body } = await realm.asMaster().get("/settings");
      const saved = await realm.asMaster().put("/settings", { ...body, terms: { ...body.terms, text: "Be kind.", version: "1" } });
      expect(saved.status, saved.text).toBe(200);
      return () => ({});
    },
    wrong: null,
  },
};

/** A sign-in of an application that has reached the authenticator's page. */
export interface AtStep extends Screen {
  readonly realm: RealmUnderTest;
  readonly username: string;
  right(): Promise<Fields>;
}

const required = (authenticator: string): Step => ({ authenticator, requirement: "REQUIRED", config: {} });
let people = 0;

/** The kinds of users who sign in: one with the credential, one with only a password, or an unknown name. */
export type Who = "equipped" | "bare" | "nobody";

/** Sets the realm's own flow. For `qr` it sets a flow of the application, because the phone that approves has signed in by the realm's (decision 37). */
async function chosenFlow(
  iam: SharedHarness,
  realm: RealmUnderTest,
  name: string,
  steps: readonly Step[],
): Promise<{ browserFlow?: string }> {
  if (name !== "qr") {
    await setBrowserFlow(iam, realm, steps);
    return {};
  }
  const made = await realm.asMaster().post("/flows", { alias: "staged", displayName: "Staged", steps });
  expect(made.status, made.text).toBe(201);
  return { browserFlow: "staged" };
}

/** Makes a realm whose applications require the authenticator, after the steps before it. */
export async function staged(
  iam: SharedHarness,
  name: string,
  { after = stages[name]!.after } = {},
): Promise<(who?: Who) => Promise<AtStep>> {
  const realm = await iam.realm();
  const user = { ...(await realm.user()), email: `conforming${people++}@example.com` };
  const answers = await stages[name]!.equip({ iam, realm, user });
  const own = name === "username" ? [required(name), required("password")] : [required(name)];
  const steps = after === "nothing" ? own : [required(after), ...own];
  const party = await relyingParty(iam, realm, await chosenFlow(iam, realm, name, steps));
  const acting = { equipped: async () => user, bare: () => realm.user(), nobody: async () => ({ ...user, username: "nobody-at-all" }) };
  return async (who = "equipped") => {
    const { username, password } = await acting[who]();
    const browser = iam.browser();
    const first = await walk(browser, iam.config.baseUrl, party.url());
    const credentials: Fields = { username, ...(after === "username-password" && { password }) };
    const page = after === "nothing" ? first.page : await followed(browser, await answerPage(browser, realm.name, first.page, credentials));
    expect(page.status, page.text).toBe(200);
    return { realm, browser, page, username, right: async () => answers({ browser, page }) };
  };
}
