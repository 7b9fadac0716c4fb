import { expect, test } from "vitest";
import type { Answer, Browser } from "./browser.ts";
import type { SharedHarness } from "./harness.ts";
import type { RealmUnderTest } from "./realm.ts";
import { answerPage, followed, isSignedIn } from "./step-pages.ts";

/** An account at the provider. */
export interface TheirAccount {
  /** The subject. It has only digits, because some providers number their users. */
  readonly subject: string;
  readonly email: string;
  readonly username: string;
}

/** The part of the provider of one protocol, which the suite plays through this. */
export interface BrokerStage {
  /** Returns the `config` of a provider for which the stage answers. */
  config(): Record<string, unknown>;
  /** Returns the response to the request: by a query, or by a form that another site posts. */
  answer(left: Left, account: TheirAccount): Promise<Return> | Return;
  /** Returns a response for the account with a fault: another signature or audience, or an error of the token endpoint. */
  wrong(left: Left, account: TheirAccount): Promise<Return> | Return;
}

/** The browser's next step: an address, or a page that posts a form. */
export type Left = URL | Answer;

export interface Return {
  readonly by: "query" | "form";
  readonly members: Readonly<Record<string, string>>;
}

const ADA = { subject: "4711", email: "ada@example.com", username: "ada" };

/** Tests the rules that every broker keeps, with a stage for each protocol. */
export function brokerConformance(protocol: string, stage: BrokerStage, iam: () => SharedHarness): void {
  const provided = async () => {
    const realm = await iam().realm();
    for (const alias of ["theirs", "other"])
      expect(await realm.asMaster().post("/identity-providers", { alias, protocol, config: stage.config() })).toMatchObject({
        status: 201,
      });
    return realm;
  };
  const leave = async (realm: RealmUnderTest, browser: Browser): Promise<Left> => {
    const answer = await browser.get(`/realms/${realm.name}/broker/theirs/login`);
    expect([303, 200], answer.text).toContain(answer.status);
    return answer.status === 303 ? new URL(String(answer.headers.location)) : answer;
  };
  const bring = async (realm: RealmUnderTest, browser: Browser, { by, members }: Return, alias = "theirs"): Promise<Answer> => {
    const path = `/realms/${realm.name}/broker/${alias}/endpoint`;
    if (by === "query") return browser.get(`${path}?${new URLSearchParams(members)}`);
    // A form of another site comes without cookies. The GET that follows has them.
    const posted = await iam()
      .browser()
      .request("POST", path, { form: { ...members }, csrf: false });
    return posted.status === 303 ? browser.get(String(posted.headers.location)) : posted;
  };
  /** Tells whether the user is signed in, after completing what the provider did not send. */
  const arrives = async (realm: RealmUnderTest, browser: Browser, back: Answer): Promise<boolean> => {
    if (isSignedIn(back, realm.name) || back.status !== 303) return isSignedIn(back, realm.name);
    const page = await followed(browser, back);
    // If a scheme supplies the names, only the address is missing.
    if (!/name="(firstName|email)"/.test(page.text)) return false;
    return isSignedIn(await answerPage(browser, realm.name, page, { firstName: "Ada", lastName: "Lovelace" }), realm.name);
  };
  const usersOf = async (realm: RealmUnderTest): Promise<{ userId: string; username: string }[]> =>
    (await realm.asMaster().get("/users")).body.filter(({ username }: { username: string }) => username !== "admin");
  const outcomes = async (realm: RealmUnderTest) =>
    (await realm.events("type=BROKER_LOGIN")).map(({ outcome }: { outcome: string }) => outcome);
  const hasSession = (realm: RealmUnderTest, browser: Browser) => browser.cookies.has(`gh_${realm.name}`);

  /**
   * Checks that an address which a user here has, from a provider that does not vouch for it, leads to a question and not to a link. eIDAS sends no addresses,
   * so nothing is asked.
   */
  const asksBeforeLinking = async (realm: RealmUnderTest) => {
    const owner = await realm.user("owner");
    const account = { subject: "4714", email: "owner@example.com", username: "owner" };
    await realm.asMaster().patch(`/users/${owner.userId}`, { email: account.email, emailVerified: true });
    const person = iam().browser();
    const back = await bring(realm, person, await stage.answer(await leave(realm, person), account));
    const links = async () => (await realm.asMaster().get(`/users/${owner.userId}/linked-accounts`)).body.length;
    const page = isSignedIn(back, realm.name) ? null : await followed(person, back);
    expect([page?.text.includes("There’s already an account here with the same email address") ?? false, await links()]).toEqual([
      protocol !== "eidas",
      0,
    ]);
    if (protocol === "eidas") return;
    const linked = await answerPage(person, realm.name, page!, { password: owner.password });
    expect([isSignedIn(linked, realm.name), await links()], linked.text).toEqual([true, 1]);
  };

  // All of this uses one realm, because making one takes longer than the rest.
  test(`${protocol}: answers are bound to browser, provider and sign-in, the link decides who it is, and a disabled provider signs no user in`, async () => {
    const realm = await provided();
    const browser = iam().browser();
    const stolen = await stage.answer(await leave(realm, browser), ADA);
    const victim = iam().browser();
    await leave(realm, victim);
    expect([(await bring(realm, victim, stolen)).status, hasSession(realm, victim)], "another browser").toEqual([400, false]);
    expect([(await bring(realm, browser, stolen, "other")).status, hasSession(realm, browser)], "another endpoint").toEqual([400, false]);
    const none = { ...stolen, members: Object.fromEntries(Object.entries(stolen.members).filter(([name]) => !STATE.includes(name))) };
    expect((await bring(realm, iam().browser(), none)).status, "no request for it").toBe(400);
    const wrong = await bring(realm, browser, await stage.wrong(await leave(realm, browser), ADA));
    expect([wrong.status, hasSession(realm, browser)], wrong.text).toEqual([400, false]);
    expect(await usersOf(realm)).toEqual([]);
    const failures = await outcomes(realm);
    expect([failures.includes("FAILURE"), failures.includes("SUCCESS")], "recorded").toEqual([true, false]);

    for (const [account, users] of [
      [ADA, 1],
      [{ ...ADA, email: "countess@example.com", username: "countess" }, 1],
      [{ ...ADA, subject: "4712" }, 2],
    ] as const) {
      const person = users === 1 && account === ADA ? browser : iam().browser();
      const back = await bring(realm, person, await stage.answer(await leave(realm, person), account));
      expect(await arrives(realm, person, back), back.text).toBe(true);
      expect(await usersOf(realm)).toHaveLength(users);
    }
    expect((await outcomes(realm)).filter((outcome) => outcome === "SUCCESS")).toHaveLength(3);
    const users = await usersOf(realm);
    expect(JSON.stringify(users), "names that the profile page would not take").not.toMatch(/[\u200b\u202e]/);
    const names = users.map(({ username }) => username.toLowerCase());
    expect(new Set(names).size, "no name is taken over").toBe(2);

    await asksBeforeLinking(realm);
    const before = (await usersOf(realm)).length;

    const misled = iam().browser();
    const right = await stage.answer(await leave(realm, misled), ADA);
    expect((await bring(realm, misled, right, "other")).status).toBe(400);
    expect(await arrives(realm, misled, await bring(realm, misled, right)), "the right endpoint still takes it").toBe(true);

    const late = iam().browser();
    const answer = await stage.answer(await leave(realm, late), { ...ADA, subject: "4713" });
    const { body } = await realm.asMaster().get("/identity-providers/theirs");
    await realm.asMaster().put("/identity-providers/theirs", { ...body, enabled: false });
    await bring(realm, late, answer);
    expect([hasSession(realm, late), (await usersOf(realm)).length], "disabled meanwhile").toEqual([false, before]);
    expect((await late.get(`/realms/${realm.name}/broker/theirs/login`)).headers.location ?? "").not.toMatch(/^https?:/);
  });
}

/** The members that bind an answer to its sign-in. */
const STATE: readonly string[] = ["state", "RelayState"];
