// The set-up that journeys of signing in share: a server, a browser, a mailbox, and people with their devices.
import { createHmac } from "node:crypto";
import type { Browser, Locator, Page } from "playwright-core";
import decodeQR from "qr/decode.js";
import { expect } from "vitest";
import { type Mailing, mailing } from "../../src/testing/mailing.ts";
import { examine, type Person, sharedBrowser } from "./browser.ts";
import { type ServerProcess, sharedServer } from "./process.ts";
import { must, type Visitor } from "./visitor.ts";

export const PASSWORD = "a password for journeys";

export interface Account {
  readonly realm: string;
  readonly username: string;
  readonly userId: string;
  readonly email: string;
}

export interface Stage {
  readonly server: ServerProcess;
  readonly browser: Browser;
  readonly mail: Mailing;
  readonly admin: Visitor;
  readonly url: string;
  /** Makes a realm that can send mail. `steps` are those of its sign-in, if not the shipped ones. */
  newRealm(name: string, settings?: object, steps?: readonly object[]): Promise<string>;
  newUser(realm: string, username: string, actions?: readonly string[]): Promise<Account>;
  close(): Promise<void>;
}

/** The server is the shared one: each realm needs a name that no other journey uses. */
export async function setStage(): Promise<Stage> {
  const [server, browser, mail] = await Promise.all([sharedServer(), sharedBrowser(), mailing()]);
  const admin = await server.admin();
  return {
    ...{ server, browser, mail, admin, url: `http://localhost:${server.port}` },
    async newRealm(name, settings, steps) {
      must(await admin.post("/admin/realms", { realm: name }), 201);
      const config = { host: "127.0.0.1", port: mail.peer.port, security: "none" };
      const provider = { channel: "EMAIL", driver: "smtp", fromAddress: "no-reply@acme.example", config };
      must(await admin.put(`/admin/realms/${name}/messaging/providers`, provider), 201);
      if (settings) must(await admin.put(`/admin/realms/${name}/settings`, settings), 200);
      if (steps) must(await admin.put(`/admin/realms/${name}/flow`, { displayName: "Sign in", steps }), 200);
      return name;
    },
    async newUser(realm, username, actions = []) {
      const email = `${username}@example.com`;
      const users = `/admin/realms/${realm}/users`;
      const { userId } = must(await admin.post(users, { username, email, emailVerified: true }), 201);
      must(await admin.put(`${users}/${userId}/password`, { newPassword: PASSWORD }), 204);
      must(await admin.put(`${users}/${userId}/required-actions`, actions), 200);
      return { realm, username, userId, email };
    },
    close: () => mail.peer.close(),
  };
}

export const step = (authenticator: string, requirement = "REQUIRED") => ({ authenticator, requirement, config: {} });
export const sub = (alias: string, steps: readonly object[], requirement = "REQUIRED") => ({ alias, requirement, steps });

/** Returns the sign-in page, which leads back to itself. */
export const loginOf = (realm: string) => `/realms/${realm}/login?return_to=${encodeURIComponent(`/realms/${realm}/login`)}`;
export const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { name, level: 1 }).waitFor();
export const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).click();
/** Waits for the page that says so, or for the account, to which a sign-in without an application leads. */
export const signedIn = (page: Page) =>
  page.getByRole("heading", { name: "You are signed in", level: 1 }).or(page.locator(".gh-top-account")).first().waitFor();
export const signOut = ({ context }: Person, realm: string) => context.clearCookies({ name: `gh_${realm}` });

export async function typePassword(page: Page, username: string, password = PASSWORD): Promise<void> {
  await page.getByLabel("Username or email").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.locator("#sign-in").click();
}

export async function typeCode(page: Page, code: string, { scripts = true } = {}): Promise<void> {
  const input = page.locator("#code");
  // A code of digits is sent when its last digit is typed.
  const isSent = scripts && (await input.getAttribute("data-digits")) === String(code.length);
  await input.fill(code);
  if (!isSent) await page.locator("#gh-step button.gh-button--primary").click();
}

/** Pages that are shown completely on a desktop, so that nobody has to scroll to the button. */
const WHOLE = new Set(["totp-set-up", "step-up-totp-set-up", "first-page-of-application"]);

export const look = (page: Page, what: string) => examine(page, `sign-in-${what}`, { whole: WHOLE.has(what) });

/** Examines a page that refreshes itself every few seconds, before axe would be done, on a copy that does not. */
export async function lookAtWaiting({ context }: Person, page: Page, what: string): Promise<void> {
  const copy = await context.newPage();
  await copy.route("**/login?*", async (route) => {
    const response = await route.fetch();
    const { refresh: _, ...headers } = response.headers();
    await route.fulfill({ response, headers });
  });
  await copy.goto(page.url());
  await look(copy, what);
  await copy.close();
}

/** Returns the text that a camera reads from the picture. */
export async function scan(picture: Locator): Promise<string> {
  await picture.waitFor();
  const cells = Number((await picture.getAttribute("viewBox"))!.split(" ")[2]);
  const drawn = (await picture.locator("path").getAttribute("d"))!;
  const scale = 4;
  const width = cells * scale;
  const data = new Uint8Array(width * width * 4).fill(255);
  for (const [, x, y] of drawn.matchAll(/M(\d+) (\d+)/g))
    for (let at = 0; at < scale * scale; at++) {
      const [column, row] = [Number(x) * scale + (at % scale), Number(y) * scale + Math.floor(at / scale)];
      data.fill(0, (row * width + column) * 4, (row * width + column) * 4 + 3);
    }
  return decodeQR({ width, height: width, data });
}

/** Returns an authenticator app (RFC 6238) with the key in its typed form. It gives no code twice. */
export function authenticatorApp(key: string) {
  const bits = [...key.replace(/\s/g, "")].map((char) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(char).toString(2).padStart(5, "0"));
  const secret = Buffer.from((bits.join("").match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  let last = 0;
  return {
    nextCode(): string {
      last = Math.max(last + 1, Math.floor(Date.now() / 30_000));
      const counter = Buffer.alloc(8);
      counter.writeBigUInt64BE(BigInt(last));
      const mac = createHmac("sha1", secret).update(counter).digest();
      return String((mac.readUInt32BE(mac[19]! & 15) & 0x7fffffff) % 1_000_000).padStart(6, "0");
    },
  };
}
export type App = ReturnType<typeof authenticatorApp>;

/** Completes the two pages that set up an authenticator app: the app itself, and the recovery codes. */
export async function setUpApp(page: Page, seen: (what: string) => Promise<void>): Promise<{ app: App; recoveryCodes: string[] }> {
  await heading(page, "Set up an authenticator app");
  await seen("totp-set-up");
  const key = (await page.locator(".gh-key").textContent())!;
  const scanned = new URL(await scan(page.locator("svg.gh-qr")));
  expect([scanned.protocol, scanned.searchParams.get("secret")]).toEqual(["otpauth:", key.replaceAll(" ", "")]);
  const app = authenticatorApp(key);
  await page.getByLabel("Name of this app").fill("my phone");
  await typeCode(page, app.nextCode());
  await heading(page, "Your recovery codes");
  await seen("recovery-codes");
  const recoveryCodes = await page.locator(".gh-codes li").allTextContents();
  await press(page, "I’ve saved them");
  return { app, recoveryCodes };
}
