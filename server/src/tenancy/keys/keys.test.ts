import { createPrivateKey, createPublicKey, sign, verify, X509Certificate } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clock } from "../../kernel/clock.ts";
import { systemActor } from "../../platform/context.ts";
import { type SharedHarness, sharedHarness, testDatabase } from "../../testing/harness.ts";
import { onPostgres } from "../../testing/on-postgres.ts";
import { generateKey, privateKeyPlace } from "./generate.ts";
import { rotateKey } from "./service.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

/** A promise that is resolved from outside. */
function gate(): { promise: Promise<void>; resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>((open) => {
    resolve = open;
  });
  return { promise, resolve };
}

/** Without those beside them: see signing.test.ts. */
const jwks = async (realm: string) =>
  ((await iam.browser().get(`/realms/${realm}/jwks`)).body.keys as { kid: string; kty: string }[]).filter(({ kty }) => kty === "RSA");

describe("rotating", () => {
  test("makes a new signer, keeps the previous key published, and records in both trails", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-realm");
    const [first] = (await admin.get("/keys")).body;
    const rotated = await admin.post("/keys/rotate");
    expect(rotated).toMatchObject({ status: 201, body: { algorithm: "RSA", status: "ACTIVE", rotatedAt: null } });
    expect(Object.keys(rotated.body).sort()).toEqual([
      "algorithm",
      "certificate",
      "createdAt",
      "keyId",
      "publicKey",
      "rotatedAt",
      "status",
    ]);

    const keys = (await admin.get("/keys")).body;
    expect(keys).toMatchObject([{ keyId: rotated.body.keyId }, { keyId: first.keyId, status: "RETAINED", rotatedAt: expect.any(Number) }]);
    expect(keys[1].rotatedAt).toBeGreaterThanOrEqual(first.createdAt);
    expect((await jwks(realm.name)).map(({ kid }) => kid)).toEqual([rotated.body.keyId, first.keyId]);
    const about = `resourceId=${rotated.body.keyId}`;
    expect(await realm.events(`type=ADMIN_ACTION&${about}`)).toMatchObject([
      { actor: admin.username, detail: "rotate", resourceType: "keys" },
    ]);
    expect(await realm.events(`type=KEY_ROTATED&${about}`)).toMatchObject([{ category: "SECURITY" }]);
  });

  test("twice at once succeeds twice and leaves one signer, which leads the list", async () => {
    const realm = await iam.realm();
    const answers = await Promise.all([1, 2, 3].map(() => realm.asMaster().post("/keys/rotate")));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    const keys: { keyId: string; status: string; createdAt: number; rotatedAt: number | null }[] = (await realm.asMaster().get("/keys"))
      .body;
    expect(keys.map(({ status }) => status)).toEqual(["ACTIVE", "RETAINED", "RETAINED", "RETAINED"]);
    for (const { createdAt, rotatedAt } of keys.slice(1)) expect(rotatedAt).toBeGreaterThanOrEqual(createdAt);
    expect(await jwks(realm.name)).toHaveLength(4);
  });

  test("in the very same moment takes turns", async () => {
    const realm = await iam.realm();
    const { vault, work } = iam.core;
    // Made before, so that the transactions really meet.
    const keys = await Promise.all([1, 2, 3, 4].map(() => generateKey(vault, realm.name)));
    const origin = { realm: realm.name, actor: systemActor(realm.name), sourceIp: null };
    await Promise.all(keys.map((key) => work.transact(origin, (ctx) => rotateKey(ctx, vault, key))));
    const listed: { status: string }[] = (await realm.asMaster().get("/keys")).body;
    expect(listed.map(({ status }) => status)).toEqual(["ACTIVE", ...Array(4).fill("RETAINED")]);
  });

  test("leads with the signer even where it is the older key", async () => {
    const realm = await iam.realm();
    await realm.asMaster().post("/keys/rotate");
    await sql`update realm_keys set created_at = 5 where realm_id = ${realm.name} and status = 'ACTIVE'`.execute(iam.core.db);
    expect((await realm.asMaster().get("/keys")).body.map(({ status }: { status: string }) => status)).toEqual(["ACTIVE", "RETAINED"]);
  });
});

