// The whole admin API at once: what each permission opens, and that no id reaches into another realm.
// The table is written from the decisions, not from the routes: a route that is missing here, or asks for something else, fails.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clock, DAY } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { all, opens } from "../../testing/admin-permissions.ts";
import type { Browser } from "../../testing/browser.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import { identityProvider } from "../../testing/identity-providers.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import type { Permission } from "./index.ts";

/** The same for routes over all realms, called in `master`. */
const opensInMaster: Record<string, readonly Permission[]> = {
  "GET /admin/realms": [],
  "POST /admin/realms": [],
  "GET /admin/realms/:realm": [],
  "PUT /admin/realms/:realm": [],
  "DELETE /admin/realms/:realm": [],
  "GET /admin/audit/config": ["view-events"],
  "GET /admin/metrics/summary": ["view-events"],
};

// A record that can be replaced can be patched by the same people.
for (const table of [opens, opensInMaster])
  for (const [route, permissions] of Object.entries(table))
    if (route.startsWith("PUT ")) table[route.replace("PUT", "PATCH")] ??= permissions;

let iam: Harness;
let realm: RealmUnderTest;
beforeAll(async () => {
  iam = await harness();
  // Rows that are due or have expired stay as they are while they are compared.
  await iam.server.jobs.stop();
  await iam.server.webhooks.stop();
  await iam.server.scimTargets.stop();
  realm = await iam.realm();
});
afterAll(() => iam?.close());

/** Parameters whose values are the same in every realm. */
const OF_THE_PRODUCT: ReadonlySet<string> = new Set(["type", "locale"]);

let known: string[] | undefined;
/** Every admin route of the running server, as `METHOD /path`. */
const adminRoutes = () => (known ??= readRoutes());

