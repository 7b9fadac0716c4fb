import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import type { RealmUnderTest } from "../../../testing/realm.ts";
import { CALLBACK, type Party, relyingParty } from "../../../testing/relying-party.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
let app: Party;
beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
  app = await relyingParty(iam, realm, { publicClient: false });
});
afterAll(() => iam?.close());

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const claims = (levels: number) => `{"id_token":{"email":{"values":${nested(levels)}}}}`;
const part = (json: string) => Buffer.from(json).toString("base64url");
const requestObject = (levels: number) => `${part('{"alg":"none"}')}.${part(`{"claims":${claims(levels)},"client_id":"app"}`)}.`;
const base = {
  redirect_uri: CALLBACK,
  response_type: "code",
  scope: "openid",
  code_challenge: "x".repeat(43),
  code_challenge_method: "S256",
};

// Values as deep as the endpoint's size limit allows: without a limit of depth, they overflow the stack.
describe.each([
  ["claims", (levels: number) => claims(levels)],
  ["authorization_details", (levels: number) => `[{"type":"x","deep":${nested(levels)}}]`],
  ["request", (levels: number) => requestObject(levels)],
  ["id_token_hint", (levels: number) => `${part('{"alg":"RS256"}')}.${part(`{"x":${nested(levels)}}`)}.x`],
])("a parameter that is nested deeply: %s", (name, value) => {
  test("is refused by every endpoint before anything reads it, and named", async () => {
    const form = { ...base, [name]: value(8_000) };
    for (const path of ["/par", "/token", "/device/authorize", "/backchannel/authorize"]) {
      const answer = await app.post(path, { ...form, grant_type: "authorization_code" });
      expect(answer, path).toMatchObject({ status: 400, body: { error: "invalid_request" } });
      expect(answer.body.error_description, path).toBe(`${name} is nested deeper than 100 levels`);
    }
    // The limit is lower for values that an anonymous caller stores.
    const short = { ...base, [name]: value(4_000) };
    const posted = await iam.browser().request("POST", `/realms/${realm.name}/authorize`, { form: short, csrf: false });
    expect(posted.status).toBe(400);
    const requested = await iam.browser().get(app.url({ [name]: value(1_000) }));
    expect(requested.status).toBe(400);
  });
});

test("a shallow parameter is not refused for its depth", async () => {
  const pushed = await app.post("/par", { ...base, claims: claims(90) });
  expect(pushed.status, pushed.text).toBe(201);
});

test("a body of the admin API that is nested deeply is a 400 that names the member", async () => {
  const { browser } = realm.asMaster();
  const answer = await browser.post(`/admin/realms/${realm.name}/users`, { username: "deep", attributes: JSON.parse(nested(2_000)) });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: "attributes", code: "too_deep" }] } });
});
