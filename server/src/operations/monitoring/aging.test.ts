import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { clock, DAY, HOUR, MINUTE } from "../../kernel/clock.ts";
import { type Harness, harness, MASTER_PASSWORD } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";

// Apart from the others, because days go by: sessions end, also that of the administrator who makes the realms.
let iam: Harness;
let realms: RealmUnderTest[];
beforeAll(async () => {
  iam = await harness();
  realms = await Promise.all([iam.realm(), iam.realm(), iam.realm(), iam.realm()]);
});
afterAll(() => iam?.close());
afterEach(() => clock.reset());

const scrape = async () => (await iam.browser().get("/monitoring/metrics")).text;
const signIn = (realm: RealmUnderTest) => iam.browser().signIn(realm.name, "admin", realm.adminPassword);
const flush = () => iam.core.metrics.flush(iam.core.db);
const nothing = { logins: { success: 0, failure: 0 }, tokens: 0, mfaChallenges: 0, adminWrites: { success: 0, denied: 0 } };

test("a login leaves the hour, the day and the week in turn, and is deleted after eight days", async () => {
  const realm = realms[0]!;
  await signIn(realm);
  const once = { ...nothing, logins: { success: 1, failure: 0 } };
  const seen = async () => {
    await flush();
    // The session of the administrator does not live that long.
    const master = iam.browser();
    await master.signIn("master", "admin", MASTER_PASSWORD);
    const { lastHour, lastDay, lastWeek } = (await master.get(`/admin/metrics/summary?search=${realm.name}`)).body.realms[0];
    return { lastHour, lastDay, lastWeek };
  };
  expect(await seen()).toEqual({ lastHour: once, lastDay: once, lastWeek: once });
  clock.advance(2 * HOUR);
  expect(await seen()).toEqual({ lastHour: nothing, lastDay: once, lastWeek: once });
  clock.advance(DAY);
  expect(await seen()).toEqual({ lastHour: nothing, lastDay: nothing, lastWeek: once });
  clock.advance(6 * DAY);
  expect(await seen()).toEqual({ lastHour: nothing, lastDay: nothing, lastWeek: nothing });

  const stored = () => iam.core.db.selectFrom("metric_hours").select("count").where("realm_id", "=", realm.name).execute();
  expect(await stored()).toEqual([{ count: 1 }]);
  clock.advance(DAY);
  // The worker may be at it at this very moment, with the time of before.
  await expect
    .poll(async () => {
      await iam.server.jobs.runDue();
      return stored();
    })
    .toEqual([]);
});

test("series of a realm go when it is deleted, and when it has been idle for a day", async () => {
  const [, deleted, idle, busy] = realms as [RealmUnderTest, RealmUnderTest, RealmUnderTest, RealmUnderTest];
  for (const realm of [deleted, idle, busy]) await signIn(realm);
  const master = iam.browser();
  await master.signIn("master", "admin", MASTER_PASSWORD);
  expect((await master.delete(`/admin/realms/${deleted.name}`)).status).toBe(204);
  clock.advance(MINUTE);
  await flush();
  const afterDeletion = await scrape();
  expect(afterDeletion).not.toContain(`realm="${deleted.name}"`);
  expect(afterDeletion).toContain(`realm="${idle.name}"`);

  clock.advance(23 * HOUR);
  await iam.browser().trySignIn(busy.name, "nobody", "wrong");
  clock.advance(HOUR);
  await flush();
  const afterADay = await scrape();
  expect(afterADay).not.toContain(`realm="${idle.name}"`);
  expect(afterADay).toContain(`realm="${busy.name}"`);
});
