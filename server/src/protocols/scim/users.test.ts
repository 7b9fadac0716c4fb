import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { ENTERPRISE, filter, scimClient, USER } from "../../testing/scim.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const ada = {
  schemas: [USER, ENTERPRISE],
  externalId: "00u1",
  userName: "Ada@example.com",
  name: { givenName: "Ada", familyName: "Lovelace", formatted: "Ada Lovelace" },
  emails: [{ value: "Ada@example.com", type: "work", primary: true }],
  title: "Countess",
  addresses: [{ type: "work", streetAddress: "12 St James's Square", locality: "London" }],
  [ENTERPRISE]: { department: "Engines", manager: { value: "26118915" } },
  active: true,
};

describe("a user", () => {
  test("is created, read, replaced and deleted, and every write is in the trail", async () => {
    const realm = await iam.realm();
    const scim = await scimClient(iam, realm);
    const made = await scim.post("/Users", { ...ada, password: "a password by SCIM", id: "mine", groups: [], meta: { x: 1 }, unknown: 1 });
    expect(made.status, made.text).toBe(201);
    const { id, meta, ...rest } = made.body;
    expect(rest).toEqual(ada);
    expect(meta).toMatchObject({ resourceType: "User", location: `http://localhost:8080/realms/${realm.name}/scim/v2/Users/${id}` });
    expect(made.headers).toMatchObject({ location: meta.location, etag: meta.version });
    expect(made.text).not.toContain("a password by SCIM");
    expect((await iam.browser().trySignIn(realm.name, "ada@example.com", "a password by SCIM")).status).toBe(303);
    expect((await realm.asMaster().get(`/users/${id}`)).body).toMatchObject({
      username: "Ada@example.com",
      email: "Ada@example.com",
      emailVerified: false,
      attributes: { firstName: "Ada", lastName: "Lovelace", title: "Countess", department: "Engines" },
    });
    const again = await scim.post("/Users", ada);
    expect(again).toMatchObject({ status: 409, body: { scimType: "uniqueness", status: "409" } });
    expect((await scim.post("/Users", { userName: "other", externalId: "00u1" })).body).toMatchObject({ scimType: "uniqueness" });
    expect((await scim.post("/Users", { userName: "other", emails: [{ value: "ada@EXAMPLE.com" }] })).status).toBe(409);

    expect((await scim.get(`/Users/${id}`)).body).toEqual(made.body);
    expect(await scim.get(`/Users/${id}`, { "if-none-match": meta.version })).toMatchObject({ status: 304, text: "" });
    const stale = await scim.put(`/Users/${id}`, ada, { "if-match": 'W/"77"' });
    expect(stale).toMatchObject({ status: 412, body: { status: "412" } });

    await scim.patch(`/Users/${id}`, [{ op: "replace", path: "active", value: false }]);
    const replaced = await scim.put(`/Users/${id}`, { userName: "ada", displayName: "A" }, { "if-match": "*" });
    expect(replaced.body).toMatchObject({ userName: "ada", displayName: "A", active: false, externalId: "00u1" });
    for (const removed of ["title", "emails", "addresses", "name", ENTERPRISE]) expect(replaced.body).not.toHaveProperty([removed]);
    expect((await scim.put("/Users/019b76da-a807-7c3d-8e4f-5a6b7c8d9e0f", ada)).status).toBe(404);

    expect(await scim.delete(`/Users/${id}`)).toMatchObject({ status: 204, text: "" });
    expect((await scim.delete(`/Users/${id}`)).body).toMatchObject({ status: "404", detail: expect.any(String) });
    expect((await scim.get(`/Users?${filter('externalId eq "00u1"')}`)).body.totalResults).toBe(0);
    const trail = (await realm.events(`resourceId=${id}&category=ADMIN`)).map(({ type, actor }) => `${type} ${actor}`);
    expect(trail).toEqual(["ADMIN_DELETE scim:entra", "ADMIN_UPDATE scim:entra", "ADMIN_UPDATE scim:entra", "ADMIN_CREATE scim:entra"]);
  });

  test("takes an attribute with null, or with an empty list, as one that is left out, whatever the attribute (RFC 7643 §2.5)", async () => {
    const realm = await iam.realm();
    const scim = await scimClient(iam, realm);
    const { Resources } = (await scim.get("/Schemas")).body;
    const namesOf = (schema: string): string[] =>
      Resources.find(({ id }: { id: string }) => id === schema).attributes.map(({ name }: { name: string }) => name);
    for (const [round, empty] of [null, []].entries()) {
      const all = (schema: string) => Object.fromEntries(namesOf(schema).map((name) => [name, empty]));
      const bodies = [{ ...all(USER), id: empty, meta: empty, [ENTERPRISE]: all(ENTERPRISE) }, { [ENTERPRISE]: empty }];
      for (const [at, body] of bodies.entries()) {
        const userName = `nobody-${round}-${at}`;
        const made = await scim.post("/Users", { ...body, userName });
        expect(made.status, made.text).toBe(201);
        expect(made.body).toEqual({ schemas: [USER], id: made.body.id, userName, active: true, meta: made.body.meta });
        await scim.patch(`/Users/${made.body.id}`, [{ op: "replace", value: { active: false, [ENTERPRISE]: { department: "Engines" } } }]);
        const replaced = await scim.put(`/Users/${made.body.id}`, { ...body, userName });
        expect(replaced.body, "`active` keeps its state").toEqual({ ...made.body, active: false, meta: replaced.body.meta });
        const extended = (op: string, value: unknown) =>
          scim.patch(`/Users/${made.body.id}`, [
            { op: "replace", path: `${ENTERPRISE}:department`, value: "Engines" },
            { op, value },
          ]);
        expect((await extended("replace", { [ENTERPRISE]: empty })).body).not.toHaveProperty([ENTERPRISE]);
        expect((await extended("add", { [ENTERPRISE]: empty })).body).toHaveProperty([ENTERPRISE, "department"], "Engines");
        expect((await extended("replace", { [ENTERPRISE]: { department: empty } })).body).not.toHaveProperty([ENTERPRISE]);
      }
      const unnamed = await scim.post("/Users", { userName: empty });
      expect(unnamed).toMatchObject({ status: 400, body: { scimType: "invalidValue", detail: "userName: is required" } });
      const group = await scim.post("/Groups", { displayName: `group-${round}`, externalId: empty, members: empty, meta: empty });
      expect(group.status, group.text).toBe(201);
    }
  });

  test("loses the password by a PATCH that removes it, and by nothing else; a path is checked as a filter is", async () => {
    const realm = await iam.realm();
    const scim = await scimClient(iam, realm);
    const { id } = (await scim.post("/Users", { userName: "bob", password: "a password by SCIM" })).body;
    const signsIn = async () => (await iam.browser().trySignIn(realm.name, "bob", "a password by SCIM")).status === 303;
    const revoked = async () => (await realm.events(`resourceId=${id}&type=CREDENTIAL_REVOKED`)).length;
    const remove = () => scim.patch(`/Users/${id}`, [{ op: "remove", path: "password" }]);
    expect((await scim.put(`/Users/${id}`, { userName: "bob", password: null })).status).toBe(200);
    expect((await scim.patch(`/Users/${id}`, [{ op: "replace", value: { password: null } }])).status).toBe(200);
    expect([await signsIn(), await revoked()]).toEqual([true, 0]);
    expect((await remove()).status).toBe(200);
    expect([await signsIn(), await revoked()]).toEqual([false, 1]);
    expect([(await remove()).status, await revoked()], "there is none any more").toEqual([200, 1]);
    const path = 'addresses[locality eq "a\\u0000b"].country';
    expect((await scim.patch(`/Users/${id}`, [{ op: "replace", path, value: "NL" }])).body.scimType).toBe("invalidFilter");
  });

  test("has no verified phone number after another one was given, or none", async () => {
    const realm = await iam.realm();
    const scim = await scimClient(iam, realm);
    const boss = realm.asMaster();
    const number = (value: string) => [{ value, type: "work", primary: true }];
    const { id } = (await scim.post("/Users", { userName: "tel", phoneNumbers: number("+1") })).body;
    const verify = async () => expect((await boss.patch(`/users/${id}`, { attributes: { phoneNumberVerified: "true" } })).status).toBe(200);
    const attributes = async () => (await boss.get(`/users/${id}`)).body.attributes;
    await verify();
    expect((await scim.put(`/Users/${id}`, { userName: "tel", phoneNumbers: number("+1"), title: "Dr" })).status).toBe(200);
    expect(await attributes(), "the same number").toEqual({ title: "Dr", phoneNumber: "+1", phoneNumberVerified: "true" });
    const path = 'phoneNumbers[type eq "work"].value';
    expect((await scim.patch(`/Users/${id}`, [{ op: "replace", path, value: "+2" }])).status).toBe(200);
    expect(await attributes()).toEqual({ title: "Dr", phoneNumber: "+2" });
    await verify();
    expect((await scim.put(`/Users/${id}`, { userName: "tel" })).status).toBe(200);
    expect(await attributes()).toEqual({});
  });

  test("is refused with the attribute's name, and nothing is written", async () => {
    const realm = await iam.realm();
    const scim = await scimClient(iam, realm);
    const bad: [unknown, string][] = [
      [{ ...ada, userName: "" }, "userName"],
      [{ ...ada, userName: undefined }, "userName"],
      [{ ...ada, userName: " a\u200b" }, "userName"],
      [{ ...ada, emails: [{ value: "no address" }] }, "emails"],
      [{ ...ada, active: "maybe" }, "active"],
      [{ ...ada, name: "Ada" }, "name"],
      [{ ...ada, title: { a: 1 } }, "title"],
      [{ ...ada, title: "x".repeat(5000) }, "title"],
      // Keys have to fit into an index, which counts bytes.
      [{ ...ada, externalId: "\u4e00".repeat(342) }, "externalId"],
      [{ ...ada, emails: [...ada.emails, { value: `${randomBytes(4000).toString("hex")}@home.example`, type: "home" }] }, "emails"],
      [{ ...ada, password: "x" }, "assword"],
      [[], "object"],
    ];
    for (const [body, named] of bad) {
      const answer = await scim.post("/Users", body);
      expect(answer, JSON.stringify(body)).toMatchObject({ status: 400, body: { status: "400", scimType: expect.any(String) } });
      expect(answer.body.detail).toContain(named);
    }
    const group = await scim.post("/Groups", { displayName: "long", externalId: randomBytes(4000).toString("hex") });
    expect(group.body).toMatchObject({ status: "400", detail: expect.stringContaining("externalId") });
    for (const text of ["{", "", '{"userName":"a\\u0000"}', '{"__proto__":{}}', "[".repeat(200)])
      expect(await scim.post("/Users", text), text).toMatchObject({ status: 400, body: { status: "400" } });
    expect((await scim.send("POST", "/Users", "a=b", { "content-type": "application/x-www-form-urlencoded" })).status).toBe(415);
    const large = await scim.post("/Users", { userName: "x".repeat(10_000_000) });
    expect(large).toMatchObject({ status: 413, body: { status: "413" } });
    expect((await scim.get("/Users")).body.totalResults).toBe(1); // the administrator of the realm
  });
});
