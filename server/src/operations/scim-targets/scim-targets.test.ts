// From a change in the realm to a SCIM service elsewhere: a strict one and a sloppy one of our own making.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { clock, SECOND } from "../../kernel/clock.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";
import { type ScimPeer, scimPeer } from "../../testing/scim-peer.ts";

let iam: Harness;
let strict: ScimPeer;
let sloppy: ScimPeer;
beforeAll(async () => {
  iam = await harness({ GATEHOUSE_MODE: "development" });
  [strict, sloppy] = [await scimPeer("strict"), await scimPeer("sloppy")];
  // Time is moved here.
  await iam.server.jobs.stop();
});
const made: { admin: AdminClient; id: string }[] = [];
afterEach(async () => {
  clock.reset();
  for (const { admin, id } of made.splice(0)) await admin.delete(`/scim-targets/${id}`);
  for (const peer of [strict, sloppy]) peer.clear();
});
afterAll(async () => {
  await iam?.close();
  await strict?.close();
  await sloppy?.close();
});

interface Targeted {
  readonly realm: RealmUnderTest;
  readonly admin: AdminClient;
  readonly id: string;
  user(username: string, more?: object): Promise<string>;
  group(name: string, ...members: string[]): Promise<string>;
  status(): Promise<Record<string, any>>;
}

const must = (answer: { status: number; text: string; body: any }) => {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body;
};

/** A realm whose users, but for administrators, go to the peer: the group `staff` is in scope. */
async function targeted(peer: ScimPeer, settings: object = {}, prepare?: (of: Targeted) => Promise<void>): Promise<Targeted> {
  const realm = await iam.realm();
  const admin = realm.asMaster();
  const { groupId: staff } = must(await admin.post("/groups", { name: "staff" }));
  const targeted: Targeted & { id: string } = {
    ...{ realm, admin, id: "" },
    async user(username, more = {}) {
      const { userId } = must(await admin.post("/users", { username, ...more }));
      must(await admin.put(`/groups/${staff}/members/${userId}`));
      return userId;
    },
    async group(name, ...members) {
      const { groupId } = must(await admin.post("/groups", { name }));
      for (const userId of members) must(await admin.put(`/groups/${groupId}/members/${userId}`));
      return groupId;
    },
    status: async () => must(await admin.get(`/scim-targets/${targeted.id}/status`)),
  };
  await prepare?.(targeted);
  const body = {
    name: "peer",
    url: peer.url,
    auth: { type: "bearer" },
    secret: peer.token,
    requestsPerSecond: 100,
    users: { scope: "groups", groupIds: [staff] },
  };
  targeted.id = must(await admin.post("/scim-targets", { ...body, ...settings })).id;
  made.push({ admin, id: targeted.id });
  return targeted;
}

/** Until nothing is due. Transactions of other tests may hold a full sync back for a moment. */
async function settle({ status }: Targeted): Promise<void> {
  for (;;) {
    await iam.server.scimTargets.runDue();
    if (!(await status()).syncing || (await status()).pausedUntil !== null) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test("users and groups are sent as they are, to a strict service and to a sloppy one", async () => {
  for (const peer of [strict, sloppy]) {
    const of = await targeted(peer, { groups: { mode: "all" } }, async ({ user, group }) => {
      const ada = await user("ada", {
        email: "ada@example.com",
        attributes: { firstName: "Ada", lastName: "Lovelace", department: "Engines" },
      });
      await group("engineers", ada, await user("bob"), await user("cyd"), await user("dan"), await user("eve"));
    });
    await settle(of);
    expect(peer.user("ada")).toMatchObject({
      active: true,
      name: { givenName: "Ada", familyName: "Lovelace" },
      displayName: "Ada Lovelace",
      emails: [{ value: "ada@example.com", primary: true }],
    });
    expect(peer.members("engineers")).toEqual(["ada", "bob", "cyd", "dan", "eve"]);
    expect([...peer.users.values()].map(({ userName }) => userName)).not.toContain("admin");
    expect(await of.status()).toMatchObject({ state: "OK", users: { synced: 5, pending: 0, failed: 0 }, groups: { synced: 2 } });
  }
});
