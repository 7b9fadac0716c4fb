import { readFile } from "node:fs/promises";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { packageFile } from "../../kernel/package.ts";
import { statements } from "../../platform/db/migrate.ts";
import { type Harness, harness, testDatabase } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { completeRealms, createScopes, mappersOf } from "./index.ts";

let iam: Harness;
beforeAll(async () => {
  iam = await harness();
  // Realms are completed only when a test runs the job.
  await iam.server.jobs.stop();
});
afterAll(() => iam?.close());

describe("client scopes", () => {
  test("are created, changed and deleted, each with its event", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-authorization");
    const created = await admin.post("/client-scopes", { name: "orders:read" });
    expect(created).toMatchObject({
      status: 201,
      body: { name: "orders:read", description: null, consentText: null, assignment: "OPTIONAL", builtIn: false, claims: [] },
    });
    const path = `/client-scopes/${created.body.scopeId}`;
    const read = await admin.get(path);
    expect((await admin.put(path, read.body)).body, "what GET says is a valid PUT").toEqual(read.body);
    const changed = await admin.put(path, { assignment: "NONE", consentText: "See your orders" });
    expect(changed.body).toEqual({ ...read.body, assignment: "NONE", consentText: "See your orders" });
    expect(await admin.put(path, { ...read.body, name: "orders" })).toMatchObject({ status: 400, body: { errors: [{ field: "name" }] } });
    expect((await admin.delete(path, { headers: { "if-match": String(read.headers.etag) } })).status).toBe(412);
    expect((await (await realm.as("view-clients")).get("/client-scopes")).body.map(({ name }: { name: string }) => name)).toContain(
      "orders:read",
    );
    expect((await admin.delete(path)).status).toBe(204);
    expect((await admin.get(path)).status).toBe(404);
    for (const [type, times] of [
      ["ADMIN_CREATE", 1],
      ["ADMIN_UPDATE", 2],
      ["ADMIN_DELETE", 1],
    ] as const)
      expect(await realm.events(`type=${type}&resourceId=${created.body.scopeId}`), type).toHaveLength(times);
  });

  test("have names by the grammar of OAuth, each once", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    for (const name of ["", "two words", 'quo"te', "back\\slash", "é", "tab\t", "x".repeat(129)])
      expect((await admin.post("/client-scopes", { name })).status, name).toBe(400);
    for (const name of ["https://api.example/orders.read", "!#[]~", "Email"])
      expect((await admin.post("/client-scopes", { name })).status, name).toBe(201);
    expect(await admin.post("/client-scopes", { name: "email" })).toMatchObject({
      status: 409,
      body: { code: "client_scopes.name_taken" },
    });
  });

  test("that are built in, or that a client lists, cannot be deleted", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    const scopes: { scopeId: string; name: string }[] = (await admin.get("/client-scopes")).body;
    const idOf = (name: string) => scopes.find((scope) => scope.name === name)!.scopeId;
    for (const name of ["openid", "offline_access"])
      expect(await admin.delete(`/client-scopes/${idOf(name)}`)).toMatchObject({ status: 409, body: { code: "client_scopes.built_in" } });
    const client = [newId(), "shop"] as const;
    await sql`insert into clients (realm_id, id, client_id, client_key, public_client, settings, created_at, updated_at)
      values (${realm.name}, ${client[0]}, ${client[1]}, ${client[1]}, true, ${JSON.stringify({ scopes: ["phone"] })}::text::jsonb, 0, 0)`.execute(
      iam.core.db,
    );
    const refused = await admin.delete(`/client-scopes/${idOf("phone")}`);
    expect(refused).toMatchObject({ status: 409, body: { code: "client_scopes.in_use" } });
    expect(refused.body.detail).toContain("shop");
    expect((await admin.delete(`/client-scopes/${idOf("address")}`)).status).toBe(204);
  });

  test("have the attached claims, and both resources show it", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-authorization");
    const { scopeId } = (await admin.post("/client-scopes", { name: "staff" })).body;
    const { claimId } = (await admin.post("/claims", { name: "dept", claim: "dept", source: "attribute", value: "dept" })).body;
    const path = `/client-scopes/${scopeId}/claims/${claimId}`;
    expect(await admin.delete(path)).toMatchObject({ status: 404, body: { code: "client_scopes.claim_not_attached" } });
    for (let times = 0; times < 2; times++) expect((await admin.put(path)).status).toBe(204);
    expect((await admin.get(`/client-scopes/${scopeId}`)).body.claims).toEqual([{ claimId, name: "dept" }]);
    expect((await admin.get(`/claims/${claimId}`)).body.scopes).toEqual(["staff"]);
    const shown = (await admin.get(path)).body;
    expect((await admin.put(path, shown)).status, "what GET returned").toBe(204);
    expect(await admin.put(path, { ...shown, name: "other" })).toMatchObject({ status: 400, body: { errors: [{ field: "name" }] } });
    const scope = (await admin.get(`/client-scopes/${scopeId}`)).body;
    expect(await admin.put(`/client-scopes/${scopeId}`, { ...scope, claims: [] })).toMatchObject({
      status: 400,
      body: { errors: [{ field: "claims" }] },
    });
    expect((await admin.delete(path)).status).toBe(204);
    expect((await admin.get(`/claims/${claimId}`)).body.scopes).toEqual([]);
    expect(await realm.events(`type=ADMIN_UPDATE&resourceId=${scopeId}`), "attaching twice is one change").toHaveLength(2);
  });
});

