// The libraries and programs that people put in front of an issuer, as they are, against the whole server.
import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Auth } from "@auth/core";
import * as oauth from "oauth4webapi";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apacheSite, noApache } from "./apache.ts";
import { examine, expectAccessible, noBrowser, personIn, sharedBrowser } from "./browser.ts";
import { type ServerProcess, sharedServer } from "./process.ts";
import { html, type Site, startSite } from "./site.ts";
import { type Answer, must, Visitor } from "./visitor.ts";

const NAME = "relying-parties";
const REALM = `/admin/realms/${NAME}`;
const ADA = { username: "ada", password: "a password for relying parties", email: "ada@example.com" };

let server: ServerProcess;
let admin: Visitor;
let url: string;
let issuer: string;
let userId: string;

beforeAll(async () => {
  server = await sharedServer();
  url = `http://localhost:${server.port}`;
  issuer = `${url}/realms/${NAME}`;
  admin = await server.admin();
  must(await admin.post("/admin/realms", { realm: NAME }), 201);
  const { username, email, password } = ADA;
  const attributes = { firstName: ["Ada"], lastName: ["Lovelace"] };
  ({ userId } = must(await admin.post(`${REALM}/users`, { username, email, attributes }), 201));
  must(await admin.put(`${REALM}/users/${userId}/password`, { newPassword: password }), 204);
});

const register = async (client: Record<string, unknown>) => must(await admin.post(`${REALM}/clients`, client), 201);

describe("oauth4webapi", () => {
  const insecure = { [oauth.allowInsecureRequests]: true };
  const CALLBACK = "http://localhost/callback";

  /** Signs in by the pages, and answers where they lead out to. */
  const authorize = async (address: URL): Promise<URL> => {
    const visitor = new Visitor(url);
    const walk = async (answer: Answer): Promise<Answer> => {
      const to = answer.headers.location as string | undefined;
      return to === undefined || to.startsWith(CALLBACK) ? answer : walk(await visitor.get(to));
    };
    const page = await walk(await visitor.get(address.href));
    // Beside it there may be forms for other ways.
    const [, action, inner = ""] = /<form class="gh-form"[^>]* action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/.exec(page.text) ?? [];
    const hidden = [...inner.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]);
    const { username, password } = ADA;
    const form = { ...Object.fromEntries(hidden), username, password };
    const left = await walk(await visitor.request("POST", action!.replaceAll("&amp;", "&"), { form }));
    return new URL(left.headers.location as string);
  };

  test("with its own key: PKCE, DPoP, introspection, refreshing, revocation, and a program that acts in its own name", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    await register({
      clientId: "program",
      authMethod: "private_key_jwt",
      jwks: { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "first", alg: "ES256", use: "sig" }] },
      grantTypes: ["authorization_code", "refresh_token", "client_credentials"],
      redirectUris: [CALLBACK],
      requireDpop: true,
    });
    const key = await crypto.subtle.importKey("jwk", privateKey.export({ format: "jwk" }), { name: "ECDSA", namedCurve: "P-256" }, false, [
      "sign",
    ]);
    const client: oauth.Client = { client_id: "program" };
    const proof = oauth.PrivateKeyJwt({ key, kid: "first" });
    const DPoP = oauth.DPoP(client, await oauth.generateKeyPair("ES256"));
    const bound = { DPoP, ...insecure };

    const as = await oauth.processDiscoveryResponse(new URL(issuer), await oauth.discoveryRequest(new URL(issuer), insecure));
    const verifier = oauth.generateRandomCodeVerifier();
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
    const address = new URL(as.authorization_endpoint!);
    address.search = new URLSearchParams({
      ...{ client_id: "program", redirect_uri: CALLBACK, response_type: "code", scope: "openid profile email", state, nonce },
      ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256" },
    }).toString();
    const answered = oauth.validateAuthResponse(as, client, await authorize(address), state);
    const codeAnswer = await oauth.authorizationCodeGrantRequest(as, client, proof, answered, CALLBACK, verifier, bound);
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, codeAnswer, { expectedNonce: nonce, requireIdToken: true });
    expect(tokens.token_type).toBe("dpop");
    expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ iss: issuer, sub: userId });

    const userinfo = await oauth.userInfoRequest(as, client, tokens.access_token, bound);
    expect(await oauth.processUserInfoResponse(as, client, userId, userinfo)).toMatchObject({
      email: ADA.email,
      preferred_username: "ada",
    });
    // The token alone is worth nothing.
    const stolen = { headers: { authorization: `Bearer ${tokens.access_token}` } };
    expect((await fetch(as.userinfo_endpoint!, stolen)).status).toBe(401);

    const introspect = async (token: string) =>
      oauth.processIntrospectionResponse(as, client, await oauth.introspectionRequest(as, client, proof, token, insecure));
    expect(await introspect(tokens.access_token)).toMatchObject({ active: true, client_id: "program", sub: userId, token_type: "DPoP" });

    const refreshAnswer = await oauth.refreshTokenGrantRequest(as, client, proof, tokens.refresh_token!, bound);
    const fresh = await oauth.processRefreshTokenResponse(as, client, refreshAnswer);
    expect(fresh.refresh_token).not.toBe(tokens.refresh_token);

    await oauth.processRevocationResponse(await oauth.revocationRequest(as, client, proof, fresh.refresh_token!, insecure));
    expect(await introspect(fresh.access_token)).toEqual({ active: false });
    const dead = await oauth.refreshTokenGrantRequest(as, client, proof, fresh.refresh_token!, bound);
    await expect(oauth.processRefreshTokenResponse(as, client, dead)).rejects.toMatchObject({ error: "invalid_grant" });

    const own = await oauth.clientCredentialsGrantRequest(as, client, proof, new URLSearchParams(), bound);
    const itself = await oauth.processClientCredentialsResponse(as, client, own);
    expect(await introspect(itself.access_token)).toMatchObject({ active: true, client_id: "program" });
  });
});

