import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { onPostgres } from "../../testing/on-postgres.ts";
import { mappedValue } from "./evaluate.ts";
import { needsOf, serviceAccountData, subjectData } from "./index.ts";
import type { ClaimMapper } from "./mapper.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const department = { name: "department", claim: "department", source: "attribute", value: "department" };

describe("claim mappers", () => {
  test("are created with defaults, changed as a whole, and deleted, each with its event", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-authorization");
    const created = await admin.post("/claims", department);
    expect(created).toMatchObject({
      status: 201,
      body: { ...department, realmId: realm.name, type: "string", multivalued: false, targets: ["idToken", "userinfo"], scopes: [] },
    });
    const path = `/claims/${created.body.claimId}`;
    const read = await admin.get(path);
    expect(read.body).toEqual(created.body);
    expect((await admin.put(path, read.body)).body, "what GET says is a valid PUT").toEqual(read.body);
    const changed = await admin.put(path, { ...department, multivalued: true, targets: ["userinfo", "accessToken"] });
    expect(changed.body).toEqual({ ...read.body, multivalued: true, targets: ["accessToken", "userinfo"] });
    expect((await admin.put(path, read.body, { headers: { "if-match": String(read.headers.etag) } })).status).toBe(412);
    expect((await admin.get("/claims?search=depart")).body).toEqual([changed.body]);
    expect((await (await realm.as("view-clients")).get(path)).status).toBe(200);
    expect((await admin.delete(path)).status).toBe(204);
    for (const answer of [await admin.get(path), await admin.put(path, department), await admin.delete(path)])
      expect(answer).toMatchObject({ status: 404, body: { code: "claims.not_found" } });
    for (const [type, times] of [
      ["ADMIN_CREATE", 1],
      ["ADMIN_UPDATE", 2],
      ["ADMIN_DELETE", 1],
    ] as const)
      expect(await realm.events(`type=${type}&resourceId=${created.body.claimId}`), type).toHaveLength(times);
  });

  onPostgres("refuse what the protocol says itself, what reaches into objects, and values that mean nothing", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-authorization");
    const fieldsOf = async (body: object) => {
      const answer = await admin.post("/claims", { ...department, ...body });
      return [answer.status, answer.body.errors?.map(({ field }: { field: string }) => field)];
    };
    for (const claim of ["sub", "aud", "scope", "cnf.jkt", "gid", "act", "__proto__", "a.__proto__.b", "constructor", "a..b", ".a", "a."])
      expect(await fieldsOf({ claim }), claim).toEqual([400, ["claim"]]);
    for (const body of [
      { source: "attribute", value: null },
      { source: "constant", value: "seven", type: "number" },
      { source: "constant", value: "{", type: "json" },
      { source: "property", value: "password" },
      { source: "roles", value: "shop" },
      { source: "session", value: "token" },
    ])
      expect(await fieldsOf(body), JSON.stringify(body)).toEqual([400, ["value"]]);
    expect((await fieldsOf({ unheardOf: 1 }))[0]).toBe(400);
    expect((await admin.post("/claims", department)).status).toBe(201);
    expect(await admin.post("/claims", { ...department, name: "DEPARTMENT" })).toMatchObject({
      status: 409,
      body: { code: "claims.name_taken" },
    });
    expect(await realm.events("type=ADMIN_CREATE&resourceType=claims")).toHaveLength(1);
  });
});

describe("the facts of a subject", () => {
  const needs = ["roles", "groups", "organizations"] as const;
  const mapper = (source: ClaimMapper["source"], value: string | null = null) =>
    ({ source, value, type: "string", multivalued: true }) as unknown as ClaimMapper;

  test("comes in one query: all effective roles, groups with their path, enabled organizations", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    await admin.post("/roles", { name: "reader" });
    await admin.post("/roles", { name: "writer", compositeRoles: ["reader"] });
    const attributes = { firstName: "Ada", tags: ["a", "b"] };
    const { userId } = (await admin.post("/users", { username: "ada", email: "ada@example.com", attributes, roles: [] })).body;
    const { groupId: sales } = (await admin.post("/groups", { name: "Sales/Marketing" })).body;
    const { groupId: europe } = (await admin.post("/groups", { name: "Europe", parentId: sales })).body;
    await admin.put(`/groups/${europe}/members/${userId}`);
    await admin.post(`/groups/${europe}/roles`, { name: "writer" });
    for (const [name, enabled] of [
      ["Initech", true],
      ["Closed", false],
    ] as const) {
      const { organizationId } = (await admin.post("/organizations", { name, enabled })).body;
      await admin.put(`/organizations/${organizationId}/members/${userId}`, { role: "owner" });
    }
    const found = await subjectData(iam.core.db, realm.name, userId, needs);
    expect(found).toMatchObject({
      user: { userId, username: "ada", email: "ada@example.com", emailVerified: false, attributes },
      read: { organizations: [{ alias: "initech", name: "Initech", role: "owner" }] },
    });
    const mapped = (source: ClaimMapper["source"], value: string | null = null) =>
      mappedValue(mapper(source, value), found!, { clientId: "shop" });
    expect(mapped("roles")).toEqual(expect.arrayContaining(["reader", "writer"]));
    expect(mapped("roles", "clients")).toEqual({});
    expect(mapped("groups")).toEqual(["/Sales~/Marketing/Europe"]);
    expect(found!.user!.updatedAt).toBe(found!.user!.createdAt);
    await admin.patch(`/users/${userId}`, { email: null, attributes: { firstName: "Augusta" } });
    const later = await subjectData(iam.core.db, realm.name, userId);
    expect(later).toMatchObject({ user: { attributes: { firstName: "Augusta" } }, read: {} });
    expect(later!.user!.updatedAt).toBeGreaterThan(later!.user!.createdAt);
    const other = await iam.realm();
    expect(await subjectData(iam.core.db, other.name, userId, needs)).toBeNull();
  });

  test("are the client's roles if a client acts for itself", async () => {
    const realm = await iam.realm();
    const nobody = await serviceAccountData(iam.core.db, realm.name, "01900000-0000-7000-8000-000000000000", needs);
    expect(nobody).toEqual({ user: null, read: {} });
  });

  test("is read only as far as a mapper uses it", () => {
    expect(needsOf([mapper("roles"), mapper("constant"), mapper("groups")])).toEqual(["roles", "groups"]);
    expect(needsOf([mapper("attribute"), mapper("session")])).toEqual([]);
  });
});
