import type { Answer, Browser } from "./browser.ts";
import type { SharedHarness } from "./harness.ts";
import { type Ceremony, passkeyForm, type TestPasskey, testPasskey } from "./passkey.ts";
import type { RealmUnderTest } from "./realm.ts";
import { followed } from "./step-pages.ts";

type User = Awaited<ReturnType<RealmUnderTest["user"]>>;

/** Sends what the device made of the page's challenge, as the page's script does. */
export function answerWith(browser: Browser, realm: string, page: Answer, credential: unknown, more: Record<string, string> = {}) {
  const { hidden } = passkeyForm(page.text);
  const form = { ...hidden, credential: typeof credential === "string" ? credential : JSON.stringify(credential), ...more };
  return browser.request("POST", `/realms/${realm}/login`, { form, csrf: false });
}

/** Answers a page that asks for a passkey. */
export const usePasskeyOn = (browser: Browser, realm: string, page: Answer, passkey: TestPasskey, how: Ceremony = {}, more = {}) =>
  answerWith(browser, realm, page, passkey.get(passkeyForm(page.text).options, how), more);

/** Signs in with a passkey alone, beginning with the first page. */
export async function signInWithPasskey(browser: Browser, realm: string, passkey: TestPasskey, how: Ceremony = {}, more = {}) {
  return usePasskeyOn(browser, realm, await browser.get(`/realms/${realm}/login`), passkey, how, more);
}

/** Makes a user who has set up a passkey in their account. */
export async function userWithPasskey(
  iam: SharedHarness,
  realm: RealmUnderTest,
  { user, passkey }: { user?: User; passkey?: TestPasskey } = {},
) {
  const known = user ?? (await realm.user());
  const made = passkey ?? testPasskey();
  const browser = iam.browser();
  const first = await browser.trySignIn(realm.name, known.username, known.password);
  if (String(first.headers.location).includes("interaction=")) throw new Error("has a second factor already");
  const path = `/realms/${realm.name}/account/credentials`;
  const requested = await browser.post(path, { type: "passkey" });
  if (requested.status !== 200) throw new Error(`no options for a passkey: ${requested.status} ${requested.text}`);
  const added = await browser.post(path, { type: "passkey", label: "laptop", credential: made.create(requested.body.options) });
  if (added.status !== 201) throw new Error(`could not add a passkey: ${added.status} ${added.text}`);
  return { ...known, passkey: made, browser, credentialId: added.body.id as string };
}

/** Signs in with name and password, up to the page that asks for the second factor. */
export async function toSecondFactor(browser: Browser, realm: string, user: { username: string; password: string }): Promise<Answer> {
  return followed(browser, await browser.trySignIn(realm, user.username, user.password));
}
