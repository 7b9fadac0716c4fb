import { expect, test } from "vitest";
import { newId } from "../kernel/ids.ts";
import { messagesOf } from "../pages/index.ts";
import { buildValidator } from "../platform/http/index.ts";
import { type Authenticator, freshProgress, type Question, type SignInUser, type StepContext } from "../signin/authenticators/index.ts";
import { type AtStep, type Stage, staged, stages } from "./authenticator-stages.ts";
import type { Answer } from "./browser.ts";
import type { SharedHarness } from "./harness.ts";
import { followed, formOf, isSignedIn, lockAfterFive, masked } from "./step-pages.ts";

/** Makes the context of a step in a realm of the suite, for any user. */
export type ContextFor = (user: SignInUser | null, progress: StepContext["progress"]) => Promise<StepContext>;

const types = ["password", "totp", "passkey", "push", "recovery-code"];
const person = (credentials: readonly string[]): SignInUser => ({
  ...{ userId: "019b76da-a800-7f3c-9d1e-3f5b7c9d1e3f", username: "ada", email: "ada@example.com", emailVerified: credentials.length > 0 },
  ...{ attributes: {}, isFromDirectory: false, requiredActions: [], credentials: new Set(credentials) },
});
const validator = buildValidator({});

/** Tests the rules that every authenticator keeps. Its own file tests the rest through its page. */
export function authenticatorConformance(
  name: string,
  authenticator: Authenticator,
  contextFor: ContextFor,
  iam: () => SharedHarness,
): void {
  test(`${name} says what it is, and takes no config that it does not know`, () => {
    expect(name).toMatch(/^[a-z][a-z-]*$/);
    expect(authenticator.displayName).toMatch(/\S/);
    expect(authenticator.description).toMatch(/\S/);
    const validate = validator({ schema: authenticator.config, httpPart: "body" }) as (config: unknown) => boolean;
    expect(validate({ noSuchMember: true })).toBe(false);
    const members = Object.entries(authenticator.config.properties ?? {});
    const defaults = Object.fromEntries(members.flatMap(([member, schema]) => ("default" in schema ? [[member, schema.default]] : [])));
    if (((authenticator.config as { required?: readonly string[] }).required ?? []).length === 0) expect(validate(defaults)).toBe(true);
  });
  if (authenticator.kind !== "question") return;
  questionConformance(name, authenticator, contextFor);
  // It is answered at another site and not on its page: federation/brokers and signin/run/leave.test.ts test that.
  if (authenticator.returned) return;
  // Without a stage the suite could not test the question, so one that has none fails here.
  pageConformance(name, authenticator, stages[name]!, iam);
}

function questionConformance(name: string, question: Question, contextFor: ContextFor): void {
  const unproven = (user: SignInUser | null) => ({
    ...freshProgress({ alias: "browser", version: 0 }),
    login: "ada",
    userId: user?.userId ?? null,
  });

  test(`${name} is available for every name or for none, until something is proven`, async () => {
    const answers = [];
    for (const user of [null, person([]), person(types)]) answers.push(await question.available(await contextFor(user, unproven(user))));
    expect(new Set(answers).size).toBe(1);
  });

  test(`${name} is guessed only against a counter, and what it sets up can be named`, () => {
    // A name proves nothing, but a typed proof can be guessed.
    if (question.factor !== null && question.fields.some((field) => field === "code" || field === "password"))
      expect(question.counted).not.toBeNull();
    expect(messagesOf("en")[question.choice]).toMatch(/\S/);
    if (question.nameIn) expect(question.identifies).toBe(true);
  });
}