describe.skipIf(noBrowser)("in a browser (needs Chromium):", () => {
  let browser: Browser;
  const sites: Site[] = [];

  beforeAll(async () => {
    browser = await sharedBrowser();
  });
  afterAll(() => Promise.all(sites.map((site) => site.close())));

  const open = async (answer: Parameters<typeof startSite>[0]): Promise<Site> => {
    const site = await startSite(answer);
    sites.push(site);
    return site;
  };
  const signIn = async (page: Page) => {
    await page.locator("#username").fill(ADA.username);
    await page.locator("#password").fill(ADA.password);
    await page.locator('main form.gh-form button[type="submit"]').click();
  };
  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

  test("oidc-client-ts: consent, tokens and userinfo across origins, renewed by a refresh token and in a frame, and out again", async () => {
    const library = readFileSync(
      createRequire(import.meta.url)
        .resolve("oidc-client-ts")
        .replace(/umd.*$/, "browser/oidc-client-ts.min.js"),
      "utf8",
    );
    const page = (clientId: string, script: string) =>
      html(`<title>Tasks</title><script src="/library.js"></script>
        <button id="in">In</button> <button id="renew">Renew</button> <button id="out">Out</button> <output></output>
        <script type="module">
          const here = location.origin + "/${clientId}";
          const manager = new oidc.UserManager({
            authority: "${issuer}", client_id: "${clientId}", scope: "openid profile email", loadUserInfo: true,
            redirect_uri: here + "/callback", silent_redirect_uri: here + "/silent", post_logout_redirect_uri: here + "/bye",
          });
          const show = (shown) => { document.querySelector("output").textContent = JSON.stringify(shown); };
          const on = (id, work) => { document.getElementById(id).onclick = () => work().then(show, (error) => show({ error: String(error) })); };
          on("in", () => manager.signinRedirect());
          on("renew", () => manager.signinSilent());
          on("out", () => manager.signoutRedirect());
          ${script}
        </script>`);
    const scripts: Record<string, string> = {
      home: "show(await manager.getUser());",
      callback: "show(await manager.signinCallback().catch((error) => ({ error: String(error) })));",
      silent: "await manager.signinSilentCallback();",
      bye: "await manager.signoutCallback(); show({ bye: await manager.getUser() });",
    };
    const site = await open((request) => {
      const [, clientId = "", name = ""] = new URL(request.url).pathname.split("/");
      if (clientId === "library.js") return new Response(library, { headers: { "content-type": "text/javascript" } });
      return page(clientId, scripts[name] ?? "");
    });
    const spa = (clientId: string, more: Record<string, unknown> = {}) =>
      register({
        clientId,
        name: "Tasks",
        publicClient: true,
        redirectUris: [`${site.url}/${clientId}/callback`, `${site.url}/${clientId}/silent`],
        postLogoutRedirectUris: [`${site.url}/${clientId}/bye`],
        webOrigins: ["+"],
        ...more,
      });
    await spa("spa", { consentRequired: true, policyUri: "https://tasks.example/privacy", tosUri: "https://tasks.example/terms" });
    await spa("framed", { grantTypes: ["authorization_code"] });

    const ada = await personIn(browser, { locale: "en-GB" });
    const tab = await ada.tab();
    const shown = async () => JSON.parse((await tab.locator("output").textContent()) || "null");
    const next = (former: unknown) => expect.poll(shown).not.toEqual(former).then(shown);

    await tab.goto(`${site.url}/spa/home`);
    await press(tab, "In");
    await tab.locator("#password").waitFor();
    await signIn(tab);
    await tab.locator(".gh-consent").waitFor();
    await examine(tab, "consent", { whole: true });
    await tab.locator('button[value="allow"]').click();
    await tab.waitForURL(/\/spa\/callback/);
    const first = await next(null);
    expect(first.error).toBeUndefined();
    // `name` and `email` came by userinfo, requested from another origin.
    expect(first.profile).toMatchObject({ sub: userId, email: ADA.email, name: "Ada Lovelace" });
    await press(tab, "Renew");
    const second = await next(first);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(second.profile.sub).toBe(userId);

    // Another application: signed in already, and without a refresh token, so a hidden frame asks with prompt=none.
    await tab.goto(`${site.url}/framed/home`);
    await press(tab, "In");
    await tab.waitForURL(/\/framed\/callback/);
    const framed = await next(null);
    expect(framed.refresh_token).toBeUndefined();
    await press(tab, "Renew");
    const renewed = await next(framed);
    expect(renewed.error).toBeUndefined();
    expect(renewed.access_token).not.toBe(framed.access_token);

    // Its ID token belongs to the present session: no question is needed.
    await press(tab, "Out");
    await tab.waitForURL(/\/framed\/bye/);
    expect(await next(null)).toEqual({ bye: null });
    // And what the first application holds has ended with the session.
    const form = { grant_type: "refresh_token", refresh_token: second.refresh_token, client_id: "spa" };
    const late = await server.visitor().request("POST", `/realms/${NAME}/token`, { form });
    expect([late.status, late.body.error]).toEqual([400, "invalid_grant"]);
    await ada.close();
  });

  test.skipIf(noApache)("mod_auth_openidc (needs Apache): a path for those who are signed in, without PKCE, and out again", async () => {
    const site = await apacheSite();
    const { secret } = await register({
      clientId: "apache",
      redirectUris: [site.callback],
      postLogoutRedirectUris: [`${site.url}/index.shtml`],
    });
    await site.start({ issuer, clientId: "apache", secret });

    const ada = await personIn(browser, { locale: "en-GB" });
    const tab = await ada.tab();
    await tab.goto(`${site.url}/private/index.shtml`);
    await signIn(tab);
    await tab.getByRole("heading", { name: "Inside" }).waitFor();
    expect(tab.url()).toBe(`${site.url}/private/index.shtml`);
    const claims = async () => Object.fromEntries(await Promise.all(["sub", "preferred_username", "name", "email"].map(claim)));
    const claim = async (name: string) => [name, await tab.locator(`#${name}`).textContent()];
    expect(await claims()).toEqual({ sub: userId, preferred_username: "ada", name: "Ada Lovelace", email: ADA.email });

    await tab.goto(`${site.callback}?${new URLSearchParams({ logout: `${site.url}/index.shtml` })}`);
    await tab.getByRole("heading", { name: "Outside" }).waitFor();
    await tab.goto(`${site.url}/private/index.shtml`);
    await tab.locator("#password").waitFor();
    await ada.close();
  });

  test("Auth.js: its own button, our sign-in, and a session that knows who it is", async () => {
    const callback = "/auth/callback/gatehouse";
    let secret = "";
    // Else it takes a picture from its own site on the Internet.
    const style = { logo: "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>" };
    const site = await open((request) =>
      Auth(request, {
        basePath: "/auth",
        secret: "of the application, for its own cookies",
        trustHost: true,
        providers: [{ id: "gatehouse", name: "Gatehouse", type: "oidc", issuer, clientId: "authjs", clientSecret: secret, style }],
      }),
    );
    ({ secret } = await register({ clientId: "authjs", redirectUris: [site.url + callback] }));

    const ada = await personIn(browser, { locale: "en-GB" });
    const tab = await ada.tab();
    await tab.goto(`${site.url}/auth/signin?callbackUrl=${encodeURIComponent(`${site.url}/auth/session`)}`);
    await press(tab, "Sign in with Gatehouse");
    await tab.locator("#password").waitFor();
    await signIn(tab);
    await tab.waitForURL(`${site.url}/auth/session`);
    expect(JSON.parse((await tab.locator("body").textContent())!)).toMatchObject({ user: { name: "Ada Lovelace", email: ADA.email } });
    await ada.close();
  });

  test("a television and a bank: the pages where people answer for another device", async () => {
    const television = await register({ clientId: "tv", name: "Television", publicClient: true, grantTypes: ["device"] });
    const bank = await register({ clientId: "bank", name: "Bank", grantTypes: ["CIBA"] });
    const ask = async (path: string, form: Record<string, string>) =>
      must(await server.visitor().request("POST", `/realms/${NAME}${path}`, { form }), 200);
    const { user_code, device_code, verification_uri } = await ask("/device/authorize", {
      client_id: television.clientId,
      scope: "openid profile email",
    });
    const asBank = { client_id: bank.clientId, client_secret: bank.secret };

    const ada = await personIn(browser, { locale: "en-GB" });
    const tab = await ada.tab();
    await tab.goto(verification_uri);
    await signIn(tab);
    await tab.locator("[name=user_code]").waitFor();
    await examine(tab, "device-enter");
    await tab.locator("[name=user_code]").fill("BBBB-BBBB");
    await tab.locator('main form.gh-form button[type="submit"]').click();
    await tab.locator("[role=alert]").waitFor();
    await expectAccessible(tab, "device-unknown");
    await tab.locator("[name=user_code]").fill(user_code);
    await tab.locator('main form.gh-form button[type="submit"]').click();
    await tab.locator('button[value="allow"]').waitFor();
    await examine(tab, "device-confirm");
    await tab.locator('button[value="allow"]').click();
    await tab.getByText("Your device is connected").first().waitFor();
    await expectAccessible(tab, "device-connected");
    const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
    expect(await ask("/token", { grant_type, device_code, client_id: "tv" })).toMatchObject({ token_type: "Bearer" });

    await ask("/backchannel/authorize", { ...asBank, scope: "openid", login_hint: "ada", binding_message: "Pay 12 €, W4SCT" });
    await tab.goto(`${issuer}/ciba`);
    await examine(tab, "ciba-list");
    await tab.locator("main ul a").click();
    await tab.getByText("Pay 12 €, W4SCT").waitFor();
    await examine(tab, "ciba-confirm");
    await tab.locator('button[value="deny"]').click();
    await tab.getByRole("heading", { name: "You denied it" }).waitFor();
    await expectAccessible(tab, "ciba-denied");

    await tab.goto(`${issuer}/logout?${new URLSearchParams({ client_id: "tv" })}`);
    await tab.locator('main form.gh-form button[type="submit"]').click();
    await tab.getByText("You are signed out.").waitFor();
    await ada.close();
  });
});
