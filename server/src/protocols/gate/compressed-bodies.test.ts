import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { leastCpuTime } from "../../testing/cpu-time.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { scimClient } from "../../testing/scim.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const JSON_TYPE = "application/json";
const FORM = "application/x-www-form-urlencoded";
const headers = (type: string, encoding = "gzip") => ({ "content-type": type, "content-encoding": encoding });
const detail = "Send the body uncompressed, without Content-Encoding";

test.each([
  ["gzip", gzipSync],
  ["br", brotliCompressSync],
  ["deflate", deflateSync],
  ["GZIP, identity", gzipSync],
  ["anything", gzipSync],
] as const)("a body with the encoding %s is a 415 that says what to send", async (encoding, compress) => {
  const admin = await (await iam.realm()).admin();
  const body = compress('{"clientId":"packed"}');
  const refused = await admin.post("/clients", body, { headers: headers(JSON_TYPE, encoding) });
  expect(refused).toMatchObject({ status: 415, body: { code: "request.media_type", detail }, headers: { "accept-encoding": "identity" } });
  expect((await admin.get("/clients")).body).toEqual([]);
  const plain = await admin.post("/clients", '{"clientId":"plain"}', { headers: headers(JSON_TYPE, "identity") });
  expect(plain.status, plain.text).toBe(201);
});

test("so it is for streams and uploads, while a request without a body, and one of nobody, is answered as always", async () => {
  const realm = await iam.realm();
  const admin = await realm.admin();
  for (const [method, path, type] of [
    ["post", "/users/import", JSON_TYPE],
    ["post", "/import/external", JSON_TYPE],
    ["post", "/import", JSON_TYPE],
    ["post", "/saml-clients/import", "application/xml"],
    ["put", "/settings/images/logo", "image/png"],
  ] as const)
    expect(await admin[method](path, gzipSync("[]"), { headers: headers(type) }), path).toMatchObject({ status: 415, body: { detail } });
  expect((await admin.get("/clients", { headers: { "content-encoding": "gzip" } })).status).toBe(200);
  expect((await admin.post("/keys/rotate", undefined, { headers: { "content-encoding": "gzip" } })).status).toBe(201);
  expect((await iam.browser().post(`/admin/realms/${realm.name}/clients`, gzipSync("{}"), { headers: headers(JSON_TYPE) })).status).toBe(
    401,
  );
});

test("the refusal has the form of the route", async () => {
  const realm = await iam.realm();
  const send = (path: string, type: string) =>
    iam.browser().request("POST", `/realms/${realm.name}${path}`, { body: gzipSync("a=b"), headers: headers(type), csrf: false });
  for (const path of ["/token", "/introspect", "/revoke", "/par", "/workload-identity/token", "/agent/delegation/token"])
    expect(await send(path, FORM), path).toMatchObject({ status: 415, body: { error: "invalid_request", error_description: detail } });
  expect(await send("/connect/register", JSON_TYPE)).toMatchObject({ status: 415, body: { error_description: detail } });
  for (const path of ["/login", "/authorize", "/logout", "/saml/idp/sso", "/saml/idp/slo"]) {
    const page = await send(path, FORM);
    expect([page.status, page.headers["content-type"]], path).toEqual([415, "text/html; charset=utf-8"]);
  }
  const { token } = await scimClient(iam, realm);
  const scim = await iam.browser().request("POST", `/realms/${realm.name}/scim/v2/Users`, {
    ...{ body: gzipSync('{"userName":"ada"}'), csrf: false },
    headers: { ...headers("application/scim+json"), authorization: `Bearer ${token}` },
  });
  expect(scim).toMatchObject({ status: 415, body: { status: "415", detail, schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"] } });
});

test("an encoding of thousands of spaces is refused as quickly as a short one", async () => {
  const { name } = await iam.realm();
  const send = (encoding: string) => () => iam.browser().post(`/realms/${name}/token`, "a=b", { headers: headers(FORM, encoding) });
  const [short, long] = await leastCpuTime(send("x"), send(`${"\u00a0".repeat(15_000)}x`));
  expect(long).toBeLessThan(20 * short!);
});
