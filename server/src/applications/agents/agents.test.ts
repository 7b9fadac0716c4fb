import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clock, DAY } from "../../kernel/clock.ts";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { onPostgres } from "../../testing/on-postgres.ts";
import { allowMessages, outbox } from "../../testing/outbox.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { remindOwners } from "./index.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  // Reminders are sent only when a test runs them.
  await iam.server.jobs.stop();
});
afterAll(() => iam?.close());

const ok = ({ status, text, body }: Answer) => {
  expect(status, text).toBeLessThan(300);
  return body;
};
const refusal = ({ status, body }: Answer) => [status, body?.code];
const client = async (realm: RealmUnderTest, clientId: string, more: object = {}) =>
  ok(await realm.asMaster().post("/clients", { clientId, grantTypes: ["client_credentials"], ...more })) as { id: string; secret: string };
const tokenFor = (realm: RealmUnderTest, clientId: string, secret: string, form: object = {}) =>
  iam.browser().request("POST", `/realms/${realm.name}/token`, {
    form: { grant_type: "client_credentials", client_id: clientId, client_secret: secret, ...form },
    csrf: false,
  });
const claimsOf = ({ body }: Answer) => JSON.parse(Buffer.from(body.access_token.split(".")[1], "base64url").toString());

test("CREATED → ACTIVE ⇄ SUSPENDED → REVOKED, each move recorded, every other one a 409; tokens follow", async () => {
  const realm = await iam.realm();
  const boss = realm.asMaster();
  const { id: client1, secret } = await client(realm, "bot");
  const before = (await tokenFor(realm, "bot", secret)).body.access_token;
  const owner = await realm.user("ada");
  const agent = ok(await boss.post("/agents", { name: "Invoice bot", clientId: "bot" }));
  expect(agent).toMatchObject({ status: "CREATED", scopes: [], ownerUserId: null, activatedAt: null, reviewDueAt: null, lastUsedAt: null });
  const at = `/agents/${agent.id}`;
  const move = async (action: string) => refusal(await boss.post(`${at}/${action}`));
  const introspect = async (token: string) =>
    (
      await iam.browser().request("POST", `/realms/${realm.name}/introspect`, {
        form: { token, client_id: "watch", client_secret: watch.secret },
        csrf: false,
      })
    ).body.active;
  const watch = await client(realm, "watch", { introspectAll: true });
  expect(ok(await boss.get(`/clients/${client1}`))).toMatchObject({ agentId: agent.id });
  expect((await boss.patch(`/clients/${client1}`, { agentId: client1 })).status).toBe(400);
  expect((await boss.patch(`/clients/${client1}`, { publicClient: true, authMethod: "none", grantTypes: [] })).body.errors).toMatchObject([
    { field: "publicClient", code: "agent" },
  ]);

  // The agent is CREATED.
  expect(await tokenFor(realm, "bot", secret)).toMatchObject({ status: 401, body: { error: "invalid_client" } });
  expect(await move("suspend")).toEqual([409, "agents.state"]);
  expect((await boss.post(`${at}/suspend`)).body.detail).toBe(
    "The agent is CREATED, which does not allow this; it can become ACTIVE or REVOKED",
  );
  expect(await move("attest")).toEqual([409, "agents.state"]);
  expect(await move("activate")).toEqual([409, "agents.no_owner"]);
  ok(await boss.patch(at, { ownerUserId: owner.userId, expiresAt: clock.now() - 1 }));
  expect(await move("activate")).toEqual([409, "agents.expired"]);
  ok(await boss.patch(at, { expiresAt: clock.now() + 200 * DAY }));
  expect(await move("activate")).toEqual([200, undefined]);

  // The agent is ACTIVE: tokens name it, and one from before the binding does not count.
  const answer = await tokenFor(realm, "bot", secret);
  expect(claimsOf(answer)).toMatchObject({ nhi: true, agent_id: agent.id, sub: "bot", client_id: "bot" });
  const token = answer.body.access_token;
  expect(await introspect(token)).toBe(true);
  expect(await introspect(before)).toBe(false);
  expect(await move("activate")).toEqual([409, "agents.state"]);
  expect(refusal(await boss.patch(at, { ownerUserId: null }))).toEqual([409, "agents.no_owner"]);
  expect(refusal(await boss.patch(at, { clientId: "watch" }))).toEqual([409, "agents.bound"]);
  expect(refusal(await boss.patch(at, { clientId: null }))).toEqual([409, "agents.bound"]);
  await iam.server.activity.flush();
  expect(ok(await boss.get(at)).lastUsedAt).toBeGreaterThanOrEqual(agent.createdAt);

  // The agent is SUSPENDED, and activated again.
  expect(await move("suspend")).toEqual([200, undefined]);
  expect(await introspect(token)).toBe(false);
  expect((await tokenFor(realm, "bot", secret)).status).toBe(401);
  expect(await move("activate")).toEqual([200, undefined]);
  expect(await introspect(token)).toBe(true);

  // Its scopes restrict every token. The expiry is no status, but ends them too.
  ok(await boss.post("/client-scopes", { name: "orders", assignment: "OPTIONAL" }));
  ok(await boss.patch(at, { scopes: ["roles"] }));
  expect((await tokenFor(realm, "bot", secret, { scope: "orders" })).body.error).toBe("invalid_scope");
  expect((await boss.post("/agents", { name: "x", scopes: ["nonsense"] })).body.errors).toMatchObject([{ field: "scopes" }]);
  ok(await boss.patch(at, { expiresAt: clock.now() - 1 }));
  expect(await introspect(token)).toBe(false);
  expect((await tokenFor(realm, "bot", secret)).status).toBe(401);
  expect(ok(await boss.get(at)).status).toBe("ACTIVE");
  ok(await boss.patch(at, { expiresAt: null }));

  // REVOKED is final. To delete the agent leaves no client that can be used.
  expect(await move("revoke")).toEqual([200, undefined]);
  for (const action of ["activate", "suspend", "revoke", "attest"]) expect(await move(action)).toEqual([409, "agents.state"]);
  expect(refusal(await boss.patch(at, { name: "another" }))).toEqual([409, "agents.state"]);
  expect((await boss.delete(at)).status).toBe(204);
  expect(ok(await boss.get(`/clients/${client1}`))).toMatchObject({ enabled: false, agentId: null });
  expect(await introspect(token)).toBe(false);
  const types = (await realm.events("resourceType=agents")).map(({ type }) => type).filter((type) => type.startsWith("AGENT_"));
  expect(types.reverse()).toEqual(["AGENT_ACTIVATED", "AGENT_SUSPENDED", "AGENT_ACTIVATED", "AGENT_REVOKED"]);
});

