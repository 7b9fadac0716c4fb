// A realm whose users sign in by a SAML identity provider, with a browser.
import { expect } from "vitest";
import type { Answer, Browser } from "./browser.ts";
import type { SharedHarness } from "./harness.ts";
import type { SamlPeer, SamlPeerAnswer } from "./saml-identity-provider.ts";

interface NewProvider {
  readonly alias: string;
  readonly protocol: "saml" | "eherkenning" | "eidas";
  readonly config: Record<string, unknown>;
}

export async function brokeredRealm(iam: SharedHarness, { alias, protocol, config }: NewProvider) {
  const realm = await iam.realm();
  const created = await realm.asMaster().post("/identity-providers", { alias, protocol, displayName: "Corporate", config });
  expect(created.status, created.text).toBe(201);
  const at = `/realms/${realm.name}/broker/${alias}`;
  const linked = () => iam.core.db.selectFrom("identity_links").select("subject").where("realm_id", "=", realm.name);
  return {
    ...{ realm, at },
    /** Follows the link on the sign-in page. Returns its target, or the page that posts. */
    async leave(browser: Browser = iam.browser(), query = ""): Promise<{ browser: Browser; left: URL | Answer }> {
      const answer = await browser.get(`${at}/login${query}`);
      expect([200, 303], answer.text).toContain(answer.status);
      return { browser, left: answer.status === 303 ? new URL(String(answer.headers.location)) : answer };
    },
    /** Posts a form as another site does, without cookies. Then the browser follows with its own. */
    async post(browser: Browser, form: Record<string, string>): Promise<Answer> {
      const posted = await iam.browser().request("POST", `${at}/endpoint`, { form, csrf: false });
      expect(posted.status, posted.text).toBe(303);
      return browser.get(String(posted.headers.location));
    },
    /** Brings an artifact in the address. */
    bring: (browser: Browser, query: Record<string, string>): Promise<Answer> =>
      browser.get(`${at}/endpoint?${new URLSearchParams(query)}`),
    users: async () => (await realm.asMaster().get("/users")).body.filter(({ username }: { username: string }) => username !== "admin"),
    subjects: async () => (await linked().orderBy("subject").execute()).map(({ subject }) => subject),
    failures: async () => ((await realm.events("type=BROKER_LOGIN&outcome=FAILURE")) as { detail: string }[]).map(({ detail }) => detail),
  };
}

export type BrokeredRealm = Awaited<ReturnType<typeof brokeredRealm>>;

export async function samlBrokered(iam: SharedHarness, config: Record<string, unknown>, alias = "corp") {
  const sp = await brokeredRealm(iam, { alias, protocol: "saml", config });
  return {
    ...sp,
    async signIn(peer: SamlPeer, answer: SamlPeerAnswer = {}, browser: Browser = iam.browser()): Promise<Answer> {
      const { left } = await sp.leave(browser);
      return sp.post(browser, await peer.answer(await peer.read(left), answer));
    },
  };
}

export type SamlBrokered = Awaited<ReturnType<typeof samlBrokered>>;
