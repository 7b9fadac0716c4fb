import type { Harness } from "./harness.ts";
import type { AdminClient, RealmUnderTest } from "./realm.ts";
import type { ScimPeer } from "./scim-peer.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape
type Json = any;

export interface Targeted {
  readonly realm: RealmUnderTest;
  readonly admin: AdminClient;
  readonly id: string;
  user(username: string, more?: object): Promise<string>;
  group(name: string, ...members: string[]): Promise<string>;
  status(): Promise<Json>;
  objects(query: string): Promise<Json[]>;
  change(settings: object): Promise<void>;
}

export const must = (answer: { status: number; text: string; body: Json }) => {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body;
};

export type TargetStage = ReturnType<typeof targetStage>;

/** Makes realms with a SCIM target. The server's jobs are stopped: tests decide when something is sent. */
export function targetStage(iam: Harness) {
  const made: { admin: AdminClient; id: string }[] = [];

  /** Makes a realm whose users, except administrators, are sent to the peer. The group `staff` is in scope. */
  async function targeted(peer: ScimPeer, settings: object = {}, prepare?: (of: Targeted) => Promise<void>): Promise<Targeted> {
    const realm = await iam.realm();
    // The administrator has an address of its own: counters by address do not move back with the clock.
    const admin = await realm.admin();
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
      objects: async (query) => must(await admin.get(`/scim-targets/${targeted.id}/objects?${query}`)),
      change: async (settings) => void must(await admin.patch(`/scim-targets/${targeted.id}`, settings)),
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
    made.push({ admin: realm.asMaster(), id: targeted.id });
    return targeted;
  }

  /** Waits until nothing is due. Transactions of other tests may hold a full sync back for a moment. */
  async function settle({ status }: Targeted): Promise<void> {
    for (;;) {
      await iam.server.scimTargets.runDue();
      const { state, syncing } = await status();
      if (!syncing || ["PAUSED", "SUSPENDED", "DISABLED"].includes(state)) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  return {
    targeted,
    settle,
    /** Registers a target that the test made itself. */
    remember: (target: (typeof made)[number]) => void made.push(target),
    /** Deletes the targets of a test. */
    async clear() {
      for (const { admin, id } of made.splice(0)) await admin.delete(`/scim-targets/${id}`);
    },
  };
}
