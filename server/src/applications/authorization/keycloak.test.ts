import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { clock, DAY } from "../../kernel/clock.ts";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { fromKeycloakAuthorization } from "./keycloak.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  // The clean-up would read the moved clock.
  await iam.server.jobs.stop();
});
afterAll(() => iam?.close());
afterEach(() => clock.reset());

const must = ({ status, text, body }: Answer) => {
  expect(status, text).toBeLessThan(300);
  return body;
};

/** Returns a policy in the form of an export of Keycloak 26.7: lists are JSON inside a text, permissions are policies. */
const policy = (name: string, type: string, config: object, more: object = {}) => ({
  ...{ name, type, logic: "POSITIVE", decisionStrategy: "UNANIMOUS", ...more },
  config: Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)]),
  ),
});
const settings = {
  ...{ allowRemoteResourceManagement: true, policyEnforcementMode: "ENFORCING", decisionStrategy: "UNANIMOUS" },
  resources: [
    {
      ...{ name: "orders", type: "urn:shop:orders", ownerManagedAccess: true, displayName: "Orders", attributes: { region: ["eu"] } },
      ...{ uris: ["/orders/*"], scopes: [{ name: "view" }, { name: "edit" }] },
    },
    { name: "of ada", owner: { name: "ada" }, scopes: [] },
  ],
  policies: [
    policy("clerks", "role", { roles: [{ id: "clerk", required: true }] }),
    policy("office hours", "time", { hour: "8", hourEnd: "18" }),
    policy("edit orders", "scope", { resources: ["orders"], scopes: ["edit"], applyPolicies: ["office hours", "clerks"] }),
    policy("see orders", "resource", { resources: ["orders"], applyPolicies: ["clerks"] }, { decisionStrategy: "AFFIRMATIVE" }),
    policy("code", "js", { code: "$evaluation.grant()" }, { logic: "NEGATIVE" }),
    policy("print orders", "scope", { resources: ["orders"], scopes: ["print it"], applyPolicies: ["code"] }),
    policy("of users", "resource", { resources: ["of ada"], applyPolicies: ["clerks"] }),
    policy("bomb", "regex", { targetClaim: "x", pattern: "(?=a)b" }),
    policy("both", "aggregate", { applyPolicies: ["clerks", "office hours"] }, { decisionStrategy: "CONSENSUS" }),
    policy("members", "group", { groups: [{ path: "/Staff", extendChildren: true }], groupsClaim: "groups" }),
  ],
  scopes: [{ name: "view" }, { name: "edit" }, { name: "print it", iconUri: "https://x.example/i.png" }],
};

test("an export of Keycloak decides here as it did there, except for the documented differences; a part that cannot be converted denies", async () => {
  const { item, notes } = fromKeycloakAuthorization("api", settings);
  expect(notes.map((note) => note.replace(/:.*/, ""))).toEqual([
    ...[
      "scope “print it” is called “print_it” here",
      "resource “orders” belongs to the client",
      expect.stringContaining("resource “of ada”"),
    ],
    ...["policy “office hours”", "policy “code” of type js cannot be carried over", "policy “bomb” of type regex cannot be carried over"],
    expect.stringContaining("permission “of users”"),
  ]);
  expect(fromKeycloakAuthorization("api", null).item).toMatchObject({ clientId: "api", enabled: true, policies: [] });

  const realm = await iam.realm();
  const admin = await realm.admin();
  const { id } = must(await admin.post("/clients", { clientId: "api" }));
  must(await admin.post("/roles", { name: "clerk" }));
  const { groupId } = must(await admin.post("/groups", { name: "Clerks" }));
  must(await admin.post("/groups", { name: "Staff" }));
  must(await admin.post(`/groups/${groupId}/roles`, { name: "clerk" }));
  const document = { schema: "gatehouse.realm/v1", authorization: [item] };
  must(await admin.post("/import", document));
  const [exported] = must(await admin.get("/export?sections=authorization")).authorization;
  expect(exported).toMatchObject({ clientId: "api", resources: [{ name: "orders", type: "urn:shop:orders" }] });
  // The present roles count, also those of a group. The answers are the same for each set of scopes, at a time outside of office hours.
  const people = { user1: true, user2: false, user7: true };
  for (const [username, isClerk] of Object.entries(people)) {
    const { userId } = must(await admin.post("/users", { username, enabled: username !== "user7" }));
    if (isClerk) must(await admin.put(`/groups/${groupId}/members/${userId}`));
  }
  clock.advance(Math.ceil(clock.now() / DAY) * DAY + 6.6 * 3_600_000 - clock.now());
  const boss = realm.asMaster();
  const ask = async (userId: string, scopes: readonly string[]) => {
    const resources = [{ name: "orders", ...(scopes.length > 0 && { scopes }) }];
    const { status, results } = must(await boss.post(`/clients/${id}/authz/evaluate`, { userId, resources }));
    return [status, ...results[0].allowedScopes];
  };
  for (const [scopes, there] of [
    [["view"], ["PERMIT", "view"]],
    [["edit"], ["DENY"]],
    // Keycloak answers PERMIT for a part of the requested scopes. Decision 0045 explains the difference.
    [
      ["view", "edit"],
      ["DENY", "view"],
    ],
    [[], ["PERMIT", "view"]],
  ] as const) {
    expect(await ask("user1", scopes), `a clerk: ${scopes}`).toEqual(there);
    expect(await ask("user2", scopes), `another: ${scopes}`).toEqual(["DENY"]);
    // Keycloak also grants the permissions of a disabled user. Decision 0045 explains the difference.
    expect(await ask("user7", scopes), `a disabled clerk: ${scopes}`).toEqual(["DENY"]);
  }
  clock.advance(4 * 3_600_000);
  expect(await ask("user1", ["edit"]), "in office hours").toEqual(["PERMIT", "edit"]);

  // The policy that was code is always undecided, although its logic is NEGATIVE.
  must(await boss.patch(`/clients/${id}/authz/resources/orders`, { scopes: ["view", "edit", "print_it"] }));
  expect(await ask("user1", ["print_it"])).toEqual(["DENY"]);
  const { users: _, ...without } = exported.policies.find(({ name }: { name: string }) => name === "code");
  expect(without).toEqual({ name: "code", type: "user", logic: "NEGATIVE" });
  clock.reset();
  // Everything that the document names exists, everything else is deleted, and a second import changes nothing.
  must(await boss.patch(`/clients/${id}/authz/resources/orders`, { scopes: ["view", "edit"] }));
  must(await admin.post("/import", document));
  expect(must(await admin.post("/import?dryRun=true", { ...document, authorization: [exported] })).actions).toEqual([]);
  must(await admin.post("/import", { ...document, authorization: [{ clientId: "api", enabled: false, scopes: [{ name: "view" }] }] }));
  const [left] = must(await admin.get("/export?sections=authorization&full=true")).authorization;
  expect(left).toMatchObject({ enabled: false, scopes: [{ name: "view" }], resources: [], policies: [], permissions: [] });
});