describe("deleting", () => {
  test("takes a retained key out of the JWKS", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-realm");
    const [old] = (await admin.get("/keys")).body;
    const etag = async () => ({ headers: { "if-match": String((await admin.get(`/keys/${old.keyId}`)).headers.etag) } });
    const active = await etag();
    const { keyId } = (await admin.post("/keys/rotate")).body;
    expect((await admin.delete(`/keys/${old.keyId}`, active)).status, "it was read while it signed").toBe(412);
    expect((await admin.delete(`/keys/${old.keyId}`, await etag())).status).toBe(204);
    expect((await jwks(realm.name)).map(({ kid }) => kid)).toEqual([keyId]);
    expect((await admin.delete(`/keys/${old.keyId}`)).status).toBe(404);
    expect(await realm.events(`type=KEY_DELETED&resourceId=${old.keyId}`)).toHaveLength(1);
    expect(await realm.events(`type=ADMIN_DELETE&resourceId=${old.keyId}`)).toMatchObject([{ resourceType: "keys" }]);
  });

  onPostgres("refuses the ACTIVE key, and knows neither others nor nonsense", async () => {
    const realm = await iam.realm();
    const other = await iam.realm();
    const admin = await realm.as("manage-realm");
    const [active] = (await admin.get("/keys")).body;
    expect(await admin.delete(`/keys/${active.keyId}`)).toMatchObject({ status: 409, body: { code: "keys.active" } });
    await other.asMaster().post("/keys/rotate");
    const [, retained] = (await other.asMaster().get("/keys")).body;
    for (const id of [retained.keyId, "01900000-0000-7000-8000-000000000000", "nonsense", "%27", "..", "x".repeat(2000)])
      expect((await admin.delete(`/keys/${id}`)).status, id).toBe(404);
    expect(await jwks(other.name)).toHaveLength(2);
    expect(await jwks(realm.name)).toHaveLength(1);
  });
});

describe("private halves", () => {
  test("are sealed in the table and open only at their place", async () => {
    const realm = await iam.realm();
    const other = await iam.realm();
    await realm.asMaster().post("/keys/rotate");
    const { rows } = await sql<{ key_id: string; private_key: string; public_key: string; row: string }>`
      select key_id, private_key, public_key, realm_keys::text as row from realm_keys where realm_id = ${realm.name}`.execute(iam.core.db);
    expect(rows).toHaveLength(2);
    const [mine, sibling] = rows as [(typeof rows)[number], (typeof rows)[number]];
    const { vault } = iam.core;
    const opened = vault.open(mine.private_key, privateKeyPlace(realm.name, mine.key_id));
    const key = createPrivateKey({ key: Buffer.from(opened, "base64"), format: "der", type: "pkcs8" });
    expect(createPublicKey(key).export({ format: "der", type: "spki" }).toString("base64")).toBe(mine.public_key);
    expect(() => vault.open(mine.private_key, privateKeyPlace(other.name, mine.key_id))).toThrow();
    expect(() => vault.open(mine.private_key, privateKeyPlace(realm.name, sibling.key_id))).toThrow();

    expect(mine.private_key).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]+$/);
    // Neither as text, nor as base64 or hex of any column.
    const { d, p } = key.export({ format: "jwk" });
    const secrets = [opened, d!, p!, Buffer.from(d!, "base64url").toString("hex"), Buffer.from(p!, "base64url").toString("base64")];
    for (const { row } of rows) for (const secret of [...secrets, "PRIVATE KEY"]) expect(row).not.toContain(secret);
    const shown = (await realm.asMaster().get("/keys")).text + JSON.stringify(await jwks(realm.name)) + iam.output.join("");
    for (const secret of [...secrets, mine.private_key]) expect(shown).not.toContain(secret);
  });
});

