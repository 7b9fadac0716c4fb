import { type ColumnType, type Generated, type Selectable, sql } from "kysely";
import { type Db, deleteRows, insertReturning, nextVersion, type Tx, updateRows } from "../../platform/db/index.ts";
import { type CompanionKind, companionKid, type NewCompanion, type PublicJwk, requiredCompanions } from "./companion.ts";
import type { NewKey } from "./generate.ts";
import type { RealmKey, VersionedKey } from "./schema.ts";

interface RealmKeysTable {
  realm_id: string;
  key_id: string;
  algorithm: string;
  status: "ACTIVE" | "RETAINED";
  public_key: string;
  private_key: string;
  certificate: string;
  created_at: number;
  rotated_at: ColumnType<number | null, number | null | undefined, number | null>;
  version: Generated<number>;
}

interface RealmKeyCompanionsTable {
  realm_id: string;
  key_id: string;
  public_jwk: ColumnType<PublicJwk, string, never>;
  private_key: string;
  created_at: number;
}

/** The other companions. P-256 keys stay in the table above, because the previous release looks for them there and knows no others. */
interface RealmCompanionKeysTable extends RealmKeyCompanionsTable {
  kid: string;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    realm_keys: RealmKeysTable;
    realm_key_companions: RealmKeyCompanionsTable;
    realm_companion_keys: RealmCompanionKeysTable;
  }
}

const shown = ["key_id", "algorithm", "status", "public_key", "certificate", "created_at", "rotated_at"] as const;

/** Returns the keys, the ACTIVE one first, then the newest first. A realm has only a few. */
export async function listKeys(db: Db, realm: string): Promise<RealmKey[]> {
  const rows = await db
    .selectFrom("realm_keys")
    .select(shown)
    .where("realm_id", "=", realm)
    // Age alone does not decide: of two rotations at once, the one that began first may have committed last.
    .orderBy(sql`status = 'ACTIVE'`, "desc")
    .orderBy("created_at", "desc")
    .orderBy("key_id", "desc")
    .execute();
  return rows.map(toKey);
}

export async function insertKey(tx: Tx, realm: string, key: NewKey, now: number, status: RealmKey["status"] = "ACTIVE"): Promise<RealmKey> {
  const { keyId: key_id, publicKey: public_key, sealedPrivateKey: private_key, certificate } = key;
  const times = { created_at: now, rotated_at: status === "ACTIVE" ? null : now };
  const row = { realm_id: realm, key_id, algorithm: "RSA" as const, status, public_key, private_key, certificate, ...times };
  return toKey(await insertReturning(tx, "realm_keys", row, shown));
}

export async function retireActiveKey(tx: Tx, realm: string, now: number): Promise<void> {
  const change = { status: "RETAINED" as const, rotated_at: sql<number>`greatest(created_at, ${now}::bigint)`, version: nextVersion };
  await updateRows(tx, "realm_keys", { realm_id: realm, status: "ACTIVE" }, change);
}

/** Makes a key the signer. The caller has retired the previous one. */
export async function activateKey(tx: Tx, realm: string, keyId: string): Promise<void> {
  await updateRows(tx, "realm_keys", { realm_id: realm, key_id: keyId }, { status: "ACTIVE", rotated_at: null, version: nextVersion });
}

/** Returns all companions of a realm, with their private halves sealed. */
export async function findCompanions(db: Db, realm: string): Promise<NewCompanion[]> {
  const { rows } = await sql<{ key_id: string; kind: CompanionKind; public_jwk: PublicJwk; private_key: string }>`
    select key_id, 'ec' as kind, public_jwk, private_key from realm_key_companions where realm_id = ${realm}
    union all
    select key_id, substr(kid, 38) as kind, public_jwk, private_key from realm_companion_keys where realm_id = ${realm}
    order by key_id, kind`.execute(db);
  return rows.map((row) => ({ keyId: row.key_id, kind: row.kind, publicJwk: row.public_jwk, sealedPrivateKey: row.private_key }));
}

export interface Companion {
  /** The id of the RSA key with which it is deleted. */
  readonly keyId: string;
  readonly publicJwk: PublicJwk;
}

/** Returns the current signer if it lacks a companion of this kind. */
export async function findActiveWithout(tx: Tx, realm: string, kind: "ed"): Promise<string | null> {
  const { rows } = await sql<{ key_id: string }>`
    select k.key_id from realm_keys k where k.realm_id = ${realm} and k.status = 'ACTIVE' and not exists (
      select 1 from realm_companion_keys c where c.realm_id = k.realm_id and c.kid = k.key_id::text || ${`-${kind}`})`.execute(tx);
  return rows[0]?.key_id ?? null;
}

/** Inserts companions. If two nodes add the same one at once, the first is kept. */
export async function insertCompanions(tx: Tx, realm: string, companions: readonly NewCompanion[], now: number): Promise<void> {
  for (const { kind, keyId, publicJwk, sealedPrivateKey } of companions) {
    const row = {
      realm_id: realm,
      key_id: keyId,
      public_jwk: JSON.stringify(publicJwk),
      private_key: sealedPrivateKey,
      created_at: now,
    };
    const insert =
      kind === "ec"
        ? tx.insertInto("realm_key_companions").values(row)
        : tx.insertInto("realm_companion_keys").values({ ...row, kid: companionKid(keyId, kind) });
    await insert.onConflict((clash) => clash.doNothing()).execute();
  }
}

