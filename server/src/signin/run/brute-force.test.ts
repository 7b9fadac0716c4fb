import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createApp, type Server } from "../../app.ts";
import { deleteExpiredAttempts } from "../../directory/credentials/index.ts";
import { clock, DAY, MINUTE, SECOND } from "../../kernel/clock.ts";
import { addressSubject } from "../../platform/rate-limit/index.ts";
import { createMetrics } from "../../platform/telemetry/metrics.ts";
import { Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
let server: Server;
/** The number of passwords that were really checked. */
let hashes = 0;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop();
  const { hasher } = iam.core;
  const verify: typeof hasher.verify = (phc, password) => {
    hashes++;
    return hasher.verify(phc, password);
  };
  const verifyNothing: typeof hasher.verifyNothing = (password) => {
    hashes++;
    return hasher.verifyNothing(password);
  };
  server = await createApp({ ...iam.core, metrics: createMetrics(), hasher: { ...hasher, verify, verifyNothing } });
  await server.app.ready();
});
beforeEach(() => {
  // Time stands still unless a test moves it: waits of a second must not pass by themselves on a slow machine.
  vi.useFakeTimers({ toFake: ["Date"] });
  hashes = 0;
});
afterEach(() => {
  vi.useRealTimers();
  clock.reset();
});
afterAll(async () => {
  await server?.close();
  await iam?.close();
});

let addresses = 0;
const freshAddress = () => `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses++ & 255}`;
const guess = async (realm: RealmUnderTest, name: string, password = "a wrong password", address = freshAddress()) => {
  const answer = await new Browser(server.app, address).trySignIn(realm.name, name, password);
  return { status: answer.status, retryAfter: answer.headers["retry-after"] };
};
/** Sends as many wrong passwords as a lock takes, with the waits in between. */
const lockOut = async (realm: RealmUnderTest, name: string) => {
  for (let failures = 0; failures < 10; failures++) {
    clock.advance(17 * SECOND);
    expect((await guess(realm, name)).status).toBe(401);
  }
};

