import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLdap } from "../../../test/peers/index.mjs";
import { addDirectory, type DirectoryPeer, openLdapPeer, PEOPLE, person } from "../../testing/directories.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";

const COUNT = 10_000;
const uidOf = (i: number) => `u${String(i).padStart(5, "0")}`;

describe.skipIf(!openLdap())("a directory of 10,000", () => {
  let iam: SharedHarness;
  let peer: DirectoryPeer;
  beforeAll(async () => {
    peer = await openLdapPeer(Array.from({ length: COUNT }, (_, i) => person(uidOf(i))).join("\n"));
    iam = await sharedHarness({ GATEHOUSE_ALLOWED_HOSTS: "127.0.0.1", GATEHOUSE_MODE: "development" });
    await iam.server.jobs.stop();
  });
  afterAll(async () => {
    await iam?.close();
    await peer?.ldap.stop();
  });

  test("is taken over within bounded memory, shows how far it is, answers others meanwhile, and costs no write the next time", async () => {
    const realm = await iam.realm();
    await addDirectory(realm, { ...peer.config({ userSearchBase: PEOPLE }), url: peer.ldap.url });
    const master = realm.asMaster();
    const at = "/user-federation/corp/sync";
    const before = process.memoryUsage().rss;
    const began = performance.now();
    let [isDone, longest] = [false, 0];
    const seen = new Set<number>();
    const first = master.post(at).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      // Requests without a pause would be the only work of the process.
      await pause(20);
      const requested = performance.now();
      const { body } = await master.get(at);
      longest = Math.max(longest, performance.now() - requested);
      if (body.running) seen.add(body.runs[0].synced);
    }
    const whole = performance.now() - began;
    expect(await first).toMatchObject({ status: 200, body: { synced: COUNT, created: COUNT, updated: 0, disabled: 0, failed: 0 } });
    expect((process.memoryUsage().rss - before) / 1e6).toBeLessThan(150);
    expect(longest, "a request during the run").toBeLessThan(whole / 4);
    expect(seen.size, "steps of the progress").toBeGreaterThan(3);

    const again = await master.post(at);
    expect(again.body).toMatchObject({ synced: COUNT, created: 0, updated: 0, disabled: 0, failed: 0 });
    const changed = await iam.core.db
      .selectFrom("users")
      .select("version")
      .where("realm_id", "=", realm.name)
      .where("version", ">", 1)
      .execute();
    expect(changed).toEqual([]);

    // Without the directory the list is as it is with it.
    await peer.ldap.stop();
    expect((await master.get(`/users?search=${uidOf(COUNT - 1)}`)).body).toMatchObject([
      { username: uidOf(COUNT - 1), source: "ldap:corp" },
    ]);
    expect((await master.post(at)).status).toBe(502);
    expect((await master.get("/users?enabled=false")).body).toEqual([]);

    // The history in pages, the newest first.
    const runIdsOf = async (query: string) => (await master.get(`${at}?${query}`)).body.runs.map(({ runId }: { runId: string }) => runId);
    const all = await runIdsOf("size=20");
    expect(all).toHaveLength(3);
    expect(await runIdsOf("size=1")).toEqual(all.slice(0, 1));
    expect(await runIdsOf(`size=2&before=${all[0]}`)).toEqual(all.slice(1));
    expect((await master.get(`${at}?before=x`)).status).toBe(400);
  });
});
