import { deflateRawSync } from "node:zlib";
import {
  CompactEncrypt,
  compactDecrypt,
  createLocalJWKSet,
  decodeProtectedHeader,
  exportJWK,
  type GenerateKeyPairResult,
  generateKeyPair,
  importJWK,
  type JWK,
  jwtVerify,
} from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "../../testing/browser.ts";
import { type FapiClient, fapiClient } from "../../testing/fapi-client.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
let user: { userId: string; username: string; password: string };
const keys = new Map<string, GenerateKeyPairResult>();
beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
  user = await realm.user();
  for (const alg of ["RSA-OAEP-256", "ECDH-ES"]) keys.set(alg, await generateKeyPair(alg, { extractable: true }));
});
afterAll(() => iam?.close());

const pairFor = (alg: string) => keys.get(alg.startsWith("RSA") ? alg : "ECDH-ES")!;
const publicKey = async (alg: string): Promise<JWK> => ({ ...(await exportJWK(pairFor(alg).publicKey)), kid: "enc", use: "enc" });

/** Creates a client whose responses are all encrypted. */
async function clientWith(alg: string, enc: string | null, members: Record<string, unknown> = {}): Promise<FapiClient> {
  const of = (what: string) => ({ [`${what}EncryptedResponseAlg`]: alg, [`${what}EncryptedResponseEnc`]: enc });
  const client = await fapiClient(iam, realm, { clientId: `c-${crypto.randomUUID()}`, profile: "none", authMethod: "private_key_jwt" });
  const { body } = await realm.asMaster().get(`/clients/${client.id}`);
  const state = {
    ...body,
    jwks: { keys: [...body.jwks.keys, await publicKey(alg)] },
    ...of("idToken"),
    ...of("userinfo"),
    ...of("authorization"),
    ...of("introspection"),
    ...members,
  };
  const saved = await realm.asMaster().put(`/clients/${client.id}`, state);
  expect(saved.status, saved.text).toBe(200);
  return client;
}

async function opened(jwe: string, alg: string, enc: string): Promise<string> {
  expect(decodeProtectedHeader(jwe)).toMatchObject({ alg, enc, kid: "enc" });
  const { plaintext } = await compactDecrypt(jwe, pairFor(alg).privateKey);
  return Buffer.from(plaintext).toString();
}

const verified = async (client: FapiClient, jwt: string) => {
  const jwks = createLocalJWKSet((await iam.browser().get(`/realms/${realm.name}/jwks`)).body);
  return (await jwtVerify(jwt, jwks, { issuer: client.issuer, audience: client.clientId })).payload;
};

describe("answers to a client", () => {
  test.each([
    ["RSA-OAEP-256", "A256GCM"],
    ["ECDH-ES", "A128GCM"],
    ["ECDH-ES+A128KW", "A128CBC-HS256"],
    ["ECDH-ES+A192KW", "A256GCM"],
    ["ECDH-ES+A256KW", null],
  ])("are signed and then encrypted, with %s and %s", async (alg, given) => {
    const enc = given ?? "A128CBC-HS256";
    const client = await clientWith(alg, given, { userinfoAlg: "ES256", introspectionSignedResponseAlg: "ES256" });
    const pushed = await client.push({ response_mode: "jwt" });
    const to = await client.authorize(iam.browser(), user, { request_uri: pushed.body.request_uri });
    const response = await verified(client, await opened(to.searchParams.get("response")!, alg, enc));
    const { body } = await client.exchange(String(response.code), {}, {});
    expect(await verified(client, await opened(body.id_token, alg, enc))).toMatchObject({ sub: user.userId });

    const answered: Answer = await iam
      .browser()
      .get(`/realms/${realm.name}/userinfo`, { headers: { authorization: `Bearer ${body.access_token}` } });
    expect(answered.headers["content-type"]).toContain("application/jwt");
    expect(await verified(client, await opened(answered.text, alg, enc))).toMatchObject({ sub: user.userId });

    const looked = await client.post("/introspect", { token: body.access_token });
    expect(looked.headers["content-type"]).toContain("application/token-introspection+jwt");
    const introspected = await opened(looked.text, alg, enc);
    expect(decodeProtectedHeader(introspected).typ).toBe("token-introspection+jwt");
    expect(await verified(client, introspected)).toMatchObject({ token_introspection: { active: true, sub: user.userId } });
  });

  test("userinfo that is not signed is encrypted as it is", async () => {
    const client = await clientWith("ECDH-ES", null);
    const pushed = await client.push();
    const to = await client.authorize(iam.browser(), user, { request_uri: pushed.body.request_uri });
    const { body } = await client.exchange(to.searchParams.get("code")!, {}, {});
    const { text } = await iam
      .browser()
      .get(`/realms/${realm.name}/userinfo`, { headers: { authorization: `Bearer ${body.access_token}` } });
    expect(JSON.parse(await opened(text, "ECDH-ES", "A128CBC-HS256"))).toMatchObject({ sub: user.userId });
  });

  test("need a key that fits, by the name of the member", async () => {
    const admin = realm.asMaster();
    const refused = async (members: object) =>
      ((await admin.post("/clients", { clientId: "x", ...members })).body.errors ?? []).map(({ field }: { field: string }) => field);
    const sig = { keys: [{ ...(await publicKey("ECDH-ES")), use: "sig" }] };
    expect(await refused({ idTokenEncryptedResponseAlg: "ECDH-ES" })).toEqual(["idTokenEncryptedResponseAlg"]);
    expect(await refused({ userinfoEncryptedResponseAlg: "ECDH-ES", jwks: sig })).toEqual(["userinfoEncryptedResponseAlg"]);
    expect(await refused({ idTokenEncryptedResponseAlg: "RSA-OAEP-256", jwks: { keys: [await publicKey("ECDH-ES")] } })).toEqual([
      "idTokenEncryptedResponseAlg",
    ]);
    expect(await refused({ introspectionEncryptedResponseEnc: "A128GCM" })).toEqual(["introspectionEncryptedResponseEnc"]);
    for (const alg of ["RSA1_5", "RSA-OAEP", "dir", "PBES2-HS256+A128KW", "none"])
      expect(await refused({ idTokenEncryptedResponseAlg: alg, jwks: sig }), alg).toContain("idTokenEncryptedResponseAlg");
    expect(await refused({ idTokenEncryptedResponseAlg: "ECDH-ES", idTokenEncryptedResponseEnc: "A192CBC-HS384", jwks: sig })).toContain(
      "idTokenEncryptedResponseEnc",
    );
  });
});

