// Measures the admin console in Chromium: its first screen compared with a bare page of Mantine, and lists of many users and realms
// compared with short ones.
import { once } from "node:events";
import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { chromium } from "playwright-core";
import { Pool } from "undici";
import { chromiumPath } from "../test/peers/index.mjs";
import { fillRealms, fillUsers } from "./directory-data.mjs";
import { ADMIN_PASSWORD, startServer } from "./processes.mjs";
import { median } from "./rounds.mjs";
import { Browser } from "./seed.mjs";

const REALM = "bench";
const SHORT = "bench-short";
/** The first screen may take this much longer than a bare page of the same library. */
const MAX_RATIO = 1.5;
/** The maximum ratio by which a list may get slower when it grows. */
const MAX_GROWTH = 2;

/**
 * @param {{ newPlace: () => Promise<Parameters<typeof startServer>[0]>, folder: string, rounds: number, users: number, realms: number,
 *   progress: (text: string) => void, untilTheEnd: <T extends { stop: () => Promise<void> }>(program: T) => T }} options
 * @returns {Promise<import("./report.mjs").Report["figures"]>}
 */
export async function measureConsole({ newPlace, folder, rounds, users, realms, progress, untilTheEnd }) {
  const executablePath = chromiumPath();
  if (!executablePath) throw new Error("The console is measured in Chromium, which is not installed");
  const bare = untilTheEnd(await startBarePage(join(folder, "bare")));
  const place = await newPlace();
  await fill({ place, users, realms, progress, untilTheEnd });
  const server = untilTheEnd(await startServer(place));
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  untilTheEnd({ stop: () => browser.close() });
  const cookies = await signedIn(browser, server.origin);
  const consoleAt = (/** @type {string} */ path) => `${server.origin}/console/realms/${path}`;

  /** @type {Record<"bare" | "first" | "short" | "long" | "switcher", number[]>} */
  const times = { bare: [], first: [], short: [], long: [], switcher: [] };
  let requests = 0;
  for (let round = 0; round <= rounds; round++) {
    progress(round === 0 ? "warming up" : `console, round ${round} of ${rounds}`);
    const taken = {
      bare: await timeOf(browser, [], bare.origin, "#main h1"),
      first: await timeOf(browser, cookies, consoleAt(`${SHORT}/overview`), "#main h1"),
      short: await timeOf(browser, cookies, consoleAt(`${SHORT}/users`), "#main tbody tr"),
      long: await timeOf(browser, cookies, consoleAt(`${REALM}/users`), "#main tbody tr"),
    };
    requests = Math.max(requests, taken.long.lists.length);
    const greedy = taken.long.lists.find((url) => Number(new URL(url).searchParams.get("size") ?? "1000") > 200);
    if (greedy) throw new Error(`The list of users asked for too much: ${greedy}`);
    const switched = await timeOfSwitcher(browser, cookies, consoleAt(`${SHORT}/overview`), `bench-r${realms}`);
    if (round === 0) continue;
    for (const kind of /** @type {const} */ (["bare", "first", "short", "long"])) times[kind].push(taken[kind].time);
    times.switcher.push(switched);
  }
  const ratio = (/** @type {keyof typeof times} */ of, /** @type {keyof typeof times} */ by) =>
    median(times[of].map((time, round) => time / (times[by][round] ?? time)));
  const ms = (/** @type {keyof typeof times} */ kind) => Math.round(median(times[kind]));
  const many = users.toLocaleString("en");
  return [
    { name: "a bare Mantine page: interactive", value: ms("bare"), unit: "ms", target: null },
    { name: "console, first screen: interactive", value: ms("first"), unit: "ms", target: null },
    { name: "console, first screen beside the bare page", value: round2(ratio("first", "bare")), unit: "×", target: MAX_RATIO },
    { name: `console, ${many} users: first rows`, value: ms("long"), unit: "ms", target: null },
    { name: `console, ${many} users beside 20: first rows`, value: round2(ratio("long", "short")), unit: "×", target: MAX_GROWTH },
    { name: `console, ${many} users: list`, value: requests, unit: "requests", target: 1 },
    {
      name: `console, one of ${realms.toLocaleString("en")} realms found by the switcher`,
      value: ms("switcher"),
      unit: "ms",
      target: null,
    },
  ];
}

const round2 = (/** @type {number} */ value) => Math.round(value * 100) / 100;

