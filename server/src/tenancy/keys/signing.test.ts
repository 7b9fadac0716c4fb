import { webcrypto } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../kernel/ids.ts";
import { systemActor } from "../../platform/context.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { completeKeys, createSigningKeys, type Signer, signingAlgs } from "./index.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const jwks = async (realm: string) => (await iam.browser().get(`/realms/${realm}/jwks`)).body.keys as webcrypto.JsonWebKey[];
const verifying = {
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  PS256: { name: "RSA-PSS", hash: "SHA-256", saltLength: 32 },
  ES256: { name: "ECDSA", hash: "SHA-256", namedCurve: "P-256" },
  EdDSA: { name: "Ed25519" },
  Ed25519: { name: "Ed25519" },
};
const data = Buffer.from("what is signed");

async function holds(realm: string, { kid, alg, sign }: Signer): Promise<boolean> {
  const jwk = (await jwks(realm)).find((key) => (key as { kid?: string }).kid === kid)!;
  const key = await webcrypto.subtle.importKey("jwk", jwk, verifying[alg], false, ["verify"]);
  return webcrypto.subtle.verify(verifying[alg], key, await sign(data), data);
}

describe("signing keys", () => {
  test.each(signingAlgs)("sign %s with a key that was published before, and verifies it", async (alg) => {
    const realm = await iam.realm();
    const { body: settings } = await realm.asMaster().get("/settings");
    await realm.asMaster().put("/settings", { ...settings, tokens: { ...settings.tokens, signingAlg: alg } });
    const before = await jwks(realm.name);
    const signer = (await createSigningKeys(iam.core).signer(realm.name, alg))!;
    expect(await jwks(realm.name)).toEqual(before);
    expect(await holds(realm.name, signer)).toBe(true);
    expect(await createSigningKeys(iam.core).signer("no-such-realm", alg)).toBeNull();
  });

  test("open each private half once", async () => {
    const realm = await iam.realm();
    let opened = 0;
    const vault = {
      ...iam.core.vault,
      open: (...sealed: Parameters<typeof iam.core.vault.open>) => {
        opened++;
        return iam.core.vault.open(...sealed);
      },
    };
    const keys = createSigningKeys({ ...iam.core, vault });
    const signers = await Promise.all(Array.from({ length: 20 }, () => keys.signer(realm.name, "RS256")));
    expect([new Set(signers).size, opened]).toEqual([1, 1]);
  });
});

describe("the keys beside an RSA key", () => {
  const kids = async (realm: string) => (await jwks(realm)).map((key) => (key as { kid?: string }).kid);

  test("are published with it, sealed, and not in /keys", async () => {
    const realm = await iam.realm();
    const [rsa] = (await realm.asMaster().get("/keys")).body;
    const published = await jwks(realm.name);
    expect(published).toMatchObject([
      { kid: rsa.keyId, kty: "RSA" },
      { kid: `${rsa.keyId}-ec`, kty: "EC", crv: "P-256", alg: "ES256", use: "sig" },
      { kid: `${rsa.keyId}-enc`, kty: "EC", crv: "P-256", use: "enc" },
    ]);
    for (const key of published) expect(Object.keys(key)).not.toContain("d");
    expect((await realm.asMaster().get("/keys")).body).toHaveLength(1);
    const { rows } = await sql<{ private_key: string }>`
      select private_key from realm_key_companions where realm_id = ${realm.name}
      union all select private_key from realm_companion_keys where realm_id = ${realm.name}`.execute(iam.core.db);
    expect(rows).toEqual(Array(2).fill({ private_key: expect.stringMatching(/^v1\./) }));
  });

  test("follow a rotation, and go with their key", async () => {
    const realm = await iam.realm();
    const keys = createSigningKeys(iam.core);
    const before = (await keys.signer(realm.name, "ES256"))!;
    const { keyId } = (await realm.asMaster().post("/keys/rotate")).body;
    expect(await jwks(realm.name)).toHaveLength(6);
    const after = (await keys.signer(realm.name, "ES256"))!;
    expect(after.kid).toBe(`${keyId}-ec`);
    for (const signer of [before, after]) expect(await holds(realm.name, signer)).toBe(true);
    await realm.asMaster().delete(`/keys/${before.kid.slice(0, 36)}`);
    expect(await kids(realm.name)).toEqual([keyId, `${keyId}-ec`, `${keyId}-enc`]);
  });

  test("include one for EdDSA from the moment that the realm or a client asks for it, through every rotation", async () => {
    const [byRealm, byClient] = [await iam.realm(), await iam.realm()];
    const edwards = async ({ name }: { name: string }) => (await kids(name)).filter((kid) => kid?.endsWith("-ed"));
    const { body: settings } = await byRealm.asMaster().get("/settings");
    const client = (members: object) =>
      byClient.asMaster().post("/clients", { clientId: newId(), redirectUris: ["https://app.example/cb"], ...members });
    expect(
      (await client({ idTokenAlg: "ES256", authMethod: "private_key_jwt", authSigningAlg: "EdDSA", jwksUri: "https://app.example/jwks" }))
        .status,
    ).toBe(201);
    expect(await edwards(byClient), "its own signatures are made with its own key").toEqual([]);
    await byRealm.asMaster().put("/settings", { ...settings, tokens: { ...settings.tokens, signingAlg: "EdDSA" } });
    expect((await client({ idTokenAlg: "Ed25519" })).status).toBe(201);
    for (const realm of [byRealm, byClient]) {
      const [first] = (await realm.asMaster().get("/keys")).body;
      expect(await edwards(realm)).toEqual([`${first.keyId}-ed`]);
      const { keyId } = (await realm.asMaster().post("/keys/rotate")).body;
      expect((await edwards(realm)).sort()).toEqual([`${first.keyId}-ed`, `${keyId}-ed`].sort());
    }
  });

  test("are given to a key of the previous release by the job, or before the first of them signs", async () => {
    const [byJob, byNeed] = [await iam.realm(), await iam.realm()];
    for (const { name } of [byJob, byNeed]) {
      await sql`delete from realm_key_companions where realm_id = ${name}`.execute(iam.core.db);
      await sql`delete from realm_companion_keys where realm_id = ${name}`.execute(iam.core.db);
      await iam.core.work.transact({ realm: name, actor: systemActor(name), sourceIp: null }, (ctx) => ctx.configChanged());
      expect(await jwks(name)).toHaveLength(1);
    }
    // Each its own node, as far as the making goes.
    const signers = await Promise.all(Array.from({ length: 6 }, () => createSigningKeys(iam.core).signer(byNeed.name, "EdDSA")));
    for (const signer of signers) expect(await holds(byNeed.name, signer!)).toBe(true);
    expect(await jwks(byNeed.name)).toHaveLength(2);
    await completeKeys(iam.core);
    expect(await jwks(byJob.name)).toHaveLength(3);
    expect(await jwks(byNeed.name)).toHaveLength(4);
    expect(await kids(byNeed.name)).toContain(signers[0]!.kid);
  });
});
