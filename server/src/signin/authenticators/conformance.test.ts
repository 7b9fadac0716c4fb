import { Registry } from "prom-client";
import { afterAll, beforeAll, describe } from "vitest";
import { createBrokers, createIdentityProviders } from "../../federation/index.ts";
import { clock } from "../../kernel/clock.ts";
import { createOutbound } from "../../platform/outbound/index.ts";
import { createBreachedPasswords } from "../../platform/passwords/index.ts";
import { openPlaces } from "../../platform/places.ts";
import { createSigningKeys } from "../../tenancy/keys/index.ts";
import { authenticatorConformance, type ContextFor } from "../../testing/authenticator-conformance.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { authenticators } from "./index.ts";
import { createPasswordUpgrades } from "./password-upgrades.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
beforeAll(async () => {
  iam = await sharedHarness();
  // Messages wait in the outbox.
  await iam.server.jobs.stop();
  realm = await iam.realm();
});
afterAll(() => iam?.close());

const contextFor: ContextFor = async (user, progress) => {
  const { core, server, config } = iam;
  const { db, work, metrics, vault, hasher, log } = core;
  const entryChecks = { standing: async () => "stands" as const };
  const directoryPasswords = { modeOf: async () => "local" as const, write: () => Promise.reject(new Error("there is no directory")) };
  return {
    parts: {
      ...{
        db,
        work,
        metrics,
        vault,
        hasher,
        log,
        messages: server.messages,
        sources: [],
        baseUrl: config.baseUrl,
        directoryPasswords,
        entryChecks,
      },
      breaches: createBreachedPasswords({ corpus: null, log }),
      upgrades: createPasswordUpgrades({ db, hasher, log }),
      places: openPlaces(null, log),
      brokers: createBrokers({
        ...{ providers: createIdentityProviders(core), registry: new Registry(), log },
        outbound: createOutbound({ allowedHosts: [], allowLoopbackHttp: false }),
        ...{ db, vault, realms: core.realms, baseUrl: config.baseUrl, signingKeys: createSigningKeys(core), timeoutMs: 15_000 },
      }),
    },
    realm: (await core.realms.get(realm.name))!,
    visitor: { session: null, preSession: "browser", sourceIp: "203.0.113.1", userAgent: null, locale: "en", deviceToken: null },
    ...{
      request: {},
      interactionId: null,
      progress,
      user,
      needsSecondFactor: false,
      path: "0",
      config: {},
      data: null,
      alert: null,
      named: null,
      attempted: async () => true,
    },
    now: clock.now(),
  };
};

for (const [name, authenticator] of Object.entries(authenticators))
  describe(name, () => authenticatorConformance(name, authenticator, contextFor, () => iam));
