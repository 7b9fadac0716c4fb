import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noBrowser, personIn } from "./browser.ts";
import { startSmallProvider } from "./saml/small-provider.ts";
import { heading, press, type Stage, setStage, typePassword } from "./signing-in.ts";
import { html, type Site, startSite } from "./site.ts";
import { must } from "./visitor.ts";

const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

describe.skipIf(noBrowser)("a browser leaves our pages for a site that sends it on to a third (needs Chromium):", () => {
  let stage: Stage;
  let third: Site;
  /** Applications and a provider. Each of its addresses leads on to the third site. */
  let site: Site;
  const referers: string[] = [];
  beforeAll(async () => {
    stage = await setStage();
    third = await startSite(({ url }) => html(`<h1>At ${new URL(url).pathname.slice(1)}</h1>`));
    site = await startSite(({ url, headers }) => {
      const { pathname } = new URL(url);
      referers.push(headers.get("referer") ?? "");
      if (pathname !== "/.well-known/openid-configuration")
        return new Response(null, { status: 303, headers: { location: third.url + pathname } });
      const endpoints = {
        authorization_endpoint: `${site.url}/provider`,
        token_endpoint: `${site.url}/token`,
        jwks_uri: `${site.url}/keys`,
      };
      return Response.json({ issuer: site.url, ...endpoints, response_types_supported: ["code"], subject_types_supported: ["public"] });
    });
  });
  afterAll(async () => {
    await site?.close();
    await third?.close();
    await stage?.close();
  });

  const issuerOf = (realm: string) => `${stage.url}/realms/${realm}`;
  const authorize = (realm: string, clientId: string) =>
    `${issuerOf(realm)}/authorize?${new URLSearchParams({
      ...{ client_id: clientId, redirect_uri: `${site.url}/${clientId}`, response_type: "code", scope: "openid" },
      ...{ code_challenge: CHALLENGE, code_challenge_method: "S256" },
    })}`;
  const newClient = async (realm: string, clientId: string, more: object = {}) => {
    const addresses = { redirectUris: [`${site.url}/${clientId}`], postLogoutRedirectUris: [`${site.url}/bye`] };
    must(await stage.admin.post(`/admin/realms/${realm}/clients`, { clientId, publicClient: true, ...addresses, ...more }), 201);
  };
  const newProvider = async (realm: string, alias: string, config: object) => {
    const body = { alias, protocol: "oidc", displayName: alias, config: { clientAuthMethod: "none", ...config } };
    must(await stage.admin.post(`/admin/realms/${realm}/identity-providers`, body), 201);
  };

  for (const javaScriptEnabled of [true, false])
    test(`after signing in, consent, signing out, by SAML, from a device and over providers${javaScriptEnabled ? "" : ", without scripts"}`, async () => {
      const realm = await stage.newRealm(`leaving-${javaScriptEnabled ? "scripts" : "plain"}`);
      await stage.newUser(realm, "ada");
      await newClient(realm, "shop");
      await newClient(realm, "asking", { consentRequired: true });
      await newClient(realm, "tv", { grantTypes: ["device"] });
      await newProvider(realm, "elsewhere", { issuer: site.url, clientId: "gatehouse", domains: ["elsewhere.example"], hideOnLogin: true });
      const saml = {
        entityId: `${site.url}/saml`,
        assertionConsumerServiceUrl: `${site.url}/artifact`,
        options: {
          ...{ acsEndpoints: [{ url: `${site.url}/artifact`, binding: "artifact", index: 0, isDefault: true }] },
          ...{ idpInitiatedSsoEnabled: true, wantAuthnRequestsSigned: false },
        },
      };
      must(await stage.admin.post(`/admin/realms/${realm}/saml-clients`, saml), 201);
      const library = await startSmallProvider({ admin: stage.admin, issuer: issuerOf(realm), name: "Library" });

      const ada = await personIn(stage.browser, { locale: "en-GB", javaScriptEnabled });
      const page = await ada.tab();
      const signOut = async (client: string, arrives: (page: Page) => Promise<unknown>) => {
        const to = new URLSearchParams({ client_id: client, post_logout_redirect_uri: `${site.url}/bye` });
        await page.goto(`${issuerOf(realm)}/logout?${to}`);
        await press(page, "Sign out");
        await arrives(page);
      };
      const gone = () => heading(page, "At bye");

      await page.goto(authorize(realm, "shop"));
      await typePassword(page, "ada");
      await heading(page, "At shop");
      await signOut("shop", gone);

      await page.goto(authorize(realm, "asking"));
      await typePassword(page, "ada");
      await page.locator('button[value="allow"]').click();
      await heading(page, "At asking");

      await signOut("shop", gone);
      await page.goto(`${issuerOf(realm)}/saml/idp/start/${encodeURIComponent(saml.entityId)}`);
      await typePassword(page, "ada");
      await heading(page, "At artifact");
      await page.goto(`${library.url}/login`);
      if (!javaScriptEnabled) await press(page, "Continue");
      await heading(page, "In at Library");
      await signOut("shop", async () => {
        if (!javaScriptEnabled) await page.getByRole("link", { name: "Sign out of Library" }).click();
        await gone();
      });
      expect(library.asked).toBe(1);
      await library.close();

      const device = { client_id: "tv", scope: "openid" };
      const begun = await stage.server.visitor().request("POST", `/realms/${realm}/device/authorize`, { form: device });
      await page.goto(must(begun, 200).verification_uri_complete);
      await typePassword(page, "ada@elsewhere.example", "not looked at");
      await heading(page, "At provider");

      // An application, the realm where it signs in, and the realm where that one's people sign in.
      const outer = await stage.newRealm(`${realm}-outer`);
      await newClient(outer, "market");
      await newProvider(outer, "inner", { issuer: issuerOf(realm), clientId: "outer", trustEmail: true });
      await newClient(realm, "outer", { redirectUris: [`${issuerOf(outer)}/broker/inner/endpoint`] });
      await page.goto(authorize(outer, "market"));
      await page.getByRole("link", { name: "Continue with inner" }).click();
      await typePassword(page, "ada");
      await heading(page, "Complete your profile");
      await page.getByLabel("First name").fill("Ada");
      await page.getByLabel("Last name").fill("Lovelace");
      await page.locator("#gh-step button.gh-button--primary").click();
      await heading(page, "At market");
      // A session of both: nothing is asked.
      await ada.context.clearCookies({ name: `gh_${outer}` });
      await page.goto(authorize(outer, "market"));
      await page.getByRole("link", { name: /Continue with inner/ }).click();
      await heading(page, "At market");
      expect(new Set(referers)).toEqual(new Set([""]));
      await ada.close();
      expect(stage.server.out() + stage.server.err(), "nothing was answered twice").not.toContain("FST_ERR_REP_ALREADY_SENT");
    });

  test("the number on an error page is found in the log, with the reason; the page names the client that was asked for", async () => {
    const realm = await stage.newRealm("leaving-errors");
    const visitor = stage.server.visitor();
    const sent = new URLSearchParams({ client_id: "<b>nobody</b>", post_logout_redirect_uri: site.url });
    for (const [path, reason] of [
      [`authorize?${sent}`, "client is invalid: "],
      [`logout?${sent}`, "The client_id names no client of this realm: "],
      [`login?lang=${"x".repeat(99)}`, null],
    ] as const) {
      const { status, text } = await visitor.get(`/realms/${realm}/${path}`);
      expect(status, text).toBe(400);
      if (reason !== null) expect(text).toContain(`${reason}&lt;b>nobody&lt;/b>`);
      const number = /Request number: <code>([^<]+)/.exec(text)![1]!;
      await expect.poll(() => stage.server.out()).toContain(number);
      const line = stage.server
        .out()
        .split("\n")
        .find((each) => each.includes(number));
      expect(JSON.parse(line!)).toMatchObject({ requestId: number, realm, reason: expect.stringContaining(reason ?? "lang") });
    }
  });
});
