import { afterAll, beforeAll, expect, test } from "vitest";
import type { Answer, Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { CALLBACK, fieldOf, leadsTo, relyingParty, walk } from "../../testing/relying-party.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

/** Returns the headers by which browsers tell the origin of a request. */
const fetched = (site: string, dest = "document") => ({ "sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": dest });
const OURS = fetched("same-origin");

/** Takes a user to a consent page. */
async function atConsent(redirectUri = CALLBACK) {
  const realm = await iam.realm();
  const user = await realm.user();
  const kind = redirectUri.startsWith("https:") ? {} : { applicationType: "native" };
  const members = { ...kind, consentRequired: true, redirectUris: [redirectUri], postLogoutRedirectUris: [redirectUri] };
  const party = await relyingParty(iam, realm, members);
  const browser = iam.browser();
  await browser.signIn(realm.name, user.username, user.password);
  const { page } = await walk(browser, iam.config.baseUrl, party.url({ redirect_uri: redirectUri }));
  expect(page.text).toContain("Allow");
  return { realm, user, party, browser, page };
}

async function decide(browser: Browser, page: Answer, headers: Record<string, string>): Promise<Answer> {
  const action = /<form class="gh-form"[^>]* action="([^"]+)"/.exec(page.text)![1]!;
  const form = { _csrf: fieldOf(page, "_csrf"), decision: "allow" };
  const answer = await browser.request("POST", action, { form, csrf: false, headers });
  expect([answer.status, String(answer.headers.location).startsWith("/")], "on within this server").toEqual([303, true]);
  return browser.get(String(answer.headers.location), { headers });
}

test("after a form of ours a page goes to the client, instead of a redirect", async () => {
  const { realm, party, browser, page } = await atConsent();
  const left = await decide(browser, page, OURS);
  expect([left.status, left.headers.location]).toEqual([200, undefined]);
  expect(left.headers).toMatchObject({ "cache-control": "no-store", "referrer-policy": "no-referrer", "x-frame-options": "DENY" });
  expect(left.headers["content-security-policy"]).toContain("form-action 'self';");
  const to = new URL(leadsTo(left)!);
  expect(to.href).toMatch(`${CALLBACK}?code=`);
  expect(left.text, "for browsers that do not go by themselves").toContain(`href="${to.href.replaceAll("&", "&amp;")}"`);
  expect((await party.exchange(to)).status).toBe(200);

  // The same request needs no consent any more, so the response depends on the origin of the request.
  const again = (headers: Record<string, string>) => browser.get(party.url(), { headers });
  expect(await again(OURS)).toMatchObject({ status: 200 });
  for (const headers of [{}, fetched("cross-site"), fetched("same-origin", "iframe"), { "upgrade-insecure-requests": "1" }])
    expect(await again(headers), JSON.stringify(headers)).toMatchObject({ status: 303 });

  const out = { client_id: party.clientId, post_logout_redirect_uri: CALLBACK, _csrf: browser.cookies.get("XSRF-TOKEN")! };
  const signedOut = await browser.request("POST", `/realms/${realm.name}/logout`, { form: out, csrf: false });
  expect([signedOut.status, signedOut.headers.location, leadsTo(signedOut)], "whoever sent it").toEqual([200, undefined, CALLBACK]);
});

test("a browser without fetch metadata, by plain http, gets the page as well; a program gets the redirect", async () => {
  const plain = await atConsent();
  const left = await decide(plain.browser, plain.page, { "upgrade-insecure-requests": "1" });
  expect([left.status, leadsTo(left)]).toEqual([200, expect.stringContaining(`${CALLBACK}?code=`)]);
  const program = await atConsent();
  expect((await decide(program.browser, program.page, {})).headers.location).toContain(`${CALLBACK}?code=`);
});

test("an app with a scheme of its own is called back by a redirect, and the policy of the page names its scheme", async () => {
  const { browser, page } = await atConsent("com.example.app:/cb");
  expect(page.headers["content-security-policy"]).toContain("form-action 'self' com.example.app:;");
  const left = await decide(browser, page, OURS);
  expect([left.status, left.headers.location]).toEqual([303, expect.stringContaining("com.example.app:/cb?code=")]);
});