/** Tests it through its page, in a sign-in that an application requested. */
function pageConformance(name: string, question: Question, stage: Stage, iam: () => SharedHarness): void {
  const post = ({ browser, realm }: Pick<AtStep, "browser" | "realm">, form: Record<string, string>) =>
    browser.request("POST", `/realms/${realm.name}/login`, { form, csrf: false });
  // A user who waits for an answer on another device has not given one.
  const isElsewhere = question.fields.length === 0;

  test(`${name} is answered only in its own sign-in and browser, and only once`, async () => {
    const at = await (await staged(iam(), name))();
    const { realm } = at;
    const form = { ...formOf(at.page), ...(await at.right()) };
    const [bare, other] = [iam().browser(), iam().browser()];
    await other.get(`/realms/${realm.name}/login`);
    const refused = [
      await post({ realm, browser: bare }, form),
      await post({ realm, browser: other }, form),
      await post({ realm, browser: other }, { ...form, _csrf: other.cookies.get("XSRF-TOKEN")! }),
      await post(at, { ...form, interaction: newId() }),
    ];
    for (const answer of refused) expect([isSignedIn(answer, realm.name), answer.status >= 400]).toEqual([false, true]);
    for (const browser of [bare, other, at.browser]) expect(browser.cookies.has(`gh_${realm.name}`)).toBe(false);

    // The refused request consumed nothing.
    const done = await post(at, form);
    expect([done.status, isSignedIn(done, realm.name)], done.text).toEqual([303, name !== "username"]);
    const effects = await effectsIn(iam(), at);
    for (const again of [await post(at, form), await post(at, form)]) {
      expect(isSignedIn(again, realm.name)).toBe(false);
      expect([303, 400]).toContain(again.status);
    }
    expect(await effectsIn(iam(), at)).toEqual(effects);
  });

  const counts = question.counted === null ? "" : ", and counts it";
  test(`${name} names what is missing and stays after a wrong answer${counts}; the typed value is shown as text`, async () => {
    const at = await (await staged(iam(), name))();
    const { realm, page } = at;
    await lockAfterFive(realm);
    const { step, interaction } = formOf(page);
    const failures = async () => [...(await realm.events("type=LOGIN_FAILURE")), ...(await realm.events("type=MFA_FAILURE"))].length;
    const stays = (answer: Answer) => {
      expect(formOf(answer)).toMatchObject({ step, interaction });
      expect(isSignedIn(answer, realm.name)).toBe(false);
    };

    const right: Record<string, string> = isElsewhere ? {} : await at.right();
    for (const field of question.fields)
      for (const given of [{}, { [field]: "" }, { [field]: "" }]) {
        const { [field]: _, ...rest } = { ...formOf(page), ...right };
        const answer = await post(at, { ...rest, ...given });
        const recorded = /id="gh-error"[\s\S]*?<\/div>/.exec(answer.text)?.[0] ?? "";
        // An empty password counts as a wrong one.
        const status = field === "password" && field in given ? 401 : 400;
        expect([answer.status, recorded]).toEqual([status, expect.stringContaining(messagesOf("en")[LABEL_OF[field]!])]);
        stays(answer);
      }
    expect(await failures()).toBe(0);

    const typed = Object.fromEntries(question.fields.map((field) => [field, HOSTILE]));
    const hostile = await post(at, { ...formOf(page), ...typed, return_to: HOSTILE, unasked: HOSTILE });
    expect(hostile.status, hostile.text).toBe(stage.wrong === null ? 303 : isElsewhere ? 200 : 401);
    const { text } = name === "username" ? await followed(at.browser, hostile) : hostile;
    expect(text).not.toMatch(/<script>alert|<img/);
    // A field may contain the character in a typed name. Among our own words it would reverse them.
    expect(text.replace(/<(?:[^>"]|"[^"]*")*>/g, "")).not.toContain("\u202e");
    if (question.nameIn) expect(text).toContain("&lt;script>alert(1)&lt;/script>");

    if (!stage.wrong) return;
    const before = await failures();
    for (let times = 1; times <= 5 - (name === "username-password" ? 0 : before); times++) {
      const answer = await post(at, { ...formOf(page), ...stage.wrong(at.username) });
      expect(answer.status, answer.text).toBe(isElsewhere ? 200 : 401);
      stays(answer);
      expect(await failures()).toBe(isElsewhere ? 0 : before + times);
    }
    const sixth = await post(at, { ...formOf(page), ...(await at.right()) });
    expect(sixth.status).toBe(question.counted === null ? 303 : 429);
  });

  // `push` is not available before something is proven: otherwise an attacker who knows a name could ring the user's phone.
  if (name !== "push" && name !== "username")
    test(`${name} reveals neither by its page nor by its answers which account exists or what it has`, async () => {
      const arrive = await staged(iam(), name, { after: name === "username-password" ? "nothing" : "username" });
      const seen = [];
      for (const who of ["equipped", "bare", "nobody"] as const) {
        const at = await arrive(who);
        const answers = stage.wrong ? [at.page, await post(at, { ...formOf(at.page), ...stage.wrong(at.username) })] : [at.page];
        seen.push(answers.map((answer) => [answer.status, withoutOwn(answer, at)]));
      }
      expect(seen[1]).toEqual(seen[0]);
      expect(seen[2]).toEqual(seen[0]);
    });
}

const HOSTILE = `"'><script>alert(1)</script><img src onerror=x>\u202eada`;
const LABEL_OF: Readonly<Record<string, keyof ReturnType<typeof messagesOf>>> = {
  ...{ username: "username", password: "password", code: "codeLabel", credential: "passkeyField" },
};

/** Returns everything that passing a step can leave behind. */
async function effectsIn({ core: { db } }: SharedHarness, { realm, page }: AtStep) {
  const count = db.fn.countAll<number>().as("count");
  const sessions = db.selectFrom("sessions").select(count).where("realm_id", "=", realm.name);
  const messages = db.selectFrom("jobs").select(count).where("realm_id", "=", realm.name);
  const sign = db.selectFrom("interactions").select(["state", "result", "version"]).where("realm_id", "=", realm.name);
  return {
    events: (await realm.events()).map(({ type }: { type: string }) => type),
    rows: [await sessions.executeTakeFirst(), await messages.executeTakeFirst()],
    interaction: await sign.where("interaction_id", "=", formOf(page).interaction!).executeTakeFirst(),
  };
}

/** Returns the text of a page without the values of its user. */
const withoutOwn = ({ text }: Answer, { realm, username }: AtStep): string =>
  masked(text, username)
    .replaceAll(realm.name, "REALM")
    .replace(/<path [^>]*>|gh-number">\d+/g, "");
