import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { type Party, relyingParty, walk } from "../../testing/relying-party.ts";

// The plan oidcc-frontchannel-rp-initiated-logout-certification. test/journeys/front-channel-logout.test.ts tests the page in a browser.

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const BYE = "https://app.example/bye";
const framed = {
  frontchannelLogoutUri: "https://app.example/out?x=1",
  frontchannelLogoutSessionRequired: true,
  postLogoutRedirectUris: [BYE],
};
const framesOf = ({ text }: Answer) => [...text.matchAll(/<iframe src="([^"]+)"/g)].map(([, src]) => src!.replaceAll("&amp;", "&"));
const cspOf = ({ headers }: Answer) => String(headers["content-security-policy"]);
const logout = (realm: RealmUnderTest, query: Record<string, string>) => `/realms/${realm.name}/logout?${new URLSearchParams(query)}`;

async function signedIn(members: Record<string, unknown> = framed) {
  const realm = await iam.realm();
  const party: Party = await relyingParty(iam, realm, members);
  const browser = iam.browser();
  const { body } = await party.signIn(browser, await realm.user());
  return { realm, party, browser, idToken: body.id_token as string, sid: String(decodeJwt(body.id_token).sid) };
}

describe("front-channel logout", () => {
  test("discovery announces it", async () => {
    const realm = await iam.realm();
    const { body } = await iam.browser().get(`/realms/${realm.name}/.well-known/openid-configuration`);
    expect(body).toMatchObject({ frontchannel_logout_supported: true, frontchannel_logout_session_supported: true });
  });

  test("oidcc-frontchannel-rp-initiated-logout: a frame with iss and sid, its origin in the policy, and then back to the client", async () => {
    const { realm, browser, idToken, sid } = await signedIn();
    const page = await browser.get(logout(realm, { id_token_hint: idToken, post_logout_redirect_uri: BYE, state: "s" }));
    expect(page.status).toBe(200);
    const issuer = `${iam.config.baseUrl}/realms/${realm.name}`;
    expect(framesOf(page)).toEqual([`https://app.example/out?${new URLSearchParams({ x: "1", iss: issuer, sid })}`]);
    expect(page.text).toContain(`data-next="${BYE}?state=s"`);
    expect(page.text).toContain(`href="${BYE}?state=s"`);
    expect(cspOf(page)).toContain("frame-src https://app.example;");
    expect(cspOf(page), "no site may frame this page").toContain("frame-ancestors 'none'");
    expect(page.headers["x-frame-options"]).toBe("DENY");
    // Without allow-top-navigation a frame can neither navigate the page nor open another one.
    expect(/sandbox="([^"]*)"/.exec(page.text)?.[1]).toBe("allow-scripts allow-same-origin");
    expect((await browser.get(`/realms/${realm.name}/login`)).text, "signed out here already").toContain('name="password"');
  });

  test("by the form of the page, without a client; and without iss and sid where the client does not require them", async () => {
    const { realm, browser } = await signedIn({ ...framed, frontchannelLogoutSessionRequired: false });
    const requested = await browser.get(`/realms/${realm.name}/logout`);
    expect(framesOf(requested), "nothing before the user has said so").toEqual([]);
    expect(cspOf(requested)).not.toContain("frame-src");
    const _csrf = /name="_csrf" value="([^"]+)"/.exec(requested.text)![1]!;
    const page = await browser.request("POST", `/realms/${realm.name}/logout`, { form: { _csrf }, csrf: false });
    expect([page.status, framesOf(page)]).toEqual([200, ["https://app.example/out?x=1"]]);
    expect(page.text).toContain(`data-next="/realms/${realm.name}/login?signed_out=1"`);
  });

  test("only those who took part in this session, that are enabled and ask for it", async () => {
    const { realm, browser, idToken } = await signedIn();
    const make = (clientId: string, members: object) =>
      relyingParty(iam, realm, { clientId, redirectUris: [`https://${clientId}.example/cb`], ...members });
    const at = (name: string) => ({ frontchannelLogoutUri: `https://${name}.example/out` });
    const elsewhere = await make("elsewhere", at("elsewhere"));
    const disabled = await make("disabled", at("disabled"));
    const plain = await make("plain", {});
    for (const { clientId, url } of [disabled, plain])
      await walk(browser, iam.config.baseUrl, url({ redirect_uri: `https://${clientId}.example/cb` }));
    const { body } = await realm.asMaster().get(`/clients/${disabled.id}`);
    await realm.asMaster().put(`/clients/${disabled.id}`, { ...body, enabled: false });
    expect(elsewhere.clientId).toBe("elsewhere");
    const page = await browser.get(logout(realm, { id_token_hint: idToken }));
    expect(framesOf(page).map((url) => new URL(url).host)).toEqual(["app.example"]);
    const again = await browser.get(logout(realm, { id_token_hint: idToken }));
    expect(framesOf(again), "once").toEqual([]);
  });

  test("an address elsewhere than the redirect URIs, without https or with a script in it is refused", async () => {
    const realm = await iam.realm();
    const make = (frontchannelLogoutUri: string) =>
      realm.asMaster().post("/clients", { clientId: "x", redirectUris: ["https://app.example/cb"], frontchannelLogoutUri });
    for (const uri of [
      "https://evil.example/out",
      "https://app.example:8443/out",
      "http://app.example/out",
      "javascript:alert(1)",
      "https://*.example/",
    ])
      expect((await make(uri)).body.errors, uri).toMatchObject([{ field: "frontchannelLogoutUri" }]);
    expect((await make("https://app.example/out")).status).toBe(201);
  });

  test("a client's name is text in the page", async () => {
    const { realm, browser, idToken } = await signedIn({ ...framed, name: `<img src=x onerror="alert(1)">` });
    const page = await browser.get(logout(realm, { id_token_hint: idToken }));
    expect(page.text).toContain("&lt;img");
    expect(page.text).not.toContain("<img src=x");
  });
});