onPostgres(
  "binding, activating, editing and deleting take what the client's service account holds; suspending and revoking do not",
  async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    const { userId: ownerUserId } = await realm.user();
    const { id, secret } = await client(realm, "mighty");
    const { roleId } = ok(await boss.post("/roles", { name: "keeper" }));
    ok(await boss.put(`/admin-roles/${roleId}`, { permissions: ["manage-users"] }));
    ok(await boss.post(`/clients/${id}/service-account/roles`, { name: "keeper" }));
    const weak = await realm.as("view-clients", "manage-clients");
    const looker = await realm.as("view-clients");
    const escalation = [403, "permissions.escalation"];
    expect(refusal(await weak.post("/agents", { name: "a", clientId: "mighty" }))).toEqual(escalation);
    const free = ok(await weak.post("/agents", { name: "a" }));
    expect(refusal(await weak.patch(`/agents/${free.id}`, { clientId: "mighty" }))).toEqual(escalation);
    const agent = ok(await boss.post("/agents", { name: "b", clientId: "mighty", ownerUserId }));
    const at = `/agents/${agent.id}`;
    expect(refusal(await weak.post(`${at}/activate`))).toEqual(escalation);
    ok(await boss.post(`${at}/activate`));
    expect(refusal(await weak.patch(at, { scopes: [] }))).toEqual(escalation);
    expect(refusal(await weak.delete(at))).toEqual(escalation);
    for (const action of ["activate", "suspend", "revoke", "attest"]) expect((await looker.post(`${at}/${action}`)).status).toBe(403);
    expect((await looker.get("/agents")).body).toHaveLength(2);
    ok(await weak.post(`${at}/suspend`));
    ok(await weak.post(`${at}/revoke`));

    // Ids that are no client, user or id of this realm are refused, and so are names that are taken.
    const other = await iam.realm();
    const stranger = await other.user();
    const fields = async (body: object) =>
      (await boss.post("/agents", { name: "c", ...body })).body.errors?.map((e: { field: string }) => e.field);
    expect(await fields({ clientId: "nobody" })).toEqual(["clientId"]);
    expect(await fields({ ownerUserId: stranger.userId })).toEqual(["ownerUserId"]);
    expect(await fields({ name: "a\u202eb" })).toEqual(["name"]);
    await client(realm, "spa", { publicClient: true, grantTypes: ["authorization_code"], redirectUris: ["https://spa.example/cb"] });
    expect(await fields({ clientId: "spa" })).toEqual(["clientId"]);
    expect(refusal(await boss.post("/agents", { name: "c", clientId: "mighty" }))).toEqual([409, "agents.client_taken"]);
    expect(refusal(await boss.post("/agents", { name: "A" }))).toEqual([409, "agents.name_taken"]);
    expect((await other.asMaster().get(at)).status).toBe(404);
    expect((await other.asMaster().post(`${at}/attest`)).status).toBe(404);
    expect((await tokenFor(realm, "mighty", secret)).status).toBe(401);

    // If its client is deleted, the agent waits for another one.
    await client(realm, "second");
    const third = ok(await boss.post("/agents", { name: "d", clientId: "second", ownerUserId }));
    ok(await boss.post(`/agents/${third.id}/activate`));
    const [{ id: second }] = (await boss.get("/clients?search=second")).body;
    expect((await boss.delete(`/clients/${second}`)).status).toBe(204);
    expect(ok(await boss.get(`/agents/${third.id}`))).toMatchObject({ status: "SUSPENDED", clientId: null });
  },
);

