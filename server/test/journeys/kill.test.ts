import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { freePort } from "../peers/index.mjs";
import { emptyDatabase, emptyFolder, onBoth, type ServerProcess, startServer } from "./process.ts";
import { must, type Visitor } from "./visitor.ts";

const CLIENTS = 6;
const TIMEOUT_MS = 600_000;
const USERS = "/admin/realms/master/users";

describe.each(onBoth)("kill -9 during writes, on $kind", ({ kind, missing }) => {
  // The embedded database recovers in the server's own process: also from a kill after a recovery.
  const rounds = kind === "embedded" ? 2 : 1;
  test.skipIf(missing)(
    "loses no acknowledged user, and none exists without its audit event or the reverse",
    async () => {
      const place = { folder: emptyFolder(), port: await freePort(), env: await emptyDatabase(kind) };
      let server = await startServer(place);
      const admin = await server.admin();
      const acknowledged = new Set<string>();
      const moments: number[] = [];
      let interrupted = 0;

      for (let round = 0; round < rounds; round++) {
        const moment = Math.round(Math.random() * 400);
        moments.push(moment);
        const killed = { yet: false };
        const before = acknowledged.size;
        const clients = Array.from({ length: CLIENTS }, (_, client) =>
          writeUntilKilled(admin, `r${round}-c${client}`, acknowledged, killed),
        );
        // From the first answer on, so that even on a busy machine the blow falls among the writes.
        while (acknowledged.size === before) await Promise.race([sleep(5), ...clients]);
        await sleep(moment);
        killed.yet = true;
        await server.kill();
        const cut = (await Promise.all(clients)).filter(Boolean).length;
        expect(cut, "writes that the kill cut off").toBeGreaterThan(0);
        interrupted += cut;
        server = await startServer(place);
      }

      const users = await userIds(admin);
      const events = await createdUserIds(admin);
      console.log(
        `${kind}: ${rounds} kills, each ${moments.join(", ")} ms after its first answer; ${acknowledged.size} users acknowledged, ${interrupted} writes cut off, ` +
          `${users.size} users and ${events.size} events found`,
      );
      expect([...acknowledged].filter((id) => !users.has(id))).toEqual([]);
      expect([...users].sort()).toEqual([...events].sort());
      await stillWorks(server, admin);
    },
    TIMEOUT_MS,
  );
});

/** Tells whether its last write was in progress when the server died. */
async function writeUntilKilled(admin: Visitor, prefix: string, acknowledged: Set<string>, killed: { yet: boolean }): Promise<boolean> {
  for (let n = 0; ; n++) {
    if (killed.yet) return false;
    try {
      acknowledged.add(must(await admin.post(USERS, { username: `${prefix}-${n}` }), 201).userId);
    } catch (error) {
      if (!killed.yet) throw error;
      return (error as NodeJS.ErrnoException).code !== "ECONNREFUSED";
    }
  }
}

/** All created users of `master`; the seeded `admin` has no event. */
async function userIds(admin: Visitor): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let path: string | undefined = `${USERS}?size=1000`; path; ) {
    const answer = await admin.get(path);
    for (const user of must(answer, 200)) if (user.username !== "admin") ids.add(user.userId);
    path = /<([^>]+)>; rel="next"/.exec(String(answer.headers.link ?? ""))?.[1];
    if (path) path = new URL(path, admin.url).pathname + new URL(path, admin.url).search;
  }
  return ids;
}

async function createdUserIds(admin: Visitor): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let page = 0; ; page++) {
    const filter = `type=ADMIN_CREATE&resourceType=users&size=500&page=${page}`;
    const { items } = must(await admin.get(`/admin/realms/master/events?${filter}`), 200);
    for (const event of items) ids.add(event.resourceId);
    if (items.length < 500) return ids;
  }
}

async function stillWorks(server: ServerProcess, admin: Visitor): Promise<void> {
  must(await admin.post(USERS, { username: "after-all" }), 201);
  expect(await server.stop()).toMatchObject({ code: 0 });
}
