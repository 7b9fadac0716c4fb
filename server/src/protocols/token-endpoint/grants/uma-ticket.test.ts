import { afterAll, beforeAll, expect, test } from "vitest";
import type { Answer } from "../../../testing/browser.ts";
import { leastCpuTime } from "../../../testing/cpu-time.ts";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import { dpopKey } from "../../../testing/proof.ts";
import { CALLBACK, relyingParty, walk } from "../../../testing/relying-party.ts";

const UMA = "urn:ietf:params:oauth:grant-type:uma-ticket";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const must = ({ status, text, body }: Answer) => {
  expect(status, text).toBeLessThan(300);
  return body;
};
const payloadOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split(".")[1]!, "base64url").toString());

/** Creates a resource server `api` with resources a, b and c. Users whose level is 1 may view a. */
async function stage() {
  const realm = await iam.realm();
  const admin = realm.asMaster();
  const api = await relyingParty(iam, realm, {
    clientId: "api",
    publicClient: false,
    redirectUris: [],
    grantTypes: ["client_credentials", "uma-ticket"],
  });
  const app = await relyingParty(iam, realm, { grantTypes: ["authorization_code", "uma-ticket"] });
  const add = async (path: string, body: object) => must(await admin.post(`/clients/${api.id}/authz${path}`, body));
  must(await admin.put(`/clients/${api.id}/authz/settings`, { enabled: true }));
  for (const name of ["view", "edit"]) await add("/scopes", { name });
  const a = await add("/resources", { name: "a", type: "doc", scopes: ["view", "edit"], uris: ["/docs/*"] });
  for (const name of ["b", "c"]) await add("/resources", { name, scopes: ["view"] });
  await add("/policies", { name: "level", type: "attribute", path: "user.attributes.level", operator: "eq", value: "1" });
  await add("/policies", { name: "pushed", type: "attribute", path: "request.ok", operator: "eq", value: true });
  await add("/permissions", { name: "a", type: "scope", scopes: ["view"], resources: ["a"], policies: ["level"] });
  await add("/permissions", { name: "c", type: "resource", resources: ["c"], policies: ["pushed"] });
  const { userId } = must(await admin.post("/users", { username: "ada", attributes: { level: "1" } }));
  must(await admin.put(`/users/${userId}/password`, { newPassword: "a password for tests" }));
  const browser = iam.browser();
  const { access_token: token } = must(await app.signIn(browser, { username: "ada", password: "a password for tests" }));
  const form = (permission: readonly string[], more: Record<string, string> = {}) => {
    const params = new URLSearchParams({ grant_type: UMA, client_id: "app", audience: "api", subject_token: token, ...more });
    for (const each of permission) params.append("permission", each);
    return params.toString();
  };
  const ask = (permission: readonly string[], more: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    iam.browser().request("POST", `/realms/${realm.name}/token`, {
      body: form(permission, more),
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      csrf: false,
    });
  return { realm, admin, api, app, ask, a, userId, browser, token };
}

test("a decision and a list need all requested permissions; a token has the granted ones and ends with the session", async () => {
  const { api, ask, a, realm, admin, userId } = await stage();
  const both = ["a#view", "b#view"];
  for (const mode of ["decision", "permissions"]) {
    expect(await ask(both, { response_mode: mode }), mode).toMatchObject({
      status: 403,
      body: { error: "access_denied", error_description: "not_authorized" },
    });
    expect((await ask(["a#view,edit"], { response_mode: mode })).status, mode).toBe(403);
  }
  expect(await ask(["a#view"], { response_mode: "decision" })).toMatchObject({ status: 200, body: { result: true } });
  expect((await ask(["a#view"], { response_mode: "permissions" })).body).toEqual([{ rsid: a.resourceId, rsname: "a", scopes: ["view"] }]);
  expect((await ask([], { response_mode: "permissions", response_include_resource_name: "false" })).body).toEqual([
    { rsid: a.resourceId, scopes: ["view"] },
  ]);
  for (const permission of [a.resourceId, "a", "#view", "resource-type:doc"])
    expect((await ask([permission], { response_mode: "permissions" })).status, permission).toBe(permission === "#view" ? 403 : 200);
  const byUri = { permission_resource_format: "uri", permission_resource_matching_uri: "true", response_mode: "decision" };
  expect((await ask(["/docs/2026/1#view"], byUri)).body).toEqual({ result: true });
  expect((await ask(["/elsewhere#view"], byUri)).body.error).toBe("invalid_resource");

  const rpt = must(await ask(both));
  expect(rpt).toMatchObject({ token_type: "Bearer", upgraded: false });
  const permissions = [{ rsid: a.resourceId, rsname: "a", scopes: ["view"] }];
  expect(payloadOf(rpt.access_token)).toMatchObject({ aud: "api", client_id: "app", authorization: { permissions } });
  const introspect = async () => (await api.post("/introspect", { token: rpt.access_token })).body;
  expect(await introspect()).toMatchObject({
    active: true,
    permissions: [{ ...permissions[0], resource_id: a.resourceId, resource_scopes: ["view"] }],
  });
  expect(must(await ask(["a#view"], { rpt: rpt.access_token }))).toMatchObject({ upgraded: true });
  const [session] = must(await realm.asMaster().get(`/sessions?search=${userId}`));
  must(await admin.delete(`/sessions/${session.id}`));
  expect(await introspect()).toEqual({ active: false });
  expect((await ask(["a#view"])).status).toBe(400);
});

test("an address of thousands of segments costs about as much as a short one", async () => {
  const { ask } = await stage();
  const byUri = { permission_resource_format: "uri", permission_resource_matching_uri: "true", response_mode: "decision" };
  const deciding = (address: string) => async () => expect((await ask([`${address}#view`], byUri)).body).toEqual({ result: true });
  const [short, long] = await leastCpuTime(deciding("/docs/1"), deciding(`/docs${"/x".repeat(5_000)}`));
  expect(long).toBeLessThan(10 * short!);
});

test("refuses unknown permissions, other clients' tokens, and claims of public clients; roles apply at once", async () => {
  const { admin, api, app, ask, realm, userId, token } = await stage();
  const forged = {
    name: "forged",
    claim: "authorization.permissions",
    source: "constant",
    type: "json",
    value: '[{"rsid":"a"}]',
    targets: ["accessToken"],
  };
  expect((await admin.post(`/clients/${app.id}/mappers`, forged)).body.errors).toMatchObject([{ field: "claim" }]);
  expect((await ask(["nope"])).body.error).toBe("invalid_resource");
  expect((await ask(["a#nope"])).body.error).toBe("invalid_scope");
  expect((await ask(["b#edit"])).body.error).toBe("invalid_scope");
  expect((await ask(["a"], { audience: "app" })).body.error).toBe("invalid_request");
  expect((await ask(["a"], { response_mode: "nope" })).body.error).toBe("invalid_request");
  expect((await ask(Array.from({ length: 101 }, () => "a"))).body.error).toBe("invalid_request");
  for (const limit of ["1001", "0x10", "1e1", " 1"])
    expect((await ask(["a"], { response_permissions_limit: limit })).body.error, limit).toBe("invalid_request");
  const pushed = {
    claim_token: Buffer.from('{"ok":true}').toString("base64url"),
    claim_token_format: "urn:ietf:params:oauth:token-type:jwt",
  };
  expect((await ask(["c"], pushed)).body).toMatchObject({
    error: "invalid_request",
    error_description: "public clients may not push claims",
  });
  const own = (more: Record<string, string>) =>
    api.post("/token", { grant_type: UMA, audience: "api", response_mode: "decision", ...more });
  expect((await own({ permission: "c" })).status).toBe(403);
  expect((await own({ permission: "c", ...pushed })).body).toEqual({ result: true });
  expect((await own({ permission: "c", ...pushed, claim_token: "!" })).status).toBe(400);
  expect((await own({ permission: "a", subject_token: token })).body.error, "issued to another client, for another").toBe(
    "invalid_request",
  );
  const machine = must(await api.post("/token", { grant_type: UMA, audience: "api", permission: "c", ...pushed }));
  expect(payloadOf(machine.access_token)).toMatchObject({
    aud: "api",
    authorization: { permissions: [{ rsname: "c", scopes: ["view"] }] },
  });

  must(await admin.put(`/clients/${api.id}/authz/settings`, { enabled: true, decisionLogPercent: 100 }));
  expect((await ask(["a#view", "b#view"])).status).toBe(200);
  expect((await realm.events("type=AUTHZ_DECISION")).map(({ outcome, detail }) => `${outcome} ${detail}`).sort()).toEqual([
    ...["FAILURE", "SUCCESS"].map((outcome) => `${outcome} user ${userId} at api: view`),
  ]);
  const ada = must(await admin.get(`/users/${userId}`));
  must(await admin.put(`/users/${userId}`, { ...ada, attributes: { level: "2" } }));
  expect((await ask(["a#view"])).status).toBe(403);
  const other = await relyingParty(iam, realm, { clientId: "plain" });
  expect((await other.post("/token", { grant_type: UMA, audience: "api", permission: "a" })).body.error).toBe("unauthorized_client");
});

test("a public client asks with a bound token only by the key that it is bound to", async () => {
  const { admin, api, app, ask, browser, realm } = await stage();
  const [own, thief] = [dpopKey(), dpopKey()];
  const proof = (key: typeof own) => ({ dpop: key("POST", `${iam.config.baseUrl}/realms/${realm.name}/token`) });
  const { left } = await walk(browser, iam.config.baseUrl, app.url());
  const code = {
    grant_type: "authorization_code",
    code: left!.searchParams.get("code")!,
    redirect_uri: CALLBACK,
    code_verifier: app.verifier,
  };
  const bound = must(
    await iam.browser().request("POST", `/realms/${realm.name}/token`, {
      form: { client_id: "app", ...code },
      headers: proof(own),
      csrf: false,
    }),
  ).access_token;
  must(await admin.put(`/clients/${api.id}/authz/settings`, { enabled: true, decisionLogPercent: 100 }));
  for (const mode of ["token", "decision"]) {
    const by = (headers: Record<string, string>) => ask(["a#view"], { subject_token: bound, response_mode: mode }, headers);
    for (const headers of [{}, proof(thief)])
      expect(await by(headers), mode).toMatchObject({
        status: 400,
        body: { error: "invalid_request", error_description: expect.stringContaining("bound to a key") },
      });
    expect(await realm.events("type=AUTHZ_DECISION"), "before anything is decided").toHaveLength(mode === "token" ? 0 : 1);
    expect((await by(proof(own))).status, mode).toBe(200);
  }
});
