import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectAccessible, expectNoSidewaysScrolling, noBrowser, personIn } from "./browser.ts";
import { heading, type Stage, setStage, typePassword } from "./signing-in.ts";
import { html, type Site, startSite } from "./site.ts";

describe.skipIf(noBrowser)("signing out of applications by frames, in a browser (needs Chromium):", () => {
  let stage: Stage;
  let site: Site;
  const notified: string[] = [];
  let isSilent = false;
  beforeAll(async () => {
    stage = await setStage();
    site = await startSite(async ({ url }) => {
      const { pathname, search } = new URL(url);
      if (pathname === "/out") {
        notified.push(search);
        if (isSilent) await new Promise((resolve) => setTimeout(resolve, 20_000));
        // It tries to take the whole window.
        return html("<script>try { top.location = 'https://evil.example/' } catch {}</script>");
      }
      return html(`<h1>At ${pathname.slice(1)}</h1>`);
    });
  });
  afterAll(async () => {
    await site?.close();
    await stage?.close();
  });

  test("the page notifies them and continues; one that does not answer is named after three seconds", async () => {
    const realm = await stage.newRealm("frames");
    await stage.newUser(realm, "ada");
    const made = await stage.admin.post(`/admin/realms/${realm}/clients`, {
      clientId: "app",
      name: "The app",
      publicClient: true,
      redirectUris: [`${site.url}/cb`],
      postLogoutRedirectUris: [`${site.url}/bye`],
      frontchannelLogoutUri: `${site.url}/out`,
      frontchannelLogoutSessionRequired: true,
    });
    expect(made.status, made.text).toBe(201);
    const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    const request = new URLSearchParams({
      ...{ client_id: "app", redirect_uri: `${site.url}/cb`, response_type: "code", scope: "openid" },
      ...{ code_challenge: challenge, code_challenge_method: "S256" },
    });
    const ada = await personIn(stage.browser, { locale: "en-GB" });
    const page = await ada.tab();
    const out = new URLSearchParams({ client_id: "app", post_logout_redirect_uri: `${site.url}/bye` });
    for (isSilent of [false, true]) {
      await page.goto(`${stage.url}/realms/${realm}/authorize?${request}`);
      await typePassword(page, "ada");
      await heading(page, "At cb");
      await page.goto(`${stage.url}/realms/${realm}/logout?${out}`);
      await page.getByRole("button", { name: "Sign out" }).click();
      if (isSilent) {
        await page.getByText("didn’t answer").waitFor();
        await expectAccessible(page, "front-channel-logout", ["iframe"]);
        await expectNoSidewaysScrolling(page);
        await page.getByRole("link", { name: "Continue" }).click();
      }
      await heading(page, "At bye");
    }
    expect(notified).toHaveLength(2);
    for (const search of notified) expect([...new URLSearchParams(search).keys()]).toEqual(["iss", "sid"]);
    await ada.context.close();
  });
});
