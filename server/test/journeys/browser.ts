// A real browser on a real server, and the rules for every page in every state: it is accessible, and causes no message on the console.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type axe from "axe-core";
import { type Browser, type BrowserContext, type BrowserContextOptions, type CDPSession, chromium, type Page } from "playwright-core";
import { expect } from "vitest";
import { chromiumPath } from "../peers/index.mjs";
import { atEndOfFile } from "./process.ts";
import type { Visitor } from "./visitor.ts";

/** Set JOURNEY_SCREENSHOTS to a folder to get pictures. */
const pictures = process.env.JOURNEY_SCREENSHOTS;
const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-extensions",
  "--disable-features=IsolateOrigins,site-per-process,Translate,SpareRendererForSitePerProcess",
  "--disable-site-isolation-trials",
  // Pages are left before it pays to optimise their scripts and axe.
  "--js-flags=--no-opt",
];

const inCI = Boolean(process.env.CI) && process.env.CI !== "false";
/** Without Chromium these journeys are skipped, except in CI, where they fail. */
export const noBrowser = chromiumPath() === undefined && !inCI;

let shared: Promise<Browser> | undefined;

/** Returns the browser that the files of this process share. What a file leaves open in it is closed at the end of the file. */
export async function sharedBrowser(): Promise<Browser> {
  if (!(await shared?.catch(() => undefined))?.isConnected()) shared = launchBrowser();
  return shared!;
}
atEndOfFile.push(async () => {
  const browser = await shared?.catch(() => undefined);
  await Promise.all(browser?.contexts().map((context) => context.close()) ?? []);
});

function launchBrowser(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (!executablePath) throw new Error("Chromium is not installed. On Debian or Ubuntu: sudo apt-get install chromium-headless-shell");
  // The headless shell has no other mode.
  const args = executablePath.endsWith("headless-shell") ? ARGS : [...ARGS, "--headless=new"];
  return chromium.launch({ executablePath, args });
}

export interface Person {
  readonly context: BrowserContext;
  tab(): Promise<Page>;
  /** Fails on anything that the browser reported in any tab: errors, refusals by the content security policy, lost requests. */
  close(): Promise<void>;
}