describe.each(["a user", "an unknown name"])("guessing the password of %s", (whom) => {
  const target = async (realm: RealmUnderTest) => (whom === "a user" ? (await realm.user()).username : "nobody-at-all");

  test("five are free, then each wait is twice the last", async () => {
    const realm = await iam.realm();
    const name = await target(realm);
    for (let failures = 0; failures < 5; failures++) expect(await guess(realm, name)).toEqual({ status: 401 });
    for (const seconds of [1, 2, 4, 8]) {
      expect(await guess(realm, name)).toEqual({ status: 429, retryAfter: String(seconds) });
      clock.advance(seconds * SECOND - 1);
      expect(await guess(realm, name)).toEqual({ status: 429, retryAfter: "1" });
      clock.advance(1);
      expect(await guess(realm, name)).toEqual({ status: 401 });
    }
    expect(hashes).toBe(9);
  });

  test("the tenth locks for fifteen minutes, for every browser, and that lapses", async () => {
    const realm = await iam.realm();
    const name = await target(realm);
    await lockOut(realm, name);
    expect(await guess(realm, name)).toEqual({ status: 429, retryAfter: "900" });
    clock.advance(15 * MINUTE - 1);
    expect((await guess(realm, name)).status).toBe(429);
    clock.advance(1);
    expect((await guess(realm, name)).status).toBe(401);
    expect(hashes).toBe(11);
    // Counting begins again.
    for (let failures = 0; failures < 4; failures++) expect((await guess(realm, name)).status).toBe(401);
    expect((await guess(realm, name)).status).toBe(429);
  });

  test("from a hundred addresses gets no further than from one", async () => {
    const realm = await iam.realm();
    const name = await target(realm);
    const statuses: number[] = [];
    for (let tries = 0; tries < 100; tries++) statuses.push((await guess(realm, name)).status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(95);
    expect(hashes).toBe(5);
  });

  test("fifty at once get no further either", async () => {
    const realm = await iam.realm();
    const name = await target(realm);
    const browsers = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const browser = new Browser(server.app, freshAddress());
        await browser.get(`/realms/${realm.name}/login`);
        return browser;
      }),
    );
    const answers = await Promise.all(
      browsers.map((browser) =>
        browser.request("POST", `/realms/${realm.name}/login`, {
          form: { username: name, password: "a wrong password", _csrf: browser.cookies.get("XSRF-TOKEN")! },
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(45);
    expect(hashes).toBe(5);
  });
});

describe("the lock of a user", () => {
  test("holds against the right password too, keeps live sessions, and is recorded once", async () => {
    const realm = await iam.realm();
    const { username, password, userId } = await realm.user();
    const signedIn = iam.browser();
    await signedIn.signIn(realm.name, username, password);
    await lockOut(realm, username);
    expect((await guess(realm, username, password)).status).toBe(429);
    expect((await signedIn.get(`/realms/${realm.name}/logout`)).text).toContain('name="_csrf"');
    expect(await realm.events("type=USER_LOCKED")).toMatchObject([{ resourceId: userId, category: "SECURITY", actor: username }]);
    // A refusal without a check of the password is no failed sign-in.
    expect(await realm.events("type=LOGIN_FAILURE")).toHaveLength(10);

    clock.advance(15 * MINUTE);
    expect((await guess(realm, username, password)).status).toBe(303);
  });

  test("by username does not show at the mail address: it would reveal whose address it is", async () => {
    const realm = await iam.realm();
    const { body } = await realm.asMaster().post("/users", { username: "ada", email: "ada@example.org" });
    await realm.asMaster().put(`/users/${body.userId}/password`, { newPassword: "a password for tests" });
    const standing = async (names: readonly string[]) => {
      const seen = [];
      for (const name of names) seen.push(await guess(realm, name));
      return seen;
    };
    await lockOut(realm, "ada");
    // The address behaves like an unknown name.
    expect(await standing(["ada@example.org", "ADA@example.org"])).toEqual(await standing(["bob@example.org", "BOB@example.org"]));
    for (let failures = 2; failures < 10; failures++) {
      clock.advance(17 * SECOND);
      expect((await guess(realm, "ada@example.org")).status).toBe(401);
    }
    expect((await guess(realm, "ａｄａ＠example.org")).status).toBe(429);
    // The administrator sees one lock, and lifts both.
    const { body: locked } = await realm.asMaster().get(`/users/${body.userId}`);
    expect(locked.locked).toBe(true);
    await realm.asMaster().put(`/users/${body.userId}`, { ...locked, locked: false });
    for (const name of ["ada", "ada@example.org"]) expect((await guess(realm, name)).status, name).toBe(401);
  });

  test("spares the browsers that the user has signed in with, and only for them", async () => {
    const realm = await iam.realm();
    const [ada, bob] = [await realm.user(), await realm.user()];
    const own = new Browser(server.app, freshAddress());
    await own.signIn(realm.name, ada.username, ada.password);
    const known = new Browser(server.app, freshAddress());
    for (const [name, value] of own.cookies) if (name.startsWith("gh__device_")) known.cookies.set(name, value);
    expect(known.cookies.size).toBe(1);
    for (const { username } of [ada, bob]) await lockOut(realm, username);
    expect((await guess(realm, ada.username, ada.password)).status).toBe(429);
    expect((await known.trySignIn(realm.name, bob.username, bob.password)).status).toBe(429);
    const forged = new Browser(server.app, freshAddress());
    forged.cookies.set(`gh__device_${realm.name}`, "A".repeat(43));
    expect((await forged.trySignIn(realm.name, ada.username, ada.password)).status).toBe(429);
    expect((await known.trySignIn(realm.name, ada.username, ada.password)).status).toBe(303);
    // This lifts nothing for others.
    expect((await guess(realm, ada.username, ada.password)).status).toBe(429);
  });

  test("a known browser is counted by itself: guessing in it locks it, not the user", async () => {
    const realm = await iam.realm();
    const { username, password, userId } = await realm.user();
    const own = new Browser(server.app, freshAddress());
    await own.signIn(realm.name, username, password);
    const device = own.cookies.get(`gh__device_${realm.name}`)!;
    const inIt = async (typed: string) => {
      const browser = new Browser(server.app, freshAddress());
      browser.cookies.set(`gh__device_${realm.name}`, device);
      return (await browser.trySignIn(realm.name, username, typed)).status;
    };
    for (let failures = 0; failures < 10; failures++) {
      clock.advance(17 * SECOND);
      expect(await inIt("a wrong password")).toBe(401);
    }
    expect(await inIt(password)).toBe(429);
    expect((await realm.asMaster().get(`/users/${userId}`)).body.locked).toBe(false);
    expect(await realm.events("type=USER_LOCKED")).toEqual([]);
    expect((await guess(realm, username, password)).status).toBe(303);
    clock.advance(15 * MINUTE);
    expect(await inIt(password)).toBe(303);
  });

  test("in one realm does not lock a user of the same name in another realm", async () => {
    const [one, two] = [await iam.realm(), await iam.realm()];
    await lockOut(one, "admin");
    expect((await guess(one, "admin", one.adminPassword)).status).toBe(429);
    expect((await guess(two, "admin", two.adminPassword)).status).toBe(303);
  });

  test("is lifted by an administrator", async () => {
    const realm = await iam.realm();
    const { username, password, userId } = await realm.user();
    await lockOut(realm, username);
    const { body } = await realm.asMaster().get(`/users/${userId}`);
    expect(body.locked).toBe(true);
    expect((await realm.asMaster().put(`/users/${userId}`, { ...body, locked: false })).status).toBe(200);
    expect((await guess(realm, username, password)).status).toBe(303);
    expect(await realm.events("type=USER_UNLOCKED")).toHaveLength(1);
  });

  test("signing in resets the counters", async () => {
    const realm = await iam.realm();
    const { username, password } = await realm.user();
    for (let failures = 0; failures < 4; failures++) await guess(realm, username);
    expect((await guess(realm, username, password)).status).toBe(303);
    for (let failures = 0; failures < 5; failures++) expect((await guess(realm, username)).status).toBe(401);
    expect((await guess(realm, username)).status).toBe(429);
  });
});

describe("one address", () => {
  test("against many users has to wait, whatever it then sends; others need not", async () => {
    const realm = await iam.realm();
    const { username, password } = await realm.user();
    await realm.asMaster().put("/settings", { bruteForce: { maxFailuresPerAddress: 6 } });
    const address = freshAddress();
    for (let tries = 0; tries < 6; tries++) expect((await guess(realm, `somebody-${tries}`, "x", address)).status).toBe(401);
    expect((await guess(realm, "somebody-else", "x", address)).status).toBe(429);
    expect((await guess(realm, username, password, address)).status).toBe(429);
    expect(hashes).toBe(6);
    expect((await guess(realm, username, password)).status).toBe(303);
    clock.advance(15 * MINUTE);
    expect((await guess(realm, username, password, address)).status).toBe(303);
  });

  test("that has to wait does not raise the user's own count", async () => {
    const realm = await iam.realm();
    const { username, password } = await realm.user();
    await realm.asMaster().put("/settings", { bruteForce: { maxFailuresPerAddress: 6 } });
    const address = freshAddress();
    for (let tries = 0; tries < 6; tries++) await guess(realm, `somebody-${tries}`, "x", address);
    for (let failures = 0; failures < 5; failures++) await guess(realm, username);
    clock.advance(SECOND - 1);
    for (let tries = 0; tries < 5; tries++) expect((await guess(realm, username, "x", address)).status).toBe(429);
    // The count has not risen, and the wait does not begin again.
    clock.advance(1);
    expect((await guess(realm, username, password)).status).toBe(303);
  });

  test("from which people sign in correctly never has to wait", async () => {
    const realm = await iam.realm();
    const { username, password } = await realm.user();
    await realm.asMaster().put("/settings", { bruteForce: { maxFailuresPerAddress: 5 } });
    const address = freshAddress();
    for (let times = 0; times < 12; times++) expect((await guess(realm, username, password, address)).status).toBe(303);
  });

  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::ffff:c000:201", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2::", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
  ])("%s counts as %s: an IPv6 network is one visitor", (address, subject) => {
    expect(addressSubject(address)).toBe(subject);
  });

  test("counts once for a whole IPv6 network", async () => {
    const realm = await iam.realm();
    await realm.asMaster().put("/settings", { bruteForce: { maxFailuresPerAddress: 5 } });
    for (let tries = 1; tries <= 5; tries++) await guess(realm, `somebody-${tries}`, "x", `2001:db8:${realm.name.length}:9::${tries}`);
    expect((await guess(realm, "another", "x", `2001:db8:${realm.name.length}:9:ffff::1`)).status).toBe(429);
    expect((await guess(realm, "another", "x", `2001:db8:${realm.name.length}:a::1`)).status).toBe(401);
  });
});

describe("the counters", () => {
  const counted = (realm: RealmUnderTest) =>
    iam.core.db.selectFrom("login_attempts").select(["kind", "failures"]).where("realm_id", "=", realm.name).execute();

  test("are forgotten after an hour without a failure, and then cleaned up", async () => {
    const realm = await iam.realm();
    for (let failures = 0; failures < 5; failures++) await guess(realm, "nobody");
    clock.advance(60 * MINUTE + 1);
    expect((await guess(realm, "nobody")).status).toBe(401);
    expect((await guess(realm, "nobody")).status).toBe(401);
    expect(await counted(realm)).not.toEqual([]);
    clock.advance(DAY);
    await deleteExpiredAttempts(iam.core.db, clock.now());
    expect(await counted(realm)).toEqual([]);
  });

  test("can be turned off", async () => {
    const realm = await iam.realm();
    await realm.asMaster().put("/settings", { bruteForce: { enabled: false } });
    for (let tries = 0; tries < 12; tries++) expect((await guess(realm, "nobody")).status).toBe(401);
    expect(await counted(realm)).toEqual([]);
  });
});