describe("certificate", () => {
  test("is the key's own, self-signed, and valid now", async () => {
    const realm = await iam.realm();
    const { certificate, publicKey } = (await realm.asMaster().post("/keys/rotate")).body;
    const parsed = new X509Certificate(Buffer.from(certificate, "base64"));
    expect(parsed.publicKey.export({ format: "der", type: "spki" }).toString("base64")).toBe(publicKey);
    expect(parsed.verify(parsed.publicKey)).toBe(true);
    expect(parsed.subject).toBe(parsed.issuer);
    expect(parsed.subject).toContain(`CN=${realm.name}`);
    expect(Date.parse(parsed.validFrom)).toBeLessThan(clock.now());
    expect(Date.parse(parsed.validTo)).toBeGreaterThan(clock.now() + 5 * 365 * 86_400_000);
    expect(parsed.serialNumber, "positive, and 16 octets long").toMatch(/^[4-7][0-9A-F]{31}$/);
    expect(parsed.publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
  });
});

describe("JWKS", () => {
  test("verifies what the realm's key signs, and holds nothing private", async () => {
    const realm = await iam.realm();
    const answer = await iam.browser().get(`/realms/${realm.name}/jwks`);
    expect(answer).toMatchObject({ status: 200, headers: { "cache-control": "public, max-age=60", "access-control-allow-origin": "*" } });
    const [jwk] = answer.body.keys;
    // No `alg`: the same key signs RS256 and PS256.
    expect(Object.keys(jwk).sort()).toEqual(["e", "kid", "kty", "n", "use", "x5c"]);
    expect(jwk).toMatchObject({ kty: "RSA", use: "sig" });
    const { rows } = await sql<{
      key_id: string;
      private_key: string;
    }>`select key_id, private_key from realm_keys where realm_id = ${realm.name}`.execute(iam.core.db);
    expect(jwk.kid).toBe(rows[0]!.key_id);
    const pkcs8 = iam.core.vault.open(rows[0]!.private_key, privateKeyPlace(realm.name, jwk.kid));
    const signature = sign(
      "RSA-SHA256",
      Buffer.from("hello"),
      createPrivateKey({ key: Buffer.from(pkcs8, "base64"), format: "der", type: "pkcs8" }),
    );
    expect(verify("RSA-SHA256", Buffer.from("hello"), createPublicKey({ key: jwk, format: "jwk" }), signature)).toBe(true);
    expect(new X509Certificate(Buffer.from(jwk.x5c[0], "base64")).publicKey.export({ format: "jwk" })).toMatchObject({
      n: jwk.n,
      e: jwk.e,
    });
  });

  onPostgres("answers 304 to a known tag, strong or weakened or in a list, until a key changes", async () => {
    const realm = await iam.realm();
    const browser = iam.browser();
    const path = `/realms/${realm.name}/jwks`;
    const etag = String((await browser.get(path)).headers.etag);
    expect(etag).toMatch(/^"[\w-]+"$/);
    const asking = (tag: string) => browser.get(path, { headers: { "if-none-match": tag } });
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const answer = await asking(tag);
      expect([answer.status, answer.text, answer.headers.etag], tag).toEqual([304, "", etag]);
    }
    for (const tag of ['"other"', etag.slice(1, -1), ""]) expect((await asking(tag)).status, tag).toBe(200);
    await realm.asMaster().post("/keys/rotate");
    expect((await asking(etag)).status).toBe(200);
  });

  test("is served without asking the database once the realm is known", async () => {
    // The realm is `master`, which nothing here changes: no late notice of a change makes the server read it anew.
    const browser = iam.browser();
    const path = "/realms/master/jwks";
    await browser.get(path);
    const locked = gate();
    const enough = gate();
    // A request waits now for tables that are locked. Given up after a while, or a broken rule would hang the test.
    const giveUp = setTimeout(enough.resolve, 60_000);
    let held = true;
    const holder = iam.core.db
      .transaction()
      .execute(async (tx) => {
        await sql`lock table realms, realm_settings, realm_keys, realm_key_companions, realm_companion_keys in access exclusive mode`.execute(
          tx,
        );
        locked.resolve();
        await enough.promise;
      })
      .finally(() => {
        held = false;
      });
    await locked.promise;
    const answers = await Promise.all(Array.from({ length: 50 }, () => browser.get(path)));
    expect(held).toBe(true);
    expect(answers.every(({ status, body }) => status === 200 && body.keys.length === 3)).toBe(true);
    clearTimeout(giveUp);
    enough.resolve();
    await holder;
  });
});

describe.runIf(testDatabase() === "postgres")("on a second node", () => {
  test("a rotation and a deletion show in the JWKS", async () => {
    const second = await iam.secondNode();
    const realm = await iam.realm();
    const path = `/realms/${realm.name}/jwks`;
    const there = iam.browser().elsewhere(second.server.app);
    const kids = async () =>
      (await there.get(path)).body.keys.map(({ kid }: { kid: string }) => kid).filter((kid: string) => !/-(ec|ed|enc)$/.test(kid));
    const [first] = await kids();
    const { keyId } = (await realm.asMaster().post("/keys/rotate")).body;
    await expect.poll(kids).toEqual([keyId, first]);
    await realm.asMaster().delete(`/keys/${first}`);
    await expect.poll(kids).toEqual([keyId]);
  });
});
