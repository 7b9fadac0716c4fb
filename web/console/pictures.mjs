// Takes the pictures of the documentation: `npm run pictures -w web/console`. Starts its own server on an empty folder, fills its demo
// realm as the console does, and takes pictures of the main screens of the console and of users' pages to docs/pictures/*.webp, which are
// small. Needs Chromium.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chromiumPath, freePort } from "../../server/test/peers/index.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { chromium } = createRequire(join(root, "server/package.json"))("playwright-core");
const out = join(root, "docs", "pictures");
const data = mkdtempSync(join(tmpdir(), "gatehouse-pictures-"));
const port = await freePort();
const url = `http://localhost:${port}`;
const env = { ...process.env, GATEHOUSE_PORT: String(port), GATEHOUSE_DATA_DIR: data };
const server = spawn(process.execPath, [join(root, "server/start.mjs")], { env, stdio: "ignore" });

/** Waits until the console answers. */
async function ready() {
  for (let tries = 0; tries < 300; tries++) {
    const answer = await fetch(`${url}/console/`).catch(() => null);
    if (answer?.status === 200) return;
    await sleep(200);
  }
  throw new Error("the server did not start");
}

const browser = await chromium.launch({ executablePath: chromiumPath(), args: ["--no-sandbox"] });
try {
  await ready();
  mkdirSync(out, { recursive: true });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", locale: "en" });
  context.setDefaultTimeout(240_000);
  const page = await context.newPage();
  const signIn = async (/** @type {string} */ username, /** @type {string} */ password) => {
    await page.locator("#username").fill(username);
    await page.locator("#password").fill(password);
    await page.keyboard.press("Enter");
  };
  // Failed and successful sign-ins give the charts data.
  const password = readFileSync(join(data, "initial-admin-password"), "utf8").trim();
  await page.goto(`${url}/`);
  await signIn("admin", password);
  await page.getByRole("button", { name: /demo realm/ }).click();
  await page.getByRole("link", { name: "Open the realm" }).waitFor();
  for (let attempt = 0; attempt < 6; attempt++) {
    const other = await browser.newContext();
    const login = await other.newPage();
    await login.goto(`${url}/realms/demo/login?return_to=/realms/demo/account/`);
    await login.locator("#username").fill(attempt % 3 === 0 ? "ada" : "admin");
    await login.locator("#password").fill(attempt % 3 === 0 ? "not hers" : password);
    await login.keyboard.press("Enter");
    await login.waitForLoadState();
    await other.close();
  }
  const painter = await (await browser.newContext()).newPage();
  /** Saves a picture, which Chromium converts to WebP. @param {string} name */
  const keep = async (name, of = page) => {
    const png = (await of.screenshot()).toString("base64");
    const packed = await painter.evaluate(async (data) => {
      const view = /** @type {any} */ (globalThis);
      const image = await view.createImageBitmap(await (await view.fetch(`data:image/png;base64,${data}`)).blob());
      const canvas = view.document.createElement("canvas");
      Object.assign(canvas, { width: image.width, height: image.height });
      canvas.getContext("2d").drawImage(image, 0, 0);
      return canvas.toDataURL("image/webp", 0.88).split(",")[1];
    }, png);
    writeFileSync(join(out, `${name}.webp`), Buffer.from(packed, "base64"));
  };
  const take = async (/** @type {string} */ name, /** @type {string} */ path, /** @type {string} */ shows) => {
    await page.goto(`${url}/console/realms/demo/${path}`);
    await page.locator("#main").getByText(shows).first().waitFor();
    await page.waitForFunction(() => !(/** @type {any} */ (globalThis).document.querySelector("#main [aria-busy]")));
    await keep(`console-${name}`);
  };
  // The server stores counts every few seconds.
  await sleep(11_000);
  await take("overview", "overview", "Sign-ins");
  await take("users", "users", "ada@initech.example");
  await page
    .getByRole("row", { name: /grace@initech/ })
    .getByText("Active")
    .click();
  await page.getByRole("dialog").getByLabel("Username").waitFor();
  await keep("console-user");
  await take("flow", "flows/browser?tab=diagram", "one is enough");
  await page.emulateMedia({ colorScheme: "dark" });
  await take("audit-log", "events", "ADMIN_CREATE");
  await page.emulateMedia({ colorScheme: "light" });
  const [client] = await (await page.request.get(`${url}/admin/realms/demo/clients?search=demo-app`)).json();
  await page.goto(`${url}/console/realms/demo/clients/${client.id}?tab=preview`);
  await page.getByRole("combobox", { name: "User" }).click();
  await page.getByRole("option", { name: /ada/ }).click();
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByLabel("Userinfo").waitFor();
  await keep("console-token-preview");

  // The brand is typed into the console, and its preview taken. Then it is saved, and the pages taken as visitors see them.
  /** @param {string} method @param {string} path @param {object} body */
  const send = async (method, path, body) => {
    const token = (await context.cookies()).find(({ name }) => name === "XSRF-TOKEN")?.value ?? "";
    const answer = await page.request.fetch(`${url}/admin/realms/demo${path}`, {
      method,
      headers: { "x-xsrf-token": decodeURIComponent(token) },
      data: body,
    });
    if (!answer.ok()) throw new Error(`${method} ${path}: ${await answer.text()}`);
  };
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${url}/console/realms/demo/branding`);
  const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96"><rect width="96" height="96" rx="22" fill="#0f766e"/><path d="M24 70V26l48 44V26" fill="none" stroke="#fff" stroke-width="9" stroke-linejoin="round" stroke-linecap="round"/></svg>`;
  await page
    .locator("input[type=file]")
    .first()
    .setInputFiles({ name: "logo.svg", mimeType: "image/svg+xml", buffer: Buffer.from(logo) });
  await page.getByLabel("Display name").fill("Northwind");
  await page.getByRole("textbox", { name: "Primary color", exact: true }).fill("#0f766e");
  await page.getByRole("textbox", { name: "Background color", exact: true }).fill("#ecfdf5");
  await page.getByLabel("Welcome text", { exact: true }).fill("Sign in to order, to pay and to see your parcels.");
  await page.frameLocator("iframe[title='Preview of the sign-in page']").getByText("see your parcels").waitFor();
  await page.evaluate("scrollTo(0, 0)");
  await sleep(1_000);
  await keep("console-branding");
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByText("Saved").first().waitFor();
  const secret = "a password for the pictures";
  await send("POST", "/users", {
    username: "mary",
    email: "mary@northwind.example",
    emailVerified: true,
    password: secret,
    attributes: { firstName: "Mary", lastName: "Somerville" },
  });
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    const visitor = await browser.newContext({ viewport: { width: 800, height: 620 }, locale: "en", reducedMotion: "reduce", colorScheme });
    const people = await visitor.newPage();
    await people.goto(`${url}/realms/demo/login?return_to=/realms/demo/account/`);
    await keep(colorScheme === "light" ? "sign-in-brand" : "sign-in-brand-dark", people);
    await people.setViewportSize({ width: 1280, height: 800 });
    await people.locator("#username").fill("mary");
    await people.locator("#password").fill(secret);
    await people.keyboard.press("Enter");
    await people.locator("main h1").waitFor();
    await keep(colorScheme === "light" ? "account" : "account-dark", people);
    if (colorScheme === "light") {
      await people.goto(`${url}/realms/demo/account/pages/security`);
      await keep("account-security", people);
    }
    await visitor.close();
  }
  const phone = await (
    await browser.newContext({ viewport: { width: 390, height: 844 }, locale: "nl", reducedMotion: "reduce" })
  ).newPage();
  await phone.goto(`${url}/realms/demo/login`);
  await keep("sign-in-phone", phone);
} finally {
  await browser.close();
  server.kill();
  rmSync(data, { recursive: true, force: true, maxRetries: 3 });
}