test("owners see, attest and suspend their own agents, in person; the review follows the settings, by mail", async () => {
  const realm = await iam.realm();
  const boss = realm.asMaster();
  await allowMessages(realm);
  const owner = await realm.user("grace");
  ok(await boss.patch(`/users/${owner.userId}`, { email: "grace@example.com", emailVerified: true }));
  const other = await realm.user();
  for (const clientId of ["one", "two"]) await client(realm, clientId);
  const mine = ok(await boss.post("/agents", { name: "Nightly", clientId: "one", ownerUserId: owner.userId }));
  const theirs = ok(await boss.post("/agents", { name: "Other", clientId: "two", ownerUserId: other.userId }));
  for (const { id } of [mine, theirs]) ok(await boss.post(`/agents/${id}/activate`));
  const browser = iam.browser();
  await browser.signIn(realm.name, owner.username, owner.password);
  const account = `/realms/${realm.name}/account/agents`;
  expect((await browser.get(account)).body).toMatchObject([{ id: mine.id, name: "Nightly", status: "ACTIVE" }]);
  expect((await browser.post(`${account}/${theirs.id}/suspend`)).status).toBe(404);
  expect((await browser.post(`${account}/${mine.id}/activate`)).status).toBe(404);
  expect((await browser.post(`${account}/${mine.id}/suspend`, undefined, { csrf: false })).status).toBe(403);

  // The review is due after 90 days, or sooner if the realm says so.
  const { reviewDueAt, activatedAt } = ok(await boss.get(`/agents/${mine.id}`));
  expect(reviewDueAt).toBe(activatedAt + 90 * DAY);
  ok(await boss.patch("/settings", { agents: { reviewDays: 1, suspendOverdueAfterDays: 1 } }));
  expect((await boss.get("/agents/owner-review")).body).toEqual([]);
  clock.advance(DAY + 1);
  ok(await boss.patch("/settings", {})); // signs in again
  expect((await boss.get("/agents/owner-review")).body.map(({ name }: { name: string }) => name).sort()).toEqual(["Nightly", "Other"]);
  const parts = { ...iam.core.background, messages: iam.server.messages, baseUrl: iam.config.baseUrl, log: iam.core.log };
  await Promise.all([remindOwners(parts), remindOwners(parts)]);
  expect(await outbox(iam, realm)).toMatchObject([{ to: "grace@example.com", text: expect.stringContaining("Nightly") }]);
  await browser.signIn(realm.name, owner.username, owner.password);
  const attested = ok(await browser.post(`${account}/${mine.id}/attest`));
  expect(attested.reviewDueAt).toBeGreaterThan(clock.now());
  expect((await boss.get("/agents/owner-review")).body).toMatchObject([{ name: "Other" }]);
  clock.advance(DAY);
  ok(await boss.patch("/settings", {}));
  await remindOwners(parts);
  expect(ok(await boss.get(`/agents/${theirs.id}`)).status).toBe("SUSPENDED");
  expect(ok(await boss.get(`/agents/${mine.id}`)).status).toBe("ACTIVE");
  await browser.signIn(realm.name, owner.username, owner.password);
  expect(ok(await browser.post(`${account}/${mine.id}/suspend`)).status).toBe("SUSPENDED");
  expect((await realm.events("type=AGENT_ATTESTED"))[0]).toMatchObject({ actor: "grace", resourceId: mine.id });

  // A disabled and a deleted owner leave suspended agents, which come first in the list.
  for (const { id } of [mine, theirs]) ok(await boss.post(`/agents/${id}/activate`));
  ok(await boss.patch(`/users/${owner.userId}`, { enabled: false }));
  expect((await boss.delete(`/users/${other.userId}`)).status).toBe(204);
  expect((await boss.get("/agents/owner-review")).body).toMatchObject([
    { name: "Nightly", status: "SUSPENDED", ownerUserId: owner.userId },
    { name: "Other", status: "SUSPENDED", ownerUserId: null },
  ]);
  expect(refusal(await boss.post(`/agents/${mine.id}/activate`))).toEqual([409, "agents.no_owner"]);
});

