import { systemActor } from "../platform/context.ts";
import type { Step } from "../signin/flows/index.ts";
import type { Answer, Browser } from "./browser.ts";
import type { SharedHarness } from "./harness.ts";
import type { RealmUnderTest } from "./realm.ts";

const decoded = (text: string) => text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&amp;", "&");

/** Returns the values that the form of a step would send unchanged. */
export function formOf(page: Answer): Record<string, string> {
  const form = /<form[^>]* id="gh-step"[^>]*>([\s\S]*?)<\/form>/.exec(page.text)?.[1];
  if (form === undefined) throw new Error(`no step to answer: ${page.status} ${page.text}`);
  const attribute = (tag: string, name: string) => decoded(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? "");
  const inputs = [...form.matchAll(/<input[^>]*>/g)].map(([tag]) => [attribute(tag, "name"), attribute(tag, "value")] as const);
  return Object.fromEntries(inputs.filter(([name]) => !["code", "label", "rememberMe", "trustDevice"].includes(name)));
}

/**
 * Returns the text of a page without what differs each time: ids, tokens, nonces, waits, and the typed name. The name is removed last, because an id may
 * contain a short one.
 */
export const masked = (text: string, name: string): string =>
  text.replace(/(?:nonce|data-wait|data-options)="[^"]*"|[\w-]{43}\.[\w-]+|[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID").replaceAll(name, "NAME");

/** Answers the step that a page shows. */
export const answerPage = (browser: Browser, realm: string, page: Answer, fields: Record<string, string>): Promise<Answer> =>
  browser.request("POST", `/realms/${realm}/login`, { form: { ...formOf(page), ...fields }, csrf: false });

/** Follows an answer to the next page. */
export function followed(browser: Browser, answer: Answer): Promise<Answer> {
  if (answer.status !== 303) throw new Error(`leads nowhere: ${answer.status} ${answer.text}`);
  return browser.get(String(answer.headers.location));
}

/** Signs in with name and password, up to the page of the next step. */
export async function pastPassword(browser: Browser, realm: string, user: { username: string; password: string }): Promise<Answer> {
  return followed(browser, await browser.trySignIn(realm, user.username, user.password));
}

/** Tells whether the answer has signed the user in: it redirects, with a session's cookie. */
export const isSignedIn = (answer: Answer, realm: string): boolean =>
  answer.status === 303 && [answer.headers["set-cookie"] ?? []].flat().some((line) => line.startsWith(`gh_${realm}=`));

/** Sets the steps by which users of the realm sign in. */
export async function setBrowserFlow({ core }: Pick<SharedHarness, "core">, realm: RealmUnderTest, steps: readonly Step[]): Promise<void> {
  await core.work.transact({ realm: realm.name, actor: systemActor(realm.name), sourceIp: null }, async (ctx) => {
    await ctx.tx.deleteFrom("flows").where("realm_id", "=", ctx.realm).execute();
    await ctx.tx
      .insertInto("flows")
      .values({
        ...{ realm_id: ctx.realm, alias: "browser", display_name: "Sign in", steps: JSON.stringify(steps) },
        ...{ created_at: ctx.now, updated_at: ctx.now },
      })
      .execute();
    await ctx.configChanged();
  });
}

/** Makes a lock stop guesses, and not a wait, which a slow machine would outlast. */
export async function lockAfterFive(realm: RealmUnderTest): Promise<void> {
  const boss = realm.asMaster();
  const { body } = await boss.get("/settings");
  const saved = await boss.put("/settings", { ...body, bruteForce: { ...body.bruteForce, maxFailures: 5 } });
  if (saved.status !== 200) throw new Error(`could not save settings: ${saved.status} ${saved.text}`);
}
