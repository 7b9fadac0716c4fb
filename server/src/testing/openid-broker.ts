// The set-up of test files about sign-ins by OpenID Connect: a server, a provider that tests play, and realms whose users sign in by it.
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { clock } from "../kernel/clock.ts";
import type { Answer, Browser } from "./browser.ts";
import { type SharedHarness, sharedHarness } from "./harness.ts";
import { type OpenidPeer, openidPeer, type PeerAnswer } from "./openid-peer.ts";
import type { RealmUnderTest } from "./realm.ts";

export interface OpenidStage {
  readonly iam: SharedHarness;
  readonly peer: OpenidPeer;
}

/** All the claims of the provider about a user, so that no form is shown. */
export const named = { given_name: "Ada", family_name: "Lovelace", preferred_username: "ada" };

/** Returns a provider at the peer, in the form in which it is posted to the admin API. */
export const openidProvider = ({ issuer }: OpenidPeer, { alias = "corp", protocol = "oidc", ...config }: Record<string, unknown> = {}) => ({
  ...{ alias, protocol, displayName: alias === "corp" ? "Corporate" : `The ${alias}` },
  config: { issuer, clientId: "gatehouse", clientSecret: "a-secret", ...config },
});

export const endpointOf = (realm: RealmUnderTest, query: Record<string, string>, alias = "corp") =>
  `/realms/${realm.name}/broker/${alias}/endpoint?${new URLSearchParams(query)}`;

/** Starts both for the file. `ready` gets them before its first test. */
export function openidBroker(ready: (stage: OpenidStage) => void) {
  let stage: OpenidStage;
  beforeAll(async () => {
    const [iam, peer] = await Promise.all([sharedHarness({ GATEHOUSE_MODE: "development" }), openidPeer()]);
    stage = { iam, peer };
    ready(stage);
  });
  afterEach(() => clock.reset());
  afterAll(async () => {
    await stage?.peer.close();
    await stage?.iam.close();
  });

  /** Follows the link on the sign-in page to the provider. */
  const leave = async (realm: RealmUnderTest, browser: Browser = stage.iam.browser(), alias = "corp") => {
    const answer = await browser.get(`/realms/${realm.name}/broker/${alias}/login`);
    expect(answer.status, answer.text).toBe(303);
    return { browser, left: new URL(String(answer.headers.location)) };
  };
  return {
    /** Makes a realm with the provider `corp`. */
    async brokered(config: Record<string, unknown> = {}): Promise<RealmUnderTest> {
      const realm = await stage.iam.realm();
      const created = await realm.asMaster().post("/identity-providers", openidProvider(stage.peer, config));
      expect(created.status, created.text).toBe(201);
      return realm;
    },
    leave,
    /** Signs in at the provider and returns. */
    async signIn(realm: RealmUnderTest, answer: PeerAnswer = {}, browser: Browser = stage.iam.browser()) {
      const { left } = await leave(realm, browser);
      const query = stage.peer.signIn(left, { ...answer, claims: { ...named, ...answer.claims } });
      const back: Answer = await browser.get(endpointOf(realm, query));
      return { browser, left, back };
    },
  };
}
