import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { totpPlace } from "../directory/credentials/index.ts";
import { createVault } from "../kernel/vault.ts";
import { inTransaction } from "../platform/db/index.ts";
import { keepLastingKeys, lastingKey } from "../platform/lasting-keys.store.ts";
import { type Harness, harness } from "../testing/harness.ts";
import { giveTotp } from "../testing/totp.ts";
import { rewrapColumn } from "./key.ts";
import { sealedColumns } from "./sealed-columns.ts";

const [old, next] = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")];
let iam: Harness;
beforeAll(async () => {
  iam = await harness({ GATEHOUSE_MASTER_KEY: old });
});
afterAll(() => iam?.close());

test("a new master key reaches the keys of authenticator apps, and no other credential is touched", async () => {
  const realm = await iam.realm();
  const { userId } = await realm.user();
  await giveTotp(iam, realm.name, userId);
  await giveTotp(iam, realm.name, userId);
  const rows = () =>
    iam.core.db
      .selectFrom("credentials")
      .select(["credential_id", "type", "secret"])
      .where("realm_id", "=", realm.name)
      .orderBy("credential_id")
      .execute();
  const before = await rows();
  const both = createVault(next, [old]);
  const rewrap = async () => {
    let done = 0;
    for (const column of sealedColumns.filter(({ table }) => table === "credentials"))
      done += await rewrapColumn({ db: iam.core.db, vault: both }, column);
    return done;
  };
  expect([await rewrap(), await rewrap()]).toEqual([2, 0]);

  const after = await rows();
  const alone = createVault(next);
  for (const [index, { credential_id: id, type, secret }] of after.entries()) {
    if (type !== "totp") expect(secret).toBe(before[index]?.secret);
    else
      expect(alone.open(secret ?? "", totpPlace(realm.name, id))).toBe(
        iam.core.vault.open(before[index]?.secret ?? "", totpPlace(realm.name, id)),
      );
  }
  expect(after.map(({ type }) => type).sort()).toEqual(expect.arrayContaining(["password", "totp", "totp"]));
});

test("a new master key changes no hash that is compared for years: who was erased stays known to the syncs of directories", async () => {
  const { db } = iam.core;
  const both = createVault(next, [old]);
  const keyBy = async (vault: typeof both) => (await lastingKey(db, vault, "directory-erasures")).export().toString("hex");
  const known = createVault(old).derive("directory-erasures").export().toString("hex");
  expect(await keyBy(iam.core.vault), "as the releases before hashed").toBe(known);
  for (const column of sealedColumns.filter(({ table }) => table === "lasting_keys"))
    expect(await rewrapColumn({ db, vault: both }, column)).toBe(2);
  expect(await keyBy(createVault(next))).toBe(known);

  // This release and a new master key at the same start.
  await db.deleteFrom("lasting_keys").execute();
  await inTransaction(db, (tx) => keepLastingKeys(tx, both, createVault(old).keyId));
  expect(await keyBy(createVault(next))).toBe(known);
});