function readRoutes(): string[] {
  const trail: string[] = [];
  const routes = new Set<string>();
  for (const line of iam.server.app.printRoutes({ commonPrefix: false }).split("\n")) {
    const [, indent, segment, methods] = /^([\s│]*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?/.exec(line) ?? [];
    if (segment === undefined) continue;
    trail.length = indent!.length / 4;
    trail.push(segment);
    const path = trail.join("").replace(/(.)\/$/, "$1");
    if (path !== "/admin" && !path.startsWith("/admin/")) continue;
    for (const method of (methods ?? "").split(", ").filter(Boolean))
      if (!["HEAD", "OPTIONS"].includes(method)) routes.add(`${method} ${path}`);
  }
  return [...routes].sort();
}

const IN_REALM = "/admin/realms/:realm/";
const relative = (route: string) => route.replace("/admin/realms/:realm", "");
const inRealm = () =>
  adminRoutes()
    .filter((route) => route.includes(IN_REALM))
    .map(relative);
const overRealms = () => adminRoutes().filter((route) => !route.includes(IN_REALM));

/** With unknown ids and an unknown member: a request that passes the gate changes nothing. */
async function statusOf(browser: Browser, route: string, fill: (path: string) => string): Promise<number> {
  const [method, path] = route.split(" ") as [string, string];
  const url = fill(path).replace(/:(?!realm\b)\w+/g, () => newId());
  const hasBody = method === "POST" || method === "PUT" || method === "PATCH";
  return (await browser.request(method, url, hasBody ? { body: { unheardOf: true } } : {})).status;
}

/** The status of each route, in their order; several at once, so that server and database work at the same time. */
async function statusesOf(browser: Browser, routes: readonly string[], fill: (path: string, route: string) => string) {
  const statuses: { route: string; status: number }[] = [];
  for (let from = 0; from < routes.length; from += 8) {
    const some = routes.slice(from, from + 8);
    statuses.push(
      ...(await Promise.all(some.map(async (route) => ({ route, status: await statusOf(browser, route, (path) => fill(path, route)) })))),
    );
  }
  return statuses;
}

const routesWith = (statuses: { route: string; status: number }[], isSo: (status: number) => boolean) =>
  statuses.filter(({ status }) => isSo(status)).map(({ route }) => route);

describe("permissions by area", () => {
  test("the table names every admin route, and the server has them", () => {
    expect(inRealm().length).toBeGreaterThan(20);
    expect(inRealm().filter((route) => !(route in opens))).toEqual([]);
    expect(overRealms().filter((route) => !(route in opensInMaster))).toEqual([]);
  });

  test.each([...all, null])("in the realm, %s opens exactly its own", async (permission) => {
    const holder = await realm.as(...(permission ? [permission] : []));
    const statuses = await statusesOf(holder.browser, inRealm(), (path) => `/admin/realms/${realm.name}${path}`);
    expect(routesWith(statuses, (status) => status === 401 || status === 500)).toEqual([]);
    const expected = inRealm().filter((route) => permission && (permission === "realm-admin" || opens[route]!.includes(permission)));
    expect(routesWith(statuses, (status) => status !== 403)).toEqual(expected);
    const above = await statusesOf(holder.browser, overRealms(), (path) => path.replace(":realm", realm.name));
    expect(
      routesWith(above, (status) => status !== 401),
      "they need a session of master",
    ).toEqual([]);
  });

  test.each([...all, null])("in master, %s opens exactly its own, here and in every realm", async (permission) => {
    const browser = await iam.ofMaster(`holds-${permission}`, ...(permission ? [permission] : []));
    // `master` is the one realm that is safe to ask for: it is never deleted.
    const target = (route: string) => (permission === "realm-admin" && route.startsWith("DELETE") ? "master" : realm.name);
    const above = await statusesOf(browser, overRealms(), (path, route) => path.replace(":realm", target(route)));
    expect(routesWith(above, (status) => status !== 403)).toEqual(
      overRealms().filter((route) => permission && (permission === "realm-admin" || opensInMaster[route]!.includes(permission))),
    );
    const below = await statusesOf(browser, inRealm(), (path) => `/admin/realms/${realm.name}${path}`);
    // A session of master without any permission is not one for this realm.
    expect(routesWith(below, (status) => status !== 403 && status !== 401)).toEqual(
      inRealm().filter((route) => permission && (permission === "realm-admin" || opens[route]!.includes(permission))),
    );
  });

  test("nothing opens without a session, or with one of another realm", async () => {
    const other = await iam.realm();
    const outsider = await other.as("realm-admin");
    const routes = [...inRealm().map((path) => path.replace(" ", " /admin/realms/:realm")), ...overRealms()];
    for (const browser of [iam.browser(), outsider.browser]) {
      const statuses = await statusesOf(browser, routes, (path) => path.replace(":realm", realm.name));
      expect(routesWith(statuses, (status) => status !== 401)).toEqual([]);
    }
  });
});

describe("an id of another realm is a 404", () => {
  const mapper = { name: "target", claim: "target", source: "constant", value: "yes" };
  const passwordSteps = [{ authenticator: "username-password", requirement: "REQUIRED" }];
  /** The body that each route would accept, were the id its own realm's. */
  const bodies: Record<string, object> = {
    "PUT /agents/:id": { name: "taken-over" },
    "PUT /users/:userId/source": { source: "local" },
    "PUT /users/:userId": { username: "taken-over", enabled: true, locked: false, roles: [] },
    "PUT /users/:userId/password": { newPassword: "a password from elsewhere" },
    "POST /users/:userId/credentials": { type: "enrollment-token" },
    "PUT /users/:userId/required-actions": { requiredActions: ["VERIFY_EMAIL"] },
    "POST /users/:userId/required-actions": { action: "VERIFY_EMAIL" },
    "POST /users/:userId/roles": { name: "user" },
    "PUT /groups/:groupId": { name: "taken-over" },
    "POST /groups/:groupId/members": { userId: newId() },
    "POST /groups/:groupId/roles": { name: "target" },
    "PUT /roles/:roleId": { name: "taken-over" },
    "PUT /admin-roles/:roleId": { permissions: [] },
    "PUT /organizations/:orgId": { name: "taken-over", enabled: true },
    "PUT /organizations/:orgId/members/:userId": { role: "owner" },
    "POST /users/:userId/send-actions-email": { actions: ["UPDATE_PASSWORD"] },
    "POST /organizations/:orgId/invitations": { email: "somebody@example.com" },
    "PUT /applications/:name": { displayName: "taken over", enabled: true },
    "PUT /identity-providers/:alias": { ...identityProvider("google"), alias: undefined, enabled: true },
    "POST /identity-providers/:alias/mappers": { name: "a", type: "role", role: "user" },
    "PUT /identity-providers/:alias/mappers/:mapperId": { name: "a", type: "role", role: "user" },
    "PUT /flows/:alias": { displayName: "taken over", steps: passwordSteps },
    "PATCH /flows/:alias": { alias: "taken-over" },
    "PUT /client-scopes/:scopeId": { assignment: "DEFAULT" },
    "PUT /claims/:claimId": { name: "taken-over", claim: "taken_over", source: "constant", value: "x" },
    "PUT /webhooks/:webhookId": { name: "taken-over", url: "https://elsewhere.example/", eventTypes: "*", enabled: true },
    "POST /webhooks/:webhookId/rotate-secret": {},
    "PUT /scim-targets/:scimTargetId": { name: "taken-over", url: "https://elsewhere.example/", auth: { type: "bearer" }, enabled: true },
    "POST /scim-targets/:scimTargetId/sync": {},
    "POST /scim-targets/:scimTargetId/confirm": {},
    "PUT /clients/:clientId": { name: "taken-over", enabled: true, publicClient: false },
    "POST /clients/:clientId/roles": { name: "taken-over" },
    "PUT /clients/:clientId/roles/:roleName": { name: "taken-over" },
    "POST /clients/:clientId/mappers": mapper,
    "PUT /clients/:clientId/mappers/:mapperId": mapper,
    "PUT /saml-clients/:entityId": { assertionConsumerServiceUrl: "https://elsewhere.example/acs", enabled: true },
    "POST /saml-clients/:entityId/mappers": mapper,
    "PUT /saml-clients/:entityId/mappers/:mapperId": mapper,
    "POST /clients/:clientId/service-account/roles": { name: "target" },
    "PUT /clients/:clientId/allowed-resources": { allowedResources: [] },
    "POST /messaging/providers/:channel/test": { to: "ada@example.com" },
    "PUT /workload-identity/:id": {
      ...{ name: "target", issuer: "https://issuer.example.com", subject: "target", audience: "target", clientId: "target", enabled: true },
    },
    "POST /clients/:clientId/preview": { userId: newId() },
    "PUT /clients/:clientId/authz/settings": { enabled: true },
    "POST /clients/:clientId/authz/evaluate": { userId: "target", scopes: ["view"] },
    "POST /clients/:clientId/authz/scopes": { name: "view" },
    "PUT /clients/:clientId/authz/scopes/:name": {},
    "POST /clients/:clientId/authz/resources": { name: "target" },
    "PUT /clients/:clientId/authz/resources/:name": {},
    "POST /clients/:clientId/authz/policies": { name: "target", type: "role", roles: [{ name: "target" }] },
    "PUT /clients/:clientId/authz/policies/:name": { roles: [{ name: "target" }] },
    "POST /clients/:clientId/authz/permissions": { name: "target", type: "resource", resourceType: "target", policies: ["target"] },
    "PUT /clients/:clientId/authz/permissions/:name": { resourceType: "target", policies: ["target"] },
  };

  test("on every route, for the realm's own administrator and for master's", async () => {
    const [here, there] = [await iam.realm(), await iam.realm()];
    const idsOf = async (of: RealmUnderTest) => {
      const admin = of.asMaster();
      await admin.post("/keys/rotate");
      const { roleId } = (await admin.post("/roles", { name: "target" })).body;
      const { userId } = (await admin.post("/users", { username: "target", roles: ["target"] })).body;
      const { groupId } = (await admin.post("/groups", { name: "target" })).body;
      await admin.put(`/groups/${groupId}/members/${userId}`);
      await admin.put(`/groups/${groupId}/roles/${roleId}`);
      await (await of.admin()).get("/users");
      const [session] = (await admin.get("/sessions")).body;
      const [, retained] = (await admin.get("/keys")).body;
      const device = { userId, driver: "fcm", token: "token-of-the-target" };
      const { id: pushTokenId } = (await admin.post("/messaging/push-tokens", device)).body;
      const hook = { name: "target", url: "https://hooks.example.com/", eventTypes: "LOGOUT", enabled: false };
      const { id: webhookId } = (await admin.post("/webhooks", hook)).body;
      const importId = `import-of-${of.name}`;
      await admin.post(`/users/import?importId=${importId}`, []);
      const deliveryId = newId();
      const delivery = { realm_id: of.name, webhook_id: webhookId, delivery_id: deliveryId, event_id: newId(), event_type: "LOGOUT" };
      await iam.core.db
        .insertInto("webhook_deliveries")
        .values({ ...delivery, event_ts: 0, next_at: 0, created_at: 0 })
        .execute();
      const { id: credentialId } = (await admin.post(`/users/${userId}/credentials`, { type: "enrollment-token" })).body;
      // Their names are the realm's own choice: only one that the other realm lacks distinguishes them.
      const { name } = (await admin.post("/applications", { name: `app-of-${of.name}`, template: "machine" })).body;
      const { alias } = (await admin.post("/flows", { alias: `flow-of-${of.name}`, steps: passwordSteps })).body;
      const { scopeId } = (await admin.post("/client-scopes", { name: "target" })).body;
      const { claimId } = (await admin.post("/claims", { name: "target", claim: "target", source: "constant", value: "x" })).body;
      await admin.put(`/client-scopes/${scopeId}/claims/${claimId}`);
      const { organizationId: orgId } = (await admin.post("/organizations", { name: "target" })).body;
      await admin.put(`/organizations/${orgId}/members/${userId}`);
      const invitationId = newId();
      const invited = { email: "target@example.com", email_key: "target@example.com", role: "member", token_hash: invitationId };
      await iam.core.db
        .insertInto("organization_invitations")
        .values({
          realm_id: of.name,
          invitation_id: invitationId,
          organization_id: orgId,
          ...invited,
          created_at: 0,
          expires_at: clock.now() + DAY,
        })
        .execute();
      await admin.post("/identity-providers", identityProvider("google", alias));
      const machine = { clientId: "target", grantTypes: ["client_credentials"] };
      const { id: clientId } = (await admin.post("/clients", machine)).body;
      await admin.put(`/clients/${clientId}/authz/settings`, { enabled: true });
      const { id: tokenId } = (await admin.post("/provisioning/initial-access-tokens", {})).body;
      const { id: scimTokenId } = (await admin.post("/provisioning/scim-tokens", { name: "target" })).body;
      const service = {
        name: "target",
        url: "https://scim.example.com",
        auth: { type: "bearer" },
        secret: "of the target",
        enabled: false,
      };
      const { id: scimTargetId } = (await admin.post("/scim-targets", service)).body;
      const objectId = newId();
      await iam.core.db
        .insertInto("scim_objects")
        .values({ realm_id: of.name, target_id: scimTargetId, kind: "user", local_id: objectId, state: "FAILED", next_at: 0 })
        .execute();
      const roleName = `target-of-${of.name}`;
      await admin.post(`/clients/${clientId}/roles`, { name: roleName });
      await admin.post(`/clients/${clientId}/service-account/roles`, { name: "target" });
      const { mapperId } = (await admin.post(`/clients/${clientId}/mappers`, mapper)).body;
      const { entityId } = (
        await admin.post("/saml-clients", { entityId: `urn:sp-of-${of.name}`, assertionConsumerServiceUrl: "https://sp.example.com/acs" })
      ).body;
      await admin.post(`/saml-clients/${entityId}/mappers`, mapper);
      const ids = {
        entityId,
        clientId,
        roleName,
        mapperId,
        tokenId,
        scimTokenId,
        scimTargetId,
        objectId,
        userId,
        credentialId,
        groupId,
        roleId,
        keyId: retained.keyId,
        id: session.id,
        pushTokenId,
        webhookId,
        deliveryId,
        importId,
        orgId,
        invitationId,
        alias,
        scopeId,
        claimId,
        name,
      };
      return ids as Record<string, string>;
    };
    const [mine, foreign] = [await idsOf(here), await idsOf(there)];
    const stateOf = async () =>
      JSON.stringify(
        await Promise.all(
          [
            "users",
            "roles",
            "admin-roles",
            "groups",
            "organizations",
            `organizations/${foreign.orgId}/members`,
            `organizations/${foreign.orgId}/invitations`,
            "applications",
            "flows",
            "identity-providers",
            "client-scopes",
            "claims",
            "provisioning/initial-access-tokens",
            "provisioning/scim-tokens",
            "scim-targets",
            `scim-targets/${foreign.scimTargetId}/objects`,
            "keys",
            "sessions",
            "messaging/push-tokens",
            "saml-clients",
            `saml-clients/${foreign.entityId}/mappers`,
            "clients",
            `clients/${foreign.clientId}/roles`,
            `clients/${foreign.clientId}/mappers`,
            `clients/${foreign.clientId}/service-account/roles`,
            `clients/${foreign.clientId}/secret`,
            "webhooks",
            `webhooks/${foreign.webhookId}/deliveries`,
          ].map(async (path) => (await there.asMaster().get(`/${path}`)).body),
        ),
      );
    const before = await stateOf();

    const routes = inRealm().filter((route) => route.includes(":"));
    expect(routes.length).toBeGreaterThan(10);
    for (const caller of [await here.as("realm-admin"), here.asMaster()]) {
      for (const route of routes) {
        const [method, path] = route.split(" ") as [string, string];
        const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!).filter((name) => !OF_THE_PRODUCT.has(name));
        // Each parameter in turn is the foreign one.
        for (const outsider of names) {
          const url = path
            .replace(":type", "enrollment-token")
            .replace(/:(\w+)/g, (_, name: string) => (name === outsider ? foreign : mine)[name] ?? `no-id-for-${name}`);
          const answer = await caller.browser.request(method, `/admin/realms/${here.name}${url}`, {
            ...((bodies[route] || method === "PATCH") && { body: bodies[route] ?? {} }),
          });
          expect(answer.status, `${route} with a foreign ${outsider}`).toBe(404);
          expect(answer.headers["content-type"]).toContain("application/problem+json");
        }
      }
    }
    // In a body and in a filter, too, it is unknown.
    for (const caller of [await here.as("realm-admin"), here.asMaster()]) {
      const unknown = { body: { errors: [{ field: "parentId" }] } };
      expect(await caller.post("/groups", { name: "below", parentId: foreign.groupId })).toMatchObject({ status: 400, ...unknown });
      const moved = await caller.put(`/groups/${mine.groupId}`, { name: "target", parentId: foreign.groupId });
      expect(moved).toMatchObject({ status: 400, ...unknown });
      expect((await caller.post(`/groups/${mine.groupId}/members`, { userId: foreign.userId })).status).toBe(404);
      const device = { userId: foreign.userId, driver: "fcm", token: "token-from-elsewhere" };
      expect(await caller.post("/messaging/push-tokens", device)).toMatchObject({ status: 400, body: { errors: [{ field: "userId" }] } });
      for (const filter of [`group=${foreign.groupId}`, `organization=${foreign.orgId}`, `search=${foreign.userId}`])
        expect((await caller.get(`/users?${filter}`)).body, filter).toEqual([]);
    }
    expect(await stateOf()).toBe(before);
    expect((await here.asMaster().get(`/users/${mine.userId}`)).status, "while its own are found").toBe(200);
  });
});