test("a scope that an agent lists cannot be deleted; an agent that lists a deleted one can still be changed", async () => {
  const realm = await iam.realm();
  const boss = realm.asMaster();
  const { scopeId } = ok(await boss.post("/client-scopes", { name: "orders" }));
  const agent = ok(await boss.post("/agents", { name: "Clerk", scopes: ["orders"] }));
  const refused = await boss.delete(`/client-scopes/${scopeId}`);
  expect(refusal(refused)).toEqual([409, "client_scopes.in_use"]);
  expect(refused.body.detail).toContain("Agents list this scope: Clerk.");
  await sql`delete from client_scopes where realm_id = ${realm.name} and scope_id = ${scopeId}`.execute(iam.core.db);
  const at = `/agents/${agent.id}`;
  expect(ok(await boss.put(at, (await boss.get(at)).body)).scopes).toEqual(["orders"]);
  expect((await boss.patch(at, { scopes: ["orders", "nonsense"] })).body.errors).toMatchObject([
    { message: expect.stringContaining("nonsense") },
  ]);
  ok(await boss.patch(at, { scopes: [] }));
  expect((await boss.patch(at, { scopes: ["orders"] })).status).toBe(400);
  // A revoked agent cannot be changed, and does not keep a scope from being deleted.
  const other = ok(await boss.post("/client-scopes", { name: "bills" }));
  ok(await boss.patch(at, { scopes: ["bills"] }));
  ok(await boss.post(`${at}/revoke`));
  expect((await boss.delete(`/client-scopes/${other.scopeId}`)).status).toBe(204);
});
