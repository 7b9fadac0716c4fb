// Several nodes send to a target: each change once, and under whatever master key.
import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import { type ScimPeer, scimPeer } from "../../testing/scim-peer.ts";
import { must, type TargetStage, targetStage } from "../../testing/scim-target.ts";

const MASTER_KEY = randomBytes(32).toString("base64");

let iam: Harness;
let peer: ScimPeer;
let stage: TargetStage;
beforeAll(async () => {
  iam = await harness({ GATEHOUSE_MODE: "development", GATEHOUSE_MASTER_KEY: MASTER_KEY });
  stage = targetStage(iam);
  peer = await scimPeer("sloppy");
  // Time is moved here.
  await iam.server.jobs.stop();
});
afterEach(async () => {
  clock.reset();
  await stage.clear();
  peer.clear();
});
afterAll(async () => {
  await iam?.close();
  await peer?.close();
});

test("two nodes send each change once, and a node that died is taken over", async () => {
  const of = await stage.targeted(peer);
  await stage.settle(of);
  const node = await iam.secondNode({ GATEHOUSE_MODE: "development" });
  const people = Array.from({ length: 40 }, (_, at) => ({ username: `u${at}`, groups: ["/staff"] }));
  must(await of.admin.post("/users/import", people));
  await Promise.all([iam.server.scimTargets.runDue(), node.server.scimTargets.runDue()]);
  await stage.settle(of);
  expect(peer.users.size).toBe(40);
  expect(peer.writes().filter(({ method }) => method === "POST")).toHaveLength(40);
  // Its lease is all that it leaves behind.
  await iam.core.db
    .updateTable("scim_target_states")
    .set({ locked_until: clock.now() + MINUTE, lease_id: of.id })
    .where("target_id", "=", of.id)
    .execute();
  await of.user("late");
  await stage.settle(of);
  expect(peer.user("late")).toBeUndefined();
  clock.advance(2 * MINUTE);
  await stage.settle(of);
  expect(peer.user("late")).toBeDefined();
});

test("a new master key sends nothing again, and takes nobody who left long ago for one of a mass that leaves", async () => {
  const of = await stage.targeted(peer);
  const people = Array.from({ length: 30 }, (_, at) => ({ username: `u${at}`, groups: ["/staff"] }));
  must(await of.admin.post("/users/import", people));
  await stage.settle(of);
  for (const { userId } of must(await of.admin.get("/users?search=u&size=100")).slice(0, 25))
    must(await of.admin.patch(`/users/${userId}`, { enabled: false }));
  await stage.settle(of);
  // The server also sends by itself, so the number that waits may change until it is confirmed.
  for (let status = await of.status(); status.state === "WAITING_FOR_CONFIRMATION"; status = await of.status()) {
    await of.admin.post(`/scim-targets/${of.id}/confirm`, { accounts: status.users.held });
    await stage.settle(of);
  }
  expect([...peer.users.values()].filter(({ active }) => active === false)).toHaveLength(25);
  const sent = peer.writes().length;

  await iam.server.scimTargets.stop();
  const key = randomBytes(32).toString("base64");
  const node = await iam.secondNode({
    GATEHOUSE_MODE: "development",
    GATEHOUSE_MASTER_KEY: key,
    GATEHOUSE_MASTER_KEY_PREVIOUS: MASTER_KEY,
  });
  must(await of.admin.post(`/scim-targets/${of.id}/sync`, {}));
  do {
    await node.server.scimTargets.runDue();
  } while ((await of.status()).syncing);
  expect(await of.status()).toMatchObject({ state: "OK", users: { synced: 30, held: 0 } });
  expect(peer.writes()).toHaveLength(sent);
});
