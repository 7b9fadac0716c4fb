import { existsSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packageFile } from "../../kernel/package.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam.close());

const isBuilt = () => existsSync(packageFile("dist/console/.built-from"));

test("serves one page for every address below /console/, with a policy that allows nothing inline and nothing from elsewhere", async () => {
  const browser = iam.browser();
  expect(await browser.get("/console")).toMatchObject({ status: 308, headers: { location: "/console/" } });
  for (const path of ["/console/", "/console/realms/master/users", "/console/anything/at/all"]) {
    const page = await browser.get(path);
    expect(page.status, path).toBe(isBuilt() ? 200 : 503);
    const policy = String(page.headers["content-security-policy"]);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[\w+/]{24}';/);
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(page.headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
  }
});

test("says so where the console is not built, and serves its assets for good where it is", async () => {
  const browser = iam.browser();
  const page = await browser.get("/console/");
  if (!isBuilt()) {
    expect(page).toMatchObject({ status: 503, headers: { "retry-after": "5", refresh: "5" } });
    expect(page.text).toContain("/interactive-docs.html");
    return;
  }
  const script = /src="(\/console\/assets\/[^"]+[.]js)"/.exec(page.text)![1]!;
  const plain = await browser.get(script);
  expect(plain).toMatchObject({
    status: 200,
    headers: { "cache-control": "public, max-age=31536000, immutable", vary: "accept-encoding" },
  });
  const compressed = await browser.get(script, { headers: { "accept-encoding": "gzip, br" } });
  expect(compressed).toMatchObject({ status: 200, headers: { "content-encoding": "br" } });
  expect(page.text).not.toContain("__CSP_NONCE__");
});

test("serves files of the build alone", async () => {
  const browser = iam.browser();
  for (const name of ["..%2Findex.html", "..%2F..%2Fmain.js", "%2e%2e%2fmain.js", "nothing.js", ".built-from", "constructor"])
    expect((await browser.get(`/console/assets/${name}`)).status, name).toBe(404);
});

test("tells the caller who it is, in the realm and from master", async () => {
  const realm = await iam.realm();
  const auditor = await realm.as("view-users", "view-events");
  expect(await auditor.get("/whoami")).toMatchObject({
    status: 200,
    body: { realmId: realm.name, permissions: ["view-events", "view-users"], displayName: null },
  });
  expect(await realm.asMaster().get("/whoami")).toMatchObject({
    status: 200,
    body: { username: "admin", realmId: "master", permissions: ["realm-admin"] },
  });
  expect((await iam.browser().get(`/admin/realms/${realm.name}/whoami`)).status).toBe(401);

  const sendsMail = async () => (await auditor.get("/whoami")).body.sendsMail;
  expect(await sendsMail()).toBe(false);
  const provider = { channel: "EMAIL", driver: "smtp", fromAddress: "a@example.com", config: { host: "smtp.example.com", port: 587 } };
  expect((await realm.asMaster().put("/messaging/providers", provider)).status).toBe(201);
  expect(await sendsMail()).toBe(true);
});
