import { webcrypto } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Harness, harness } from "../../testing/harness.ts";
import { createSigningKeys, type Signer, type SigningAlg } from "./index.ts";

let iam: Harness;
beforeAll(async () => {
  iam = await harness();
});
afterAll(() => iam?.close());

const jwks = async (realm: string) => (await iam.browser().get(`/realms/${realm}/jwks`)).body.keys as webcrypto.JsonWebKey[];
const verifying = {
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  PS256: { name: "RSA-PSS", hash: "SHA-256", saltLength: 32 },
  ES256: { name: "ECDSA", hash: "SHA-256", namedCurve: "P-256" },
};
const data = Buffer.from("what is signed");

async function holds(realm: string, { kid, alg, sign }: Signer): Promise<boolean> {
  const jwk = (await jwks(realm)).find((key) => (key as { kid?: string }).kid === kid)!;
  const key = await webcrypto.subtle.importKey("jwk", jwk, verifying[alg], false, ["verify"]);
  return webcrypto.subtle.verify(verifying[alg], key, await sign(data), data);
}

describe("signing keys", () => {
  test.each(["RS256", "PS256", "ES256"] as const)("sign %s so that the realm's JWKS verifies it", async (alg: SigningAlg) => {
    const realm = await iam.realm();
    const signer = (await createSigningKeys(iam.core).signer(realm.name, alg))!;
    expect(signer.key.extractable).toBe(false);
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

describe("the P-256 companion", () => {
  test("is made at first need, once by however many at once, published, sealed, and not in /keys", async () => {
    const realm = await iam.realm();
    expect(await jwks(realm.name)).toHaveLength(1);
    // Each its own node, as far as the making goes.
    const signers = await Promise.all(Array.from({ length: 6 }, () => createSigningKeys(iam.core).signer(realm.name, "ES256")));
    const published = await jwks(realm.name);
    const [rsa] = (await realm.asMaster().get("/keys")).body;
    expect(published).toMatchObject([
      { kid: rsa.keyId, kty: "RSA" },
      { kid: `${rsa.keyId}-ec`, kty: "EC", crv: "P-256", alg: "ES256", use: "sig" },
    ]);
    expect(Object.keys(published[1]!)).not.toContain("d");
    for (const signer of signers) expect(await holds(realm.name, signer!)).toBe(true);
    expect((await realm.asMaster().get("/keys")).body).toHaveLength(1);
    const { rows } = await sql<{
      private_key: string;
    }>`select private_key from realm_key_companions where realm_id = ${realm.name}`.execute(iam.core.db);
    expect(rows).toMatchObject([{ private_key: expect.stringMatching(/^v1\./) }]);
  });

  test("follows a rotation where the key before had one, and goes with its key", async () => {
    const [with_, without] = [await iam.realm(), await iam.realm()];
    const keys = createSigningKeys(iam.core);
    const before = (await keys.signer(with_.name, "ES256"))!;
    const { keyId } = (await with_.asMaster().post("/keys/rotate")).body;
    await without.asMaster().post("/keys/rotate");
    expect(await jwks(with_.name)).toHaveLength(4);
    expect(await jwks(without.name)).toHaveLength(2);
    const after = (await keys.signer(with_.name, "ES256"))!;
    expect(after.kid).toBe(`${keyId}-ec`);
    for (const signer of [before, after]) expect(await holds(with_.name, signer)).toBe(true);
    expect(await keys.keyNamed(with_.name, before.kid, "ES256")).toBe(before);
    await with_.asMaster().delete(`/keys/${before.kid.replace("-ec", "")}`);
    expect((await jwks(with_.name)).map((key) => (key as { kid?: string }).kid)).toEqual([keyId, after.kid]);
    expect(await keys.keyNamed(with_.name, before.kid, "ES256")).toBeNull();
  });
});
