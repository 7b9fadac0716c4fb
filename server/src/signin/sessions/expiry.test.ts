import { afterAll, beforeAll, expect, test } from "vitest";
import { clock } from "../../kernel/clock.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { relyingParty } from "../../testing/relying-party.ts";
import { endExpiredSessions } from "./index.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness({ GATEHOUSE_MODE: "development" });
  await iam.server.jobs.stop();
});
afterAll(() => iam?.close());

/** Creates a realm with expired sessions, of which one client is to be notified. */
async function expired(count: number) {
  const realm = await iam.realm();
  const party = await relyingParty(iam, realm, { backchannelLogoutUri: "http://127.0.0.1:9/logout" });
  const user = await realm.user();
  for (let n = 0; n < count; n++) await party.signIn(iam.browser(), user);
  await iam.core.db.updateTable("sessions").set({ expires_at: clock.now() }).where("realm_id", "=", realm.name).execute();
  await party.signIn(iam.browser(), user);
  const left = async () => {
    const rows = (table: "sessions" | "oidc_grants" | "session_participants") =>
      iam.core.db.selectFrom(table).select("session_id").where("realm_id", "=", realm.name).execute();
    const jobs = await iam.core.db.selectFrom("jobs").select("payload").where("realm_id", "=", realm.name).execute();
    const notified = new Set(jobs.map(({ payload }) => payload.sessionId));
    expect(notified.size, "each session is notified once").toBe(jobs.length);
    return {
      sessions: (await rows("sessions")).length,
      grants: (await rows("oidc_grants")).length,
      participants: (await rows("session_participants")).length,
      notified: notified.size,
    };
  };
  return { realm, left };
}

test("ends every expired session in batches, with its grants, and notifies its clients; a live one continues", async () => {
  const { realm, left } = await expired(5);
  await endExpiredSessions(iam.core.work, 2);
  expect(await left()).toEqual({ sessions: 1, grants: 1, participants: 1, notified: 5 });
  expect(await realm.events("type=LOGOUT")).toEqual([]);
});

test("a batch that fails is rolled back, earlier batches stay committed, and the next run continues", async () => {
  const { left } = await expired(3);
  let batches = 0;
  const dying: UnitOfWork = {
    transact: (origin, work) =>
      iam.core.work.transact(origin, async (ctx) => {
        const result = await work(ctx);
        if (++batches === 2) throw new Error("killed");
        return result;
      }),
  };
  await expect(endExpiredSessions(dying, 2)).rejects.toThrow("killed");
  expect(await left()).toEqual({ sessions: 2, grants: 2, participants: 2, notified: 2 });
  await endExpiredSessions(iam.core.work, 2);
  expect(await left()).toEqual({ sessions: 1, grants: 1, participants: 1, notified: 3 });
});

test("two at once end each session once", async () => {
  const { left } = await expired(4);
  await Promise.all([endExpiredSessions(iam.core.work, 1), endExpiredSessions(iam.core.work, 1)]);
  await endExpiredSessions(iam.core.work, 1);
  expect(await left()).toEqual({ sessions: 1, grants: 1, participants: 1, notified: 4 });
});

test("impersonation sessions end with the administrator's own, and the audit trail says so", async () => {
  const realm = await iam.realm();
  const admin = await realm.as("manage-users");
  const user = await realm.user();
  const { body } = await admin.post(`/users/${user.userId}/impersonate`);
  await admin.browser.get(body.url.replace(iam.config.baseUrl, ""));
  const impersonating = () =>
    iam.core.db
      .selectFrom("sessions")
      .select("session_id")
      .where("realm_id", "=", realm.name)
      .where("impersonator", "is not", null)
      .execute();
  expect(await impersonating()).toHaveLength(1);
  await iam.core.db
    .updateTable("sessions")
    .set({ expires_at: 1 })
    .where("realm_id", "=", realm.name)
    .where("impersonator", "is", null)
    .execute();
  await endExpiredSessions(iam.core.work);
  expect(await impersonating()).toEqual([]);
  expect((await realm.events("type=IMPERSONATION")).map(({ detail }: { detail: string }) => detail)).toContainEqual(
    expect.stringMatching(/^ended session /),
  );
});
