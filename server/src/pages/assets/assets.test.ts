import { afterAll, beforeAll, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { assetHref } from "./files.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

test("a script is served as it is, to be kept for good under the address of its version", async () => {
  const browser = iam.browser();
  const kept = await browser.get(assetHref("passkey.js"));
  expect(kept).toMatchObject({
    status: 200,
    headers: {
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
    },
    text: expect.stringContaining("navigator.credentials"),
  });
  const { etag } = kept.headers;
  expect(etag).toMatch(/^"[\w-]{16}"$/);
  const same = await browser.get("/assets/passkey.js", { headers: { "if-none-match": `"older", W/${etag}` } });
  expect([same.status, same.text]).toEqual([304, ""]);
  for (const address of ["/assets/passkey.js", "/assets/passkey.js?v=older"])
    expect((await browser.get(address)).headers["cache-control"]).toBe("public, max-age=300");
});

test("pages send their forms once", async () => {
  const realm = await iam.realm();
  const { browser } = await realm.admin();
  for (const path of ["login", "device", "logout", "account/"]) {
    const page = await browser.get(`/realms/${realm.name}/${path}`);
    const nonce = /'nonce-([^']+)'/.exec(String(page.headers["content-security-policy"]))?.[1];
    expect(page.text, path).toContain('<form class="gh-');
    expect(page.text, path).toContain(`<script src="${assetHref("forms.js")}" nonce="${nonce}" defer>`);
  }
});

test.each(["none.js", "passkey-script.js", "constructor", "__proto__", "..%2Fapp.ts", "%2e%2e%2fpackage.json"])(
  "%s is not there",
  async (name) => {
    expect((await iam.browser().get(`/assets/${name}`)).status).toBe(404);
  },
);
