import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness, testDatabase } from "../../testing/harness.ts";
import { identityProvider } from "../../testing/identity-providers.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";

const AT_ONCE = 40;

/** A record of each kind, and the patch that names its turn. */
const kinds: Record<string, { make: (realm: RealmUnderTest) => Promise<string>; patch: (turn: number) => Record<string, unknown> }> = {
  user: {
    make: async (realm) => `/users/${(await realm.user()).userId}`,
    patch: (turn) => ({ attributes: { [`a${turn}`]: [String(turn)] } }),
  },
  client: {
    make: async (realm) => `/clients/${(await realm.asMaster().post("/clients", { clientId: "app", name: "App" })).body.id}`,
    patch: (turn) => ({ name: `App ${turn}` }),
  },
  realm: { make: async () => "", patch: (turn) => ({ displayName: `Realm ${turn}` }) },
  "realm's settings": { make: async () => "/settings", patch: (turn) => ({ displayName: `Realm ${turn}` }) },
  group: {
    make: async (realm) => `/groups/${(await realm.asMaster().post("/groups", { name: "staff" })).body.groupId}`,
    patch: (turn) => ({ description: `turn ${turn}` }),
  },
  role: {
    make: async (realm) => `/roles/${(await realm.asMaster().post("/roles", { name: "clerk" })).body.roleId}`,
    patch: (turn) => ({ description: `turn ${turn}` }),
  },
  organization: {
    make: async (realm) =>
      `/organizations/${(await realm.asMaster().post("/organizations", { name: "Acme", alias: "acme" })).body.organizationId}`,
    patch: (turn) => ({ name: `Acme ${turn}` }),
  },
  "identity provider": {
    make: async (realm) =>
      `/identity-providers/${(await realm.asMaster().post("/identity-providers", identityProvider("oidc", "corp"))).body.alias}`,
    patch: (turn) => ({ displayName: `Corp ${turn}` }),
  },
  webhook: {
    make: async (realm) =>
      `/webhooks/${(await realm.asMaster().post("/webhooks", { name: "hook", url: "https://hooks.example.com/in", eventTypes: "LOGIN_FAILURE", enabled: true })).body.id}`,
    patch: (turn) => ({ name: `hook ${turn}` }),
  },
};

describe.skipIf(testDatabase() !== "postgres")("many patches of one record at once, by two nodes", () => {
  let iam: SharedHarness;
  let other: Awaited<ReturnType<SharedHarness["secondNode"]>>;
  beforeAll(async () => {
    iam = await sharedHarness();
    other = await iam.secondNode();
  });
  afterAll(() => iam?.close());

  test.each(Object.entries(kinds))("of a %s are all applied", async (_kind, { make, patch }) => {
    const realm = await iam.realm();
    const master = realm.asMaster();
    const path = await make(realm);
    const elsewhere = master.browser.elsewhere(other.server.app);
    const before = Number(/\d+/.exec(String((await master.get(path)).headers.etag)));
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, turn) =>
        turn % 2 === 0 ? master.patch(path, patch(turn)) : elsewhere.patch(`/admin/realms/${realm.name}${path}`, patch(turn)),
      ),
    );
    expect(answers.filter(({ status }) => status !== 200).map(({ status, text }) => `${status} ${text}`)).toEqual([]);
    const { body, headers } = await master.get(path);
    expect(Number(/\d+/.exec(String(headers.etag))) - before).toBe(AT_ONCE);
    if (path.startsWith("/users/")) expect(Object.keys(body.attributes)).toHaveLength(AT_ONCE);
  });

  test("of users hold while their roles are renamed", async () => {
    const realm = await iam.realm();
    const master = realm.asMaster();
    const elsewhere = master.browser.elsewhere(other.server.app);
    const roles: string[] = [];
    for (let i = 0; i < 5; i++) roles.push((await master.post("/roles", { name: `role ${i}` })).body.roleId);
    const { userId } = await realm.user();
    for (let i = 0; i < 5; i++) await master.post(`/users/${userId}/roles`, { name: `role ${i}` });
    const renames = roles.map(
      (roleId, i) => () => elsewhere.patch(`/admin/realms/${realm.name}/roles/${roleId}`, { name: `renamed ${i}` }),
    );
    const patches = Array.from({ length: 20 }, (_, i) => () => master.patch(`/users/${userId}`, { attributes: { [`a${i}`]: ["x"] } }));
    const answers = await Promise.all([...patches.slice(0, 10), ...renames, ...patches.slice(10)].map((call) => call()));
    expect(answers.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([]);
    const { body } = await master.get(`/users/${userId}`);
    expect(body.roles).toEqual(expect.arrayContaining(roles.map((_, i) => `renamed ${i}`)));
    const refused = await master.patch(`/users/${userId}`, { roles: ["nobody's"] });
    expect([refused.status, refused.body.errors[0].code]).toEqual([400, "unknown_role"]);
  });
});