/** @param {{ place: Parameters<typeof startServer>[0], users: number, realms: number, progress: (text: string) => void, untilTheEnd: <T extends { stop: () => Promise<void> }>(program: T) => T }} options */
async function fill({ place, users, realms, progress, untilTheEnd }) {
  const maker = untilTheEnd(await startServer(place));
  const pool = new Pool(maker.origin, { connections: 1 });
  const master = new Browser(pool);
  await master.signIn("master", "admin");
  for (const realm of [REALM, SHORT]) await master.send("POST", "/admin/realms", 201, { json: { realm } });
  for (let n = 0; n < 20; n++) await master.send("POST", `/admin/realms/${SHORT}/users`, 201, { json: { username: `person-${n}` } });
  await pool.close();
  await maker.stop();
  const client = new pg.Client({ connectionString: place.databaseUrl });
  await client.connect();
  await fillRealms(client, { like: REALM, count: realms, progress });
  await fillUsers(client, { realm: REALM, users, events: 0, progress });
  await client.query("vacuum analyze");
  await client.end();
}

/** @param {import("playwright-core").Browser} browser @param {string} origin */
async function signedIn(browser, origin) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${origin}/realms/master/login?return_to=${encodeURIComponent("/console/")}`);
  await page.locator("#username").fill("admin");
  await page.locator("#password").fill(ADMIN_PASSWORD);
  await page.keyboard.press("Enter");
  await page.locator("#main h1").waitFor();
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

/** Measures the time that a new browser without a cache takes from the address to the element, and collects its requests for lists of users.
 * @param {import("playwright-core").Browser} browser @param {import("playwright-core").Cookie[]} cookies @param {string} url @param {string} selector */
async function timeOf(browser, cookies, url, selector) {
  const { context, page } = await newTab(browser, cookies);
  /** @type {string[]} */
  const lists = [];
  page.on("request", (request) => {
    if (/\/admin\/realms\/[^/]+\/users\?/.test(request.url())) lists.push(request.url());
  });
  await page.addInitScript(watchFor, selector);
  await page.goto(url);
  const time = Number(await (await page.waitForFunction(() => /** @type {any} */ (globalThis).seenAt)).jsonValue());
  await page.waitForLoadState("networkidle");
  await context.close();
  return { time, lists };
}

/** Runs in the page: records when the element exists and the page can answer a click. @param {string} selector */
function watchFor(selector) {
  const page = /** @type {any} */ (globalThis);
  const look = () => {
    if (!page.document.querySelector(selector)) return page.requestAnimationFrame(look);
    page.setTimeout(() => {
      page.seenAt = page.performance.now();
    });
  };
  look();
}

/** @param {import("playwright-core").Browser} browser @param {import("playwright-core").Cookie[]} cookies @param {string} url @param {string} realm */
async function timeOfSwitcher(browser, cookies, url, realm) {
  const { context, page } = await newTab(browser, cookies);
  await page.goto(url);
  await page.getByRole("button", { name: "Switch realm" }).click();
  const search = page.getByLabel("Search realms");
  await search.waitFor();
  const begun = performance.now();
  await search.fill(realm);
  await page.getByRole("option", { name: realm }).first().waitFor();
  const taken = performance.now() - begun;
  await context.close();
  return taken;
}

/** @param {import("playwright-core").Browser} browser @param {import("playwright-core").Cookie[]} cookies */
async function newTab(browser, cookies) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en", reducedMotion: "reduce" });
  if (cookies.length > 0) await context.addCookies(cookies);
  return { context, page: await context.newPage() };
}

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

/** Builds the bare page, compresses it like the console, and serves it. @param {string} out */
async function startBarePage(out) {
  const root = fileURLToPath(new URL("./console-bare/", import.meta.url));
  const [{ build }, { compressAll }] = await Promise.all([
    import("vite"),
    import(new URL("../../web/console/build.mjs", import.meta.url).href),
  ]);
  await build({ root, base: "/", logLevel: "error", build: { outDir: out, emptyOutDir: true } });
  await compressAll(out);
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? "/", "http://bare").pathname;
    const file = join(out, name === "/" ? "index.html" : name);
    if (dirname(file).startsWith(out) && existsSync(file)) {
      const packed = existsSync(`${file}.br`);
      const type = TYPES[/** @type {keyof typeof TYPES} */ (extname(file))] ?? "application/octet-stream";
      response.writeHead(200, { "content-type": type, ...(packed && { "content-encoding": "br" }) });
      createReadStream(packed ? `${file}.br` : file).pipe(response);
    } else response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(null)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const stop = async () => {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { origin: `http://localhost:${port}/`, stop };
}