/** Returns the sealed private key: a companion's, or without a kind that of the RSA key itself. */
export async function findPrivateKey(db: Db, realm: string, keyId: string, kind: CompanionKind | null): Promise<string | null> {
  const [table, name, value] =
    kind === null
      ? (["realm_keys", "key_id", keyId] as const)
      : kind === "ec"
        ? (["realm_key_companions", "key_id", keyId] as const)
        : (["realm_companion_keys", "kid", companionKid(keyId, kind)] as const);
  const { rows } = await sql<{ private_key: string }>`
    select private_key from ${sql.table(table)} where realm_id = ${realm} and ${sql.ref(name)} = ${value}`.execute(db);
  return rows[0]?.private_key ?? null;
}

export interface IncompleteKey {
  readonly realm: string;
  readonly keyId: string;
  readonly missing: readonly CompanionKind[];
}

/** Returns keys that lack companions: keys of an older release, or created by a node that still runs it. */
export async function findIncompleteKeys(db: Db, limit: number): Promise<IncompleteKey[]> {
  const { rows } = await sql<{ realm_id: string; key_id: string; kinds: string[] }>`
    select k.realm_id, k.key_id, h.kinds from realm_keys k
    join realms r on r.realm_id = k.realm_id and r.deleted_at is null
    cross join lateral (select array(
      select 'ec' from realm_key_companions c where c.realm_id = k.realm_id and c.key_id = k.key_id
      union all
      select substr(c.kid, 38) from realm_companion_keys c where c.realm_id = k.realm_id and c.key_id = k.key_id) as kinds) h
    where not h.kinds @> ${[...requiredCompanions]}::text[] limit ${limit}`.execute(db);
  return rows.map(({ realm_id, key_id, kinds }) => ({
    realm: realm_id,
    keyId: key_id,
    missing: requiredCompanions.filter((kind) => !kinds.includes(kind)),
  }));
}

const selectKey = (db: Db, realm: string, keyId: string) =>
  db
    .selectFrom("realm_keys")
    .select([...shown, "version"])
    .where("realm_id", "=", realm)
    .where("key_id", "=", keyId);

export async function findKey(db: Db, realm: string, keyId: string): Promise<VersionedKey | null> {
  const row = await selectKey(db, realm, keyId).executeTakeFirst();
  return row ? toVersioned(row) : null;
}

export async function lockKey(tx: Tx, realm: string, keyId: string): Promise<VersionedKey | null> {
  const row = await selectKey(tx, realm, keyId).forUpdate().executeTakeFirst();
  return row ? toVersioned(row) : null;
}

export async function deleteKey(tx: Tx, realm: string, keyId: string): Promise<void> {
  await deleteRows(tx, "realm_keys", { realm_id: realm, key_id: keyId });
}

type KeyRow = Pick<Selectable<RealmKeysTable>, (typeof shown)[number]>;
type CompanionRow = Pick<Selectable<RealmKeyCompanionsTable>, "key_id" | "public_jwk">;

/** The published keys of a realm as columns of a query over `realms r`, in the order of `listKeys`. */
export const publishedKeys = sql`
  (select json_agg(json_build_object('key_id', k.key_id, 'algorithm', k.algorithm, 'status', k.status, 'public_key', k.public_key,
      'certificate', k.certificate, 'created_at', k.created_at, 'rotated_at', k.rotated_at)
      order by k.status = 'ACTIVE' desc, k.created_at desc, k.key_id desc)
    from realm_keys k where k.realm_id = r.realm_id) as keys,
  (select json_agg(json_build_object('key_id', c.key_id, 'public_jwk', c.public_jwk) order by c.kid)
    from (select c.key_id, c.key_id || '-ec' as kid, c.public_jwk from realm_key_companions c where c.realm_id = r.realm_id
      union all
      select c.key_id, c.kid, c.public_jwk from realm_companion_keys c where c.realm_id = r.realm_id) c) as companions`;

export interface PublishedKeysRow {
  keys: KeyRow[] | null;
  companions: CompanionRow[] | null;
}

export const toPublishedKeys = ({ keys, companions }: PublishedKeysRow): { keys: RealmKey[]; companions: Companion[] } => ({
  keys: (keys ?? []).map(toKey),
  companions: (companions ?? []).map((row) => ({ keyId: row.key_id, publicJwk: row.public_jwk })),
});

const toKey = (row: KeyRow): RealmKey => ({
  keyId: row.key_id,
  algorithm: "RSA",
  status: row.status,
  publicKey: row.public_key,
  certificate: row.certificate,
  createdAt: row.created_at,
  rotatedAt: row.rotated_at,
});

const toVersioned = (row: KeyRow & { readonly version: number }): VersionedKey => ({ ...toKey(row), version: row.version });
