import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { clock, SECOND } from "../../kernel/clock.ts";
import { Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop(); // The clean-up would read the moved clock.
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

test("a hundred wrong passwords from a hundred addresses lock the user, and do not affect users who are signed in", async () => {
  const realm = await iam.realm();
  const ada = await realm.user();
  const signedIn = iam.browser();
  await signedIn.signIn(realm.name, ada.username, ada.password);
  const statuses: number[] = [];
  for (let n = 0; n < 100; n++) {
    clock.advance(7 * SECOND);
    statuses.push((await new Browser(iam.server.app, `10.9.8.${n}`).trySignIn(realm.name, ada.username, `guess ${n}`)).status);
  }
  expect(statuses.filter((status) => status === 401)).toHaveLength(10);
  expect(statuses.filter((status) => status === 429)).toHaveLength(90);
  expect((await new Browser(iam.server.app, "10.9.9.1").trySignIn(realm.name, ada.username, ada.password)).status).toBe(429);
  expect((await signedIn.get(`/realms/${realm.name}/account/profile`)).status).toBe(200);
  const admin = realm.asMaster();
  expect((await admin.get(`/users/${ada.userId}`)).body.locked).toBe(true);
  expect(await realm.events(`type=USER_LOCKED&resourceId=${ada.userId}`)).toHaveLength(1);
  expect((await admin.patch(`/users/${ada.userId}`, { locked: false })).status).toBe(200);
  expect((await new Browser(iam.server.app, "10.9.9.2").trySignIn(realm.name, ada.username, ada.password)).status).toBe(303);
});
