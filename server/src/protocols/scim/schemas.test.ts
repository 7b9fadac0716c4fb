import { afterAll, beforeAll, expect, test } from "vitest";
import { newId } from "../../kernel/ids.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { ENTERPRISE, scimClient, USER } from "../../testing/scim.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

interface Attribute {
  readonly name: string;
  readonly type: string;
  readonly multiValued: boolean;
  readonly required: boolean;
  readonly mutability: string;
  readonly returned: string;
  readonly subAttributes?: readonly Attribute[];
}

/** Returns arbitrary text, as conformance testers send it. Only login names, addresses and passwords have a format. */
function sampleOf(attribute: Attribute, path: string): unknown {
  const { type, multiValued, subAttributes = [] } = attribute;
  const one = () => {
    if (type === "boolean") return true;
    if (type === "complex") {
      const subs = subAttributes.filter(({ mutability }) => mutability !== "readOnly");
      return Object.fromEntries(subs.map((sub) => [sub.name, sampleOf(sub, `${path}.${sub.name}`)]));
    }
    if (path === "emails.value") return `${newId()}@example.com`;
    if (path === "password") return `a password ${newId()}`;
    return newId();
  };
  return multiValued ? [one()] : one();
}

test("every attribute that the schemas announce is created, replaced, removed and read back", async () => {
  const realm = await iam.realm();
  const scim = await scimClient(iam, realm);
  const schemas = (await scim.get("/Schemas")).body.Resources as { id: string; attributes: Attribute[] }[];
  expect(JSON.stringify(schemas)).not.toContain("null");
  let tried = 0;
  for (const { id: urn, attributes } of schemas.filter(({ id }) => id === USER || id === ENTERPRISE))
    for (const attribute of attributes.filter(({ mutability }) => mutability !== "readOnly")) {
      const { name, required, returned } = attribute;
      const within = (value: unknown) => (urn === USER ? { [name]: value } : { [urn]: { [name]: value } });
      const read = async (id: string) => {
        const { body } = await scim.get(`/Users/${id}?attributes=${urn === USER ? name : `${urn}:${name}`}`);
        return urn === USER ? body[name] : body[urn]?.[name];
      };
      const shown = (value: unknown) => (returned === "never" ? undefined : value);
      const path = urn === USER ? name : `${urn}:${name}`;
      const first = sampleOf(attribute, name);
      const made = await scim.post("/Users", { schemas: [USER], userName: newId(), ...within(first) });
      expect(made.status, `${path}: ${made.text}`).toBe(201);
      const { id } = made.body;
      expect(await read(id), `${path} created`).toEqual(shown(first));
      const second = sampleOf(attribute, name);
      const replaced = await scim.patch(`/Users/${id}`, [{ op: "replace", path, value: second }]);
      expect(replaced.status, `${path}: ${replaced.text}`).toBe(200);
      expect(await read(id), `${path} replaced`).toEqual(shown(second));
      const third = sampleOf(attribute, name);
      expect((await scim.put(`/Users/${id}`, { userName: made.body.userName, ...within(third) })).status, path).toBe(200);
      expect(await read(id), `${path} put`).toEqual(shown(third));
      const removed = await scim.patch(`/Users/${id}`, [{ op: "remove", path }]);
      expect(removed.status, path).toBe(required ? 400 : 200);
      if (!required) expect(await read(id), `${path} removed`).toBeUndefined();
      tried++;
    }
  expect(tried).toBeGreaterThan(25);
});

test("the server's capabilities are announced in the shape of RFC 7643, and other paths are SCIM errors", async () => {
  const realm = await iam.realm();
  const scim = await scimClient(iam, realm);
  const config = await scim.get("/ServiceProviderConfig");
  expect(config).toMatchObject({
    status: 200,
    headers: { "content-type": "application/scim+json; charset=utf-8" },
    body: {
      patch: { supported: true },
      bulk: { maxOperations: 1000 },
      etag: { supported: true },
      pagination: { cursor: true, index: true },
    },
  });
  expect((await scim.get("/ResourceTypes")).body.Resources.map(({ name }: { name: string }) => name)).toEqual(["User", "Group"]);
  expect((await scim.get("/ResourceTypes/User")).body).toMatchObject({ endpoint: "/Users", schemaExtensions: [{ schema: ENTERPRISE }] });
  expect((await scim.get(`/Schemas/${USER}`)).body).toMatchObject({ id: USER, name: "User" });
  expect((await scim.get("/Schemas?filter=id%20pr")).status).toBe(403);
  for (const [path, status] of [
    ["/Me", 501],
    ["/Schemas/unknown", 404],
    ["/Devices", 404],
    ["/Users/1/2", 404],
  ] as const)
    expect(await scim.get(path), path).toMatchObject({ status, body: { status: String(status), detail: expect.any(String) } });
  // RFC 7644 §3.12 defines exactly these members.
  expect(Object.keys((await scim.get("/Users/unknown")).body).sort()).toEqual(["detail", "schemas", "status"]);
  for (const [method, path, allow] of [
    ["POST", "/ServiceProviderConfig", "GET"],
    ["DELETE", "/Schemas", "GET"],
    ["PATCH", `/Schemas/${USER}`, "GET"],
    ["PUT", "/Users", "GET"],
    ["POST", `/Groups/${newId()}`, "DELETE"],
    ["GET", "/Bulk", "POST"],
  ] as const) {
    const refused = await scim.send(method, path);
    expect(refused, `${method} ${path}`).toMatchObject({ status: 405, body: { status: "405" } });
    expect(String(refused.headers.allow).split(", "), path).toContain(allow);
  }
  const user = (await scim.get("/Users?excludedAttributes=meta,active")).body.Resources[0];
  expect(Object.keys(user).sort()).toEqual(["id", "schemas", "userName"]);
});
