import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const namesOf = (rows: { name: string }[]) => rows.map(({ name }) => name);

describe("the groups of a user", () => {
  test("groups: those the user is in and those above them, and which is which", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    const group = async (name: string, parentId: string | null = null): Promise<string> =>
      (await boss.post("/groups", { name, parentId })).body.groupId;
    const company = await group("Company");
    const sales = await group("Sales", company);
    const north = await group("North", sales);
    await group("South", sales);
    const chess = await group("Chess");
    const [ada, bob] = [await realm.user("ada"), await realm.user("bob")];
    // Sales both ways: a member of it, and of a group below.
    for (const id of [north, sales, chess]) await boss.put(`/groups/${id}/members/${ada.userId}`);
    await boss.put(`/groups/${company}/members/${bob.userId}`);

    const looker = await realm.as("view-users");
    const { body, headers } = await looker.get(`/users/${ada.userId}/groups`);
    const time = expect.any(Number);
    expect(body).toEqual([
      { groupId: chess, name: "Chess", description: null, parentId: null, path: "/Chess", direct: true, joinedAt: time },
      { groupId: company, name: "Company", description: null, parentId: null, path: "/Company", direct: false, joinedAt: null },
      { groupId: north, name: "North", description: null, parentId: sales, path: "/Company/Sales/North", direct: true, joinedAt: time },
      { groupId: sales, name: "Sales", description: null, parentId: company, path: "/Company/Sales", direct: true, joinedAt: time },
    ]);
    expect(headers["x-total-count"]).toBe("4");
    const requested = async (query: string) => namesOf((await looker.get(`/users/${ada.userId}/groups?${query}`)).body);
    expect(await requested("direct=true")).toEqual(["Chess", "North", "Sales"]);
    expect(await requested("direct=false")).toEqual(["Company"]);
    expect(await requested("search=c")).toEqual(["Chess", "Company"]);
    expect(await requested(`search=${sales}`)).toEqual(["Sales"]);
    expect(await requested("size=2&page=1&sort=-name")).toEqual(["Company", "Chess"]);
    const first = await looker.get(`/users/${ada.userId}/groups?size=3&sort=joinedAt`);
    const next = /<[^>]*\/users([^>]*)>; rel="next"/.exec(String(first.headers.link))![1]!;
    expect(namesOf([...first.body, ...(await looker.get(`/users${next}`)).body]).sort()).toEqual(["Chess", "Company", "North", "Sales"]);
    expect(namesOf((await looker.get(`/users/${bob.userId}/groups`)).body)).toEqual(["Company"]);
    expect((await looker.get(`/users/${ada.userId}/groups?unheardOf=1`)).status).toBe(400);
    expect((await looker.get("/users/nobody/groups")).body.code).toBe("users.not_found");
  });

  test("organizations, with the role in each", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    const [acme, quill] = [
      (await boss.post("/organizations", { name: "Acme", alias: "acme" })).body,
      (await boss.post("/organizations", { name: "Zed", alias: "quill", displayName: "Quill & Co", enabled: false })).body,
    ];
    const [ada, bob] = [await realm.user("ada"), await realm.user("bob")];
    await boss.put(`/organizations/${acme.organizationId}/members/${ada.userId}`, { role: "owner" });
    await boss.put(`/organizations/${quill.organizationId}/members/${ada.userId}`);
    await boss.put(`/organizations/${acme.organizationId}/members/${bob.userId}`);
    const looker = await realm.as("view-users");
    const { body, headers } = await looker.get(`/users/${ada.userId}/organizations`);
    const joinedAt = expect.any(Number);
    expect(body).toEqual([
      { organizationId: acme.organizationId, name: "Acme", alias: "acme", displayName: null, enabled: true, role: "owner", joinedAt },
      {
        ...{ organizationId: quill.organizationId, name: "Zed", alias: "quill", displayName: "Quill & Co" },
        ...{ enabled: false, role: "member", joinedAt },
      },
    ]);
    expect(headers["x-total-count"]).toBe("2");
    const requested = async (query: string) => namesOf((await looker.get(`/users/${ada.userId}/organizations?${query}`)).body);
    expect(await requested("search=QUI")).toEqual(["Zed"]);
    expect(await requested("role=owner")).toEqual(["Acme"]);
    expect(await requested("sort=-name&size=1")).toEqual(["Zed"]);
    expect((await looker.get(`/users/${bob.userId}/organizations`)).body).toMatchObject([{ alias: "acme", role: "member" }]);
    expect((await looker.get(`/users/${ada.userId}/organizations?direct=true`)).status).toBe(400);
  });
});