/** Opens a browser for a person. */
export async function personIn(browser: Browser, options: BrowserContextOptions = {}): Promise<Person> {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  // A busy machine may be slow, so only the test's own limit counts.
  context.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  return {
    context,
    async tab() {
      const page = await context.newPage();
      page.on("console", (message) => {
        // The browser also reports pages that answer 401, 403 or 404 on purpose.
        const refusal = /^Failed to load resource: the server responded with a status of 4\d\d/.test(message.text());
        if (message.type() === "error" && !(refusal && message.location().url === page.url())) complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(String(error)));
      page.on("requestfailed", (request) => {
        const reason = request.failure()?.errorText;
        // A page that refreshes itself may be about to do so when its button is pressed, and the console cancels the requests of a screen that is left.
        const isOvertaken = reason === "net::ERR_ABORTED" && (request.isNavigationRequest() || request.url().includes("/admin/realms/"));
        if (!isOvertaken) complaints.push(`${request.url()}: ${reason}`);
      });
      return page;
    },
    async close() {
      await context.close();
      expect(complaints).toEqual([]);
    },
  };
}

/** Gives a browser the session of a visitor who is signed in at this address. */
export const takeSession = (context: BrowserContext, { cookies }: Visitor, url: string) =>
  context.addCookies([...cookies].map(([name, value]) => ({ name, value, url })));

/** Goes to another screen of the console as a link does it: the page is not loaded anew, which takes far longer than most screens. */
export async function moveTo(page: Page, path: string): Promise<void> {
  await page.evaluate((next) => {
    const view = globalThis as unknown as { history: History; dispatchEvent(event: Event): void };
    view.history.pushState({}, "", next);
    view.dispatchEvent(new PopStateEvent("popstate"));
  }, path);
}

export async function takePicture(page: Page, name: string): Promise<void> {
  if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

/** Takes a picture and checks everything with axe. `excluded` selects third-party parts, and parts that axe has examined on other pages. */
export async function expectAccessible(page: Page, name: string, excluded: readonly string[] = []): Promise<void> {
  await takePicture(page, name);
  await askAxe(page, name, { type: "tag", values: WCAG }, excluded);
}

/** The rules of axe that depend on colours or on the layout. */
const LOOKS = ["color-contrast", "link-in-text-block", "target-size", "scrollable-region-focusable"];

const DESKTOP = { width: 1280, height: 800 };
const TELEPHONE = { width: 360, height: 780 };
const VIEWS = [
  { name: "light", size: DESKTOP, colorScheme: "light" },
  { name: "phone-dark", size: TELEPHONE, colorScheme: "dark" },
] as const;

export interface Examination {
  /** Parts that axe has examined on other pages. */
  readonly examined?: readonly string[];
  /** True if the page has to be seen on a desktop without scrolling. */
  readonly whole?: boolean;
}

/**
 * Examines a page on a desktop in the light scheme, by all rules, and on a telephone in the dark one, by the rules of colours and layout. It begins with the
 * size that the page has, so that the next page needs no turn before it is examined.
 */
export async function examine(page: Page, name: string, { examined = [], whole = false }: Examination = {}): Promise<void> {
  const views = page.viewportSize()?.width === TELEPHONE.width ? VIEWS.toReversed() : VIEWS;
  for (const view of views) {
    const seen = `${name}-${view.name}`;
    await page.setViewportSize(view.size);
    await page.emulateMedia({ colorScheme: view.colorScheme });
    await expectNoSidewaysScrolling(page);
    if (whole && view.size === DESKTOP) await expectNoScrolling(page, seen);
    await (view.size === DESKTOP ? expectAccessible : expectLegible)(page, seen, examined);
  }
  if (pictures !== undefined) await takeOtherPictures(page, name);
}

/** Checks a page that axe examines completely in another colour scheme or width. */
export async function expectLegible(page: Page, name: string, examined: readonly string[] = []): Promise<void> {
  await takePicture(page, name);
  await askAxe(page, name, { type: "rule", values: LOOKS }, examined);
}

/** Takes the pictures that `examine` does not need: dark on a desktop, and light on a telephone. */
async function takeOtherPictures(page: Page, name: string): Promise<void> {
  const before = page.viewportSize()!;
  const { colorScheme } = VIEWS.find(({ size }) => size.width === before.width)!;
  for (const other of [
    { name: "phone", size: TELEPHONE, colorScheme: "light" },
    { name: "dark", size: DESKTOP, colorScheme: "dark" },
  ] as const) {
    await page.setViewportSize(other.size);
    await page.emulateMedia({ colorScheme: other.colorScheme });
    await takePicture(page, `${name}-${other.name}`);
  }
  await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme });
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const protocols = new WeakMap<Page, Promise<CDPSession>>();

/** Loads axe into a page that does not have it yet. The browser remembers a script that comes this way: the next page compiles less of it. */
async function injectAxe(page: Page): Promise<void> {
  if (await page.evaluate(() => "axe" in globalThis)) return;
  const protocol = protocols.get(page) ?? page.context().newCDPSession(page);
  protocols.set(page, protocol);
  await (await protocol).send("Runtime.evaluate", { expression: AXE });
}

async function askAxe(page: Page, name: string, runOnly: axe.RunOnly, excluded: readonly string[]): Promise<void> {
  await injectAxe(page);
  const violations = await page.evaluate(
    async ([only, exclude]) => {
      const { axe: injected } = globalThis as unknown as { axe: typeof axe };
      // None of these rules reads style sheets, which axe would otherwise fetch and parse again for each run.
      const options = { runOnly: only, resultTypes: ["violations"], preload: { assets: ["media"] } } as axe.RunOptions;
      const { violations: found } = await injected.run({ exclude: [...exclude] }, options);
      return found.map(({ id, nodes }) => ({ id, where: nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`) }));
    },
    [runOnly, excluded] as const,
  );
  expect(violations, `axe on ${name}`).toEqual([]);
}

/** Checks that nothing is cut off and that no sideways scrolling is needed (WCAG 1.4.10). */
export async function expectNoSidewaysScrolling(page: Page, name?: string): Promise<void> {
  if (name !== undefined) await takePicture(page, name);
  const beyond = await page.evaluate(() => {
    const view = globalThis as unknown as { document: { documentElement: { scrollWidth: number } }; innerWidth: number };
    return view.document.documentElement.scrollWidth - view.innerWidth;
  });
  expect(beyond, name ?? page.url()).toBeLessThanOrEqual(0);
}

/** Checks that the page is seen completely without scrolling. */
async function expectNoScrolling(page: Page, name: string): Promise<void> {
  const { height } = page.viewportSize()!;
  expect(await page.evaluate<number>("document.documentElement.scrollHeight"), name).toBeLessThanOrEqual(height);
}

/** Checks that no element reaches beyond the window, even one that another element cuts off. */
export async function expectNothingBeyond(page: Page, name: string): Promise<void> {
  await takePicture(page, name);
  // The function is a text, because the types of the tests do not include the DOM.
  const beyond = await page.evaluate<string[]>(`[...document.querySelectorAll("body *")].flatMap((element) => {
    const { left, right, width, height } = element.getBoundingClientRect();
    // A strip that scrolls by itself holds more than is seen at once.
    for (let above = element.parentElement; above; above = above.parentElement) if (/auto|scroll/.test(getComputedStyle(above).overflowX)) return [];
    const isSeen = width > 1 && height > 1 && getComputedStyle(element).visibility === "visible";
    const label = element.tagName + "." + element.className + ": " + (element.textContent ?? "").trim().slice(0, 60);
    return isSeen && (left < -1 || right > innerWidth + 1 || element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX === "hidden") ? [label] : [];
  })`);
  expect(beyond, `beyond the window on ${name}`).toEqual([]);
}