describe("the scopes of a new realm", () => {
  const contents = async (realm: string) => {
    const scopes =
      await sql`select name, description, consent_text, assignment, built_in from client_scopes where realm_id = ${realm} order by name`.execute(
        iam.core.db,
      );
    const claims = await sql`select name, name_key, mapper from claim_mappers where realm_id = ${realm} order by name`.execute(iam.core.db);
    const brings = await sql`select s.name as scope, m.name as claim from client_scope_claims a
      join client_scopes s on s.realm_id = a.realm_id and s.scope_id = a.scope_id
      join claim_mappers m on m.realm_id = a.realm_id and m.claim_id = a.claim_id
      where a.realm_id = ${realm} order by s.name, m.name`.execute(iam.core.db);
    return { scopes: scopes.rows, claims: claims.rows, brings: brings.rows };
  };

  test("are the same for realms that the migration finds", async () => {
    const realm = await iam.realm();
    const fresh = await contents(realm.name);
    expect(fresh.scopes.map((scope) => (scope as { name: string }).name)).toEqual([
      "account",
      "address",
      "email",
      "groups",
      "offline_access",
      "openid",
      "organizations",
      "phone",
      "profile",
      "roles",
    ]);
    const script = await readFile(packageFile("migrations/0004_oidc.sql"), "utf8");
    const [, seeds] = /^-- What new realms begin with.*\n([\s\S]*?)^-- End of the beginnings/m.exec(script)!;
    for (const table of ["client_scope_claims", "claim_mappers", "client_scopes"])
      await sql`delete from ${sql.table(table)}`.execute(iam.core.db);
    for (const statement of statements(seeds!)) await sql.raw(statement).execute(iam.core.db);
    await completeRealms(iam.core); // This adds the scopes that came after that migration.
    expect(await contents(realm.name)).toEqual(fresh);
  });
});

