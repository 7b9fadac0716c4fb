import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { halfHash, type Issuer, openIssuer, registerClient } from "../../testing/conformance-client.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import { walk } from "../../testing/relying-party.ts";

// The plans oidcc-implicit-certification and oidcc-hybrid-certification, and their form post variants. See docs/conformance.md.

const BASE = "https://op.example";
let iam: Harness;
let op: Issuer;
beforeAll(async () => {
  iam = await harness({ GATEHOUSE_BASE_URL: BASE });
  op = await openIssuer(iam.server.app, await iam.realm(), BASE);
});
afterAll(() => iam?.close());

const IMPLICIT = ["id_token", "id_token token"];
const HYBRID = ["code id_token", "code token", "code id_token token"];
const metadataOf = (type: string) => ({
  response_types: [type],
  grant_types: [...(type.includes("code") ? ["authorization_code"] : []), "implicit"],
});
const registered = (type: string) => registerClient(op, metadataOf(type));

describe.each([...IMPLICIT, ...HYBRID])("response_type=%s", (type) => {
  const parts = type.split(" ");

  test.each(["fragment", "form_post"])(
    "oidcc-server by %s: each part that was asked for, and tied to the others",
    async (response_mode) => {
      const client = await registered(type);
      const answer = await client.authorize(op.browser(), { nonce: "n", state: "st", response_mode });
      expect(answer.get("state")).toBe("st");
      expect([answer.has("code"), answer.has("id_token"), answer.has("access_token")]).toEqual(
        ["code", "id_token", "token"].map((part) => parts.includes(part)),
      );
      const front = parts.includes("id_token") ? await client.checkIdToken(answer.get("id_token")!, { nonce: "n" }) : null;
      // §3.3.2.11: c_hash and at_hash bind code and token to the ID token.
      if (front && parts.includes("code")) expect(front.c_hash).toBe(halfHash(answer.get("code")!));
      if (front && parts.includes("token")) expect(front.at_hash).toBe(halfHash(answer.get("access_token")!));
      if (parts.includes("token")) {
        const answered = await op.browser().get(op.path(op.metadata.userinfo_endpoint), {
          headers: { authorization: `Bearer ${answer.get("access_token")}` },
        });
        expect(answered).toMatchObject({ status: 200, body: { sub: op.user.userId } });
      }
      if (parts.includes("code")) {
        const given = await client.exchange(answer);
        expect(given.status, given.text).toBe(200);
        const back = await client.checkIdToken(given.body.id_token, { nonce: "n", accessToken: given.body.access_token });
        // §3.3.3.6: both ID tokens have the same issuer and subject.
        if (front) expect([back.iss, back.sub]).toEqual([front.iss, front.sub]);
        expect((await client.exchange(answer)).body.error, "oidcc-codereuse").toBe("invalid_grant");
      }
    },
  );

  test.each(["ES256", "EdDSA", "Ed25519"])("the hashes are those of the algorithm %s", async (alg) => {
    const more = { id_token_signed_response_alg: alg };
    const client = await registerClient(op, { ...metadataOf(type), ...more });
    const answer = await client.authorize(op.browser(), { nonce: "n", state: "st" });
    if (!answer.has("id_token")) return;
    const front = await client.checkIdToken(answer.get("id_token")!, { nonce: "n", alg });
    if (answer.has("code")) expect(front.c_hash).toBe(halfHash(answer.get("code")!, alg));
    if (answer.has("access_token")) expect(front.at_hash).toBe(halfHash(answer.get("access_token")!, alg));
  });

  test("oidcc-ensure-request-without-nonce-fails, in the query never, and not where the client is registered for code alone", async () => {
    const client = await registered(type);
    const errorOf = async (url: string) => {
      const { left, page } = await walk(op.browser(), BASE, url);
      const found = left?.hash ? new URLSearchParams(left.hash.slice(1)) : left?.searchParams;
      return found?.get("error") ?? page.status;
    };
    if (parts.includes("id_token")) expect(await errorOf(client.url({ nonce: undefined }))).toBe("invalid_request");
    expect(await errorOf(client.url({ response_mode: "query" }))).toBe("invalid_request");
    const plain = await registerClient(op, {});
    expect(await errorOf(plain.url({ response_type: type }))).toBe("unauthorized_client");
  });

  test("the realm may turn it off, for clients that have it too", async () => {
    const realm = await iam.realm();
    const other = await openIssuer(iam.server.app, realm, BASE);
    const client = await registerClient(other, {
      response_types: [type],
      grant_types: [...(parts.includes("code") ? ["authorization_code"] : []), "implicit"],
    });
    await realm.asMaster().put("/settings", { oidc: { implicitFlow: false } });
    const { left, page } = await walk(other.browser(), BASE, client.url());
    const found = left?.hash ? new URLSearchParams(left.hash.slice(1)) : left?.searchParams;
    expect(found?.get("error") ?? page.status).toSatisfy(
      (error) => error === 400 || /unsupported_response_type|unauthorized_client/.test(String(error)),
    );
    const { body } = await other.browser().get(`/realms/${realm.name}/.well-known/openid-configuration`);
    expect(body.response_types_supported).toEqual(["code"]);
  });
});

test("the order of the parts does not matter", async () => {
  const client = await op.browser().post(op.path(op.metadata.registration_endpoint), {
    redirect_uris: ["https://suite.example/cb"],
    response_types: ["token code id_token"],
    grant_types: ["authorization_code", "implicit"],
  });
  expect(client.body).toMatchObject({ response_types: ["code id_token token"] });
});
