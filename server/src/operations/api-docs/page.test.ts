import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Answer } from "../../testing/browser.ts";
import { type Harness, harness, MASTER_PASSWORD } from "../../testing/harness.ts";

let iam: Harness;
beforeAll(async () => {
  iam = await harness();
});
afterAll(() => iam.close());

const PAGE = "/interactive-docs.html";
const SIGN_IN = "/realms/master/login?return_to=%2Finteractive-docs.html";

async function signedIn() {
  const browser = iam.browser();
  await browser.signIn("master", "admin", MASTER_PASSWORD);
  return browser;
}

test("asks an anonymous caller to sign in, and redirects back", async () => {
  const browser = iam.browser();
  const page = await browser.get(PAGE);
  expect(page.status).toBe(200);
  expect(page.text).toContain("Not signed in to <b>master</b>");
  expect(page.text).toContain(`href="${SIGN_IN.replaceAll("&", "&amp;")}"`);
  const login = await browser.trySignIn("master", "admin", MASTER_PASSWORD, { return_to: PAGE });
  expect(login).toMatchObject({ status: 303, headers: { location: PAGE } });
  expect((await browser.get(PAGE)).text).toContain("Signed in to <b>master</b> as <b>admin</b>");
});

test("shows the requested realm, and master for an unknown one", async () => {
  const realm = await iam.realm();
  const { browser } = await realm.admin();
  const own = await browser.get(`${PAGE}?realm=${realm.name}`);
  expect(own.text).toContain(`Signed in to <b>${realm.name}</b> as <b>admin</b>`);
  expect(own.text).toContain(`data-realm="${realm.name}"`);
  expect((await browser.get(`${PAGE}?realm=nowhere`)).text).toContain("Not signed in to <b>master</b>");
  const outsider = await iam.browser().get(`${PAGE}?realm=${realm.name}`);
  expect(outsider.text).toContain(`/realms/${realm.name}/login?return_to=${encodeURIComponent(`${PAGE}?realm=${realm.name}`)}`);
});

test("leaves a CSRF token with which the next write is accepted", async () => {
  const browser = await signedIn();
  browser.cookies.set("XSRF-TOKEN", "stale");
  const before = await browser.post("/admin/realms/master/users", { username: "too-early" });
  expect(before.status).toBe(403);
  await browser.get(PAGE);
  const after = await browser.post("/admin/realms/master/users", { username: "in-time" });
  expect(after.status).toBe(201);
  const settled = await browser.get(PAGE);
  expect(settled.headers["set-cookie"]).toBeUndefined();
});

test("allows nothing inline and nothing from elsewhere", async () => {
  const page = await iam.browser().get(PAGE);
  const policy = String(page.headers["content-security-policy"]);
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  expect(page.headers).toMatchObject({
    "cache-control": "no-store",
    "x-frame-options": "DENY",
    "content-type": "text/html; charset=utf-8",
  });
  expect(page.text).not.toMatch(/<style|style="|<script(?![^>]* src=)| on\w+=/);
  expect(page.text).not.toMatch(/(src|href)="(https?:)?\/\//);
});

test("serves what the page loads, for good, under names that change with the content", async () => {
  const browser = iam.browser();
  const links = [...(await browser.get(`${PAGE}?tag=Users`)).text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(
    ([, link]) => link as string,
  );
  expect(links.map((link) => link.split("/").at(-1)).sort()).toEqual(["page.css", "page.js", "swagger-ui-bundle.js", "swagger-ui.css"]);
  for (const link of links) {
    const asset: Answer = await browser.get(link);
    const type = link.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8";
    expect(asset).toMatchObject({ status: 200, headers: { "content-type": type, "cache-control": "public, max-age=31536000, immutable" } });
    expect(asset.text.length).toBeGreaterThan(500);
    expect(asset.headers["content-encoding"]).toBeUndefined();
    const packed = await browser.get(link, { headers: { "accept-encoding": "gzip, br" } });
    expect(packed.headers).toMatchObject({ "content-encoding": "gzip", vary: "accept-encoding" });
    expect(Number(packed.headers["content-length"])).toBeLessThan(asset.text.length / 1.5);
    expect((await browser.get(link, { headers: { "accept-encoding": "gzip;q=0" } })).headers["content-encoding"]).toBeUndefined();
  }
  const [, name] = links[0]!.split(/\/(?=[^/]+$)/);
  for (const wrong of [
    `/assets/api-docs/AAAAAAAAAAAAAAAA/${name}`,
    "/assets/api-docs/x/..%2f..%2fpackage.json",
    "/assets/api-docs/x/__proto__",
  ])
    expect((await browser.get(wrong)).status, wrong).toBe(404);
});

test("lists the parts of the API without loading them; a part is a description of its own, compressed and known by its ETag", async () => {
  const browser = iam.browser();
  const page = await browser.get(PAGE);
  expect(page.text).toContain(`href="${PAGE}?tag=Users"`);
  expect(page.text).not.toContain("<script");
  expect((await browser.get(`${PAGE}?tag=Users`)).text).toContain("Loading the operations of Users");
  const [whole, part] = [await browser.get("/v3/api-docs"), await browser.get("/v3/api-docs?tag=Users")];
  expect(part.text.length).toBeLessThan(whole.text.length / 4);
  const used = JSON.stringify(part.body).matchAll(/"#\/components\/(\w+)\/(\w+)"/g);
  for (const [, kind, name] of used)
    expect(part.body.components[kind!]?.[name!], `${kind}/${name}`).toEqual(whole.body.components[kind!][name!]);
  const path = "/admin/realms/{realm}/users";
  expect(part.body.paths[path]).toEqual(whole.body.paths[path]);
  expect(Object.keys(part.body.paths)).not.toContain("/admin/realms/{realm}/clients");
  const packed = await iam.server.app.inject({ url: "/v3/api-docs?tag=Users", headers: { "accept-encoding": "gzip" } });
  expect(packed.headers).toMatchObject({ "content-encoding": "gzip", etag: part.headers.etag, vary: "accept-encoding" });
  expect(packed.rawPayload.length).toBeLessThan(part.text.length / 5);
  expect(gunzipSync(packed.rawPayload).toString()).toBe(part.text);
  expect(await browser.get("/v3/api-docs?tag=Users", { headers: { "if-none-match": String(part.headers.etag) } })).toMatchObject({
    ...{ status: 304, text: "" },
  });
  expect((await browser.get("/v3/api-docs?tag=nothing")).status).toBe(400);
});

test("redirects the root to the sign-in page, and signed-in users to the page", async () => {
  const signIn = "/realms/master/login?return_to=%2Fconsole%2F";
  expect(await iam.browser().get("/")).toMatchObject({ status: 303, headers: { location: signIn, "cache-control": "no-store" } });
  const browser = await signedIn();
  expect(await browser.get("/")).toMatchObject({ status: 303, headers: { location: "/console/" } });
  const realm = await iam.realm();
  const { browser: elsewhere } = await realm.admin();
  expect((await elsewhere.get("/")).headers.location).toBe(signIn);
});

test("keeps search engines out, and has an icon", async () => {
  const browser = iam.browser();
  expect((await browser.get("/robots.txt")).text).toBe("User-agent: *\nDisallow: /\n");
  for (const path of ["/favicon.ico", "/favicon.svg"]) {
    const icon = await browser.get(path);
    expect(icon).toMatchObject({ status: 200, headers: { "content-type": "image/svg+xml" } });
    expect(icon.text).toMatch(/^<svg /);
  }
});