describe("a request object", () => {
  const keyOf = async ({ name }: RealmUnderTest): Promise<JWK> =>
    (await iam.browser().get(`/realms/${name}/jwks`)).body.keys.find(({ use }: JWK) => use === "enc");
  const encrypt = async (content: string, jwk: JWK, header: Record<string, unknown> = {}) =>
    new CompactEncrypt(Buffer.from(content))
      .setProtectedHeader({ alg: "ECDH-ES", enc: "A256GCM", kid: jwk.kid!, cty: "JWT", ...header } as never)
      .encrypt(await importJWK(jwk, "ECDH-ES"));
  const push = (client: FapiClient, request: string) => client.post("/par", { request });

  test("is read when it is encrypted to the realm's key, also one that a rotation has retained", async () => {
    const client = await fapiClient(iam, realm, { clientId: "sealed", profile: "fapi2-message-signing" });
    const inner = () => client.requestObject({ response_mode: "jwt" });
    const before = await keyOf(realm);
    for (const header of [{}, { kid: undefined }, { alg: "ECDH-ES+A128KW" }, { enc: "A128CBC-HS256" }]) {
      const answer = await push(client, await encrypt(await inner(), before, header));
      expect(answer.status, `${JSON.stringify(header)} ${answer.text}`).toBe(201);
    }
    await realm.asMaster().post("/keys/rotate");
    expect((await keyOf(realm)).kid).not.toBe(before.kid);
    const pushed = await push(client, await encrypt(await inner(), before));
    expect(pushed.status, pushed.text).toBe(201);
    const to = await client.authorize(iam.browser(), user, { request_uri: pushed.body.request_uri });
    expect(to.searchParams.get("response")).toBeTruthy();
  });

  test("that is encrypted or signed wrongly, or is costly to decrypt, is refused at once", async () => {
    const client = await fapiClient(iam, realm, { clientId: "sly", profile: "fapi2-message-signing" });
    const inner = await client.requestObject({ response_mode: "jwt" });
    const [own, foreign] = [await keyOf(realm), await keyOf(await iam.realm())];
    const good = await encrypt(inner, own);
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const withHeader = (header: object) => [part(header), ...good.split(".").slice(1)].join(".");
    const signing = (await iam.browser().get(`/realms/${realm.name}/jwks`)).body.keys.find(({ alg }: JWK) => alg === "ES256");
    const bomb = deflateRawSync(Buffer.alloc(50 * 1024 * 1024, "a"))
      .toString("base64url")
      .slice(0, 20_000);
    const requests: Record<string, string> = {
      "the key of another realm": await encrypt(inner, foreign),
      "the key of another realm, named as ours": await encrypt(inner, { ...foreign, kid: own.kid! }),
      "a signing key": await encrypt(inner, signing),
      "no signature inside": await encrypt(JSON.stringify({ client_id: "sly" }), own),
      "an unsigned object inside": await encrypt(`${part({ alg: "none" })}.${part(client.request())}.`, own),
      "another content": `${good.slice(0, -4)}AAAA`,
      "a zip bomb": [part({ alg: "ECDH-ES", enc: "A256GCM", kid: own.kid, zip: "DEF" }), "", "AAAA", bomb, "AAAA"].join("."),
      "a billion rounds": withHeader({
        alg: "PBES2-HS256+A128KW",
        enc: "A256GCM",
        kid: own.kid,
        p2c: 1_000_000_000,
        p2s: "AAAAAAAAAAAAAAAA",
      }),
      "a direct key": withHeader({ alg: "dir", enc: "A256GCM", kid: own.kid }),
      RSA1_5: withHeader({ alg: "RSA1_5", enc: "A256GCM", kid: own.kid }),
      "another enc": withHeader({ alg: "ECDH-ES", enc: "A192GCM", kid: own.kid }),
      "no header": `x.${good.split(".").slice(1).join(".")}`,
      "a key of five parts": "....",
      "encrypted twice": await encrypt(good, own),
    };
    for (const [name, request] of Object.entries(requests)) {
      const began = process.cpuUsage();
      const refused = await push(client, request);
      const { user: busy } = process.cpuUsage(began);
      expect([refused.status, refused.body.error], `${name}: ${refused.text}`).toEqual([400, "invalid_request_object"]);
      expect(busy / 1000, `${name}: ms of CPU`).toBeLessThan(10_000);
    }
    expect((await push(client, good)).status).toBe(201);
  });
});
