import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import type { RealmUnderTest } from "../../../testing/realm.ts";
import { CALLBACK, type Party, relyingParty, walk } from "../../../testing/relying-party.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
let app: Party;
beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
  const settings = (await realm.asMaster().get("/settings")).body;
  await realm.asMaster().put("/settings", { ...settings, tokens: { ...settings.tokens, authorizationDetailsTypes: ["x"] } });
  const grantTypes = ["authorization_code", "device", "CIBA"];
  app = await relyingParty(iam, realm, { publicClient: false, grantTypes });
});
afterAll(() => iam?.close());

const part = (json: string) => Buffer.from(json).toString("base64url");
const base = {
  redirect_uri: CALLBACK,
  response_type: "code",
  scope: "openid",
  code_challenge: "x".repeat(43),
  code_challenge_method: "S256",
};
const details = String.raw`[{"type":"x","more":"\u0000"}]`;

// The database cannot store such a text, and its error would be a 500.
describe.each([
  ["acr_values", "\0"],
  ["state", "a\0b"],
  ["id_token_hint", "\0"],
  ["login_hint", "\0"],
  ["claims", String.raw`{"id_token":{"sub":{"value":"\u0000"}}}`],
  ["claims", String.raw`{"id_token":{"\u0000":null}}`],
  ["claims", String.raw`{"id_token":{"acr":{"values":["\ud800"]}}}`],
  ["authorization_details", details],
  ["request", `${part('{"alg":"none"}')}.${part(String.raw`{"state":"\u0000","client_id":"app"}`)}.`],
  ["request", `${part('{ "alg":"none"}')}.${part(String.raw`{ "state":"\u0000","client_id":"app"}`)}.`],
  ["request", `${part('{"alg":"none"}')}.${part(JSON.stringify({ authorization_details: details, client_id: "app" }))}.`],
  ["any", "\0"],
])("a NUL or half of a surrogate pair in %s (%j)", (name, value) => {
  test("is refused by every endpoint, and named", async () => {
    const form = { ...base, [name]: value };
    for (const path of ["/par", "/token", "/device/authorize", "/backchannel/authorize"]) {
      const answer = await app.post(path, { ...form, grant_type: "authorization_code" });
      expect(answer, path).toMatchObject({ status: 400, body: { error: "invalid_request" } });
      expect(answer.body.error_description, path).toContain(`${name} holds a NUL`);
    }
    for (const path of ["/authorize", "/logout"]) {
      const posted = await iam
        .browser()
        .request("POST", `/realms/${realm.name}${path}`, { form: { client_id: "app", ...form }, csrf: false });
      expect(posted.status, path).toBe(400);
    }
    expect((await iam.browser().get(app.url({ [name]: value }))).status).toBe(400);
  });
});

test("an escape of storable text is accepted, and so is one that JSON does not read", async () => {
  for (const claims of [
    String.raw`{"id_token":{"sub":{"value":"\u00e4\\u0000"}}}`,
    String.raw`{"id_token":{"sub":{"value":"\ud83d\ude00"}}}`,
  ]) {
    const pushed = await app.post("/par", { ...base, state: String.raw`\u0000`, claims });
    expect(pushed.status, pushed.text).toBe(201);
    const query = new URLSearchParams({ client_id: app.clientId, request_uri: pushed.body.request_uri });
    expect((await walk(iam.browser(), iam.config.baseUrl, `/realms/${realm.name}/authorize?${query}`)).page.status).toBe(200);
  }
});
