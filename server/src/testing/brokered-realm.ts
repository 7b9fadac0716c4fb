// A realm that signs in by a SAML identity provider, and a browser that does.
import { expect } from "vitest";
import type { Answer, Browser } from "./browser.ts";
import type { Harness } from "./harness.ts";
import type { RealmUnderTest } from "./realm.ts";
import type { Said, SamlPeer } from "./saml-identity-provider.ts";

export async function samlBrokered(iam: Harness, config: Record<string, unknown>, alias = "corp") {
  const realm = await iam.realm();
  const created = await realm.asMaster().post("/identity-providers", { alias, protocol: "saml", displayName: "Corporate", config });
  expect(created.status, created.text).toBe(201);
  const at = `/realms/${realm.name}/broker/${alias}`;
  return {
    ...{ realm, at },
    /** By the link on the sign-in page: where it leads, or the page that posts. */
    async leave(browser: Browser = iam.browser(), query = ""): Promise<{ browser: Browser; left: URL | Answer }> {
      const answer = await browser.get(`${at}/login${query}`);
      expect([200, 303], answer.text).toContain(answer.status);
      return { browser, left: answer.status === 303 ? new URL(String(answer.headers.location)) : answer };
    },
    /** As another site posts it: without cookies. Then the browser follows with its own. */
    async post(browser: Browser, form: Record<string, string>): Promise<Answer> {
      const posted = await iam.browser().request("POST", `${at}/endpoint`, { form, csrf: false });
      expect(posted.status, posted.text).toBe(303);
      return browser.get(String(posted.headers.location));
    },
    async signIn(peer: SamlPeer, said: Said = {}, browser: Browser = iam.browser()): Promise<Answer> {
      const { left } = await this.leave(browser);
      return this.post(browser, await peer.answer(await peer.read(left), said));
    },
    users: async () => (await realm.asMaster().get("/users")).body.filter(({ username }: { username: string }) => username !== "admin"),
    failures: () => failuresOf(realm),
  };
}

export const failuresOf = async (realm: RealmUnderTest): Promise<string[]> =>
  ((await realm.events("type=BROKER_LOGIN&outcome=FAILURE")) as { detail: string }[]).map(({ detail }) => detail);

export type SamlBrokered = Awaited<ReturnType<typeof samlBrokered>>;
