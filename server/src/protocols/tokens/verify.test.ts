import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { relyingParty } from "../../testing/relying-party.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

/** Node's own, which is hidden unless it was started with --expose-gc. */
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

test("verified tokens do not keep the realm's former snapshots in memory", async () => {
  const realm = await iam.realm();
  const admin = realm.asMaster();
  const party = await relyingParty(iam, realm);
  const user = await realm.user();
  const browser = iam.browser();
  const former: WeakRef<object>[] = [];
  for (const displayName of ["One", "Two", "Three"]) {
    const { body } = await party.signIn(browser, user);
    const userinfo = await browser.get(`/realms/${realm.name}/userinfo`, { headers: { authorization: `Bearer ${body.access_token}` } });
    expect(userinfo.status).toBe(200);
    former.push(new WeakRef(iam.core.realms.peek(realm.name)!));
    await admin.patch("/settings", { displayName });
    expect((await browser.get(`/realms/${realm.name}/login`)).text).toContain(displayName);
  }
  await setImmediate();
  collectGarbage();
  // The last answers may still refer to the last one.
  expect(former.slice(0, -1).map((snapshot) => snapshot.deref())).toEqual([undefined, undefined]);
});