describe("the snapshot", () => {
  test("holds scopes with their mappers until something changes, on every node", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    const here = createScopes(iam.core);
    const node = testDatabase() === "postgres" ? await iam.secondNode() : null;
    const there = node && createScopes(node.core);
    const names = async (scopes: typeof here) =>
      mappersOf((await scopes.get(realm.name))!, ["email", "unheard-of", "email"]).map(({ claim }) => claim);
    for (const scopes of there ? [here, there] : [here]) expect(await names(scopes)).toEqual(["email", "email_verified"]);
    const { scopeId } = (await admin.get("/client-scopes?search=email")).body[0];
    const { claimId } = (await admin.post("/claims", { name: "dept", claim: "dept", source: "attribute", value: "dept" })).body;
    expect(await names(here), "made, and not yet attached").toEqual(["email", "email_verified"]);
    await admin.put(`/client-scopes/${scopeId}/claims/${claimId}`);
    expect(await names(here)).toEqual(["dept", "email", "email_verified"]);
    if (there) await expect.poll(() => names(there)).toContain("dept");
    expect(await here.get("no-such-realm")).toBeNull();
  });
});

describe("a realm that a node of the previous release created", () => {
  const bare = async () => {
    const realm = await iam.realm();
    for (const table of ["client_scope_claims", "claim_mappers", "client_scopes"])
      await sql`delete from ${sql.table(table)} where realm_id = ${realm.name}`.execute(iam.core.db);
    // This announces a change: that node announces no change of data that it does not know.
    await realm.asMaster().put("/settings", { displayName: "Bare" });
    return realm;
  };
  const discovered = async (realm: RealmUnderTest) =>
    (await iam.browser().get(`/realms/${realm.name}/.well-known/openid-configuration`)).body.scopes_supported as string[];
  const shape = async (realm: RealmUnderTest) =>
    ((await realm.asMaster().get("/client-scopes")).body as { name: string; assignment: string; claims: { name: string }[] }[])
      .map(({ name, assignment, claims }) => ({ name, assignment, claims: claims.map((claim) => claim.name).sort() }))
      .sort((a, b) => a.name.localeCompare(b.name));

  test("gets the scopes of a new realm by itself, once, and at once for requests", async () => {
    const [realm, whole] = [await bare(), await iam.realm()];
    expect(await discovered(realm)).toEqual(["openid"]);
    await Promise.all([completeRealms(iam.core), completeRealms(iam.core)]);
    expect(await shape(realm)).toEqual(await shape(whole));
    expect((await discovered(realm)).sort()).toEqual((await discovered(whole)).sort());
  });

  test("keeps the scopes that an administrator created meanwhile", async () => {
    const realm = await bare();
    const admin = realm.asMaster();
    const { scopeId } = (await admin.post("/client-scopes", { name: "profile", description: "Ours" })).body;
    const claim = { name: "roles", claim: "my_roles", source: "roles", value: "realm", multivalued: true, targets: ["idToken"] };
    expect((await admin.post("/claims", claim)).status).toBe(201);
    await completeRealms(iam.core);
    const scopes = await shape(realm);
    expect(scopes.map(({ name }) => name)).toContain("openid");
    expect((await admin.get(`/client-scopes/${scopeId}`)).body).toMatchObject({ description: "Ours", claims: [] });
    expect(scopes.find(({ name }) => name === "roles")?.claims).toEqual(["resource_access"]);
  });

  test("that lacks only the scope account gets that one, and nothing that an administrator deleted", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    const { body } = await admin.get("/client-scopes?search=groups");
    expect((await admin.delete(`/client-scopes/${body[0].scopeId}`)).status).toBe(204);
    const orphan = (await admin.get("/claims?search=realm_access.roles")).body[0];
    expect((await admin.delete(`/claims/${orphan.claimId}`)).status).toBe(204);
    await sql`delete from client_scopes where realm_id = ${realm.name} and name = 'account'`.execute(iam.core.db);
    const before = await shape(realm);
    await completeRealms(iam.core);
    const after = await shape(realm);
    expect(after).toEqual([{ name: "account", assignment: "NONE", claims: [] }, ...before]);
    expect((await admin.get("/claims?search=realm_access.roles")).body).toEqual([]);
  });

  test("is found by a job", async () => {
    const realm = await bare();
    clock.advance(MINUTE);
    await iam.server.jobs.runDue();
    expect((await shape(realm)).length).toBe(10);
    clock.reset();
  });
});
