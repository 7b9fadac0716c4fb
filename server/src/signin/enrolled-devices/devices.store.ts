import type { JsonWebKey } from "node:crypto";
import { sql } from "kysely";
import { isId } from "../../kernel/ids.ts";
import { type Db, deleteRows, type Tx, updateRows } from "../../platform/db/index.ts";
import type { DeviceAlg, DeviceKey } from "./keys.ts";

/** The credential type of an enrolled device. Its secret is the public half of its key. */
export const PUSH = "push";

export interface Device {
  readonly id: string;
  readonly userId: string;
  readonly username: string;
  readonly key: DeviceKey;
}

/** Selects the credentials of users who may sign in. The type is literal, because a parameter would not use the partial index. */
const openCredentials = (db: Db, realm: string, type: "push" | "enrollment-token") =>
  db
    .selectFrom("credentials as c")
    .innerJoin("users as u", (join) => join.onRef("u.realm_id", "=", "c.realm_id").onRef("u.user_id", "=", "c.user_id"))
    .where("c.realm_id", "=", realm)
    .where("c.type", "=", sql.lit(type))
    .where("u.enabled", "=", true)
    .where("u.locked", "=", false);

export async function findDevice(db: Db, realm: string, id: string): Promise<Device | null> {
  if (!isId(id)) return null;
  const row = await openCredentials(db, realm, PUSH)
    .select(["c.user_id", "c.secret", "u.username", sql<DeviceAlg>`c.data ->> 'alg'`.as("alg")])
    .where("c.credential_id", "=", id)
    .executeTakeFirst();
  if (!row) return null;
  return { id, userId: row.user_id, username: row.username, key: { alg: row.alg, jwk: JSON.parse(row.secret) as JsonWebKey } };
}

interface NewDevice {
  readonly id: string;
  readonly key: DeviceKey;
  readonly label: string;
  readonly platform: string | null;
}

/** Saves a device. One that enrolls again, recognised by its push token, replaces its former record. */
export async function saveDevice(tx: Tx, realm: string, userId: string, device: NewDevice, now: number): Promise<void> {
  const stored = {
    secret: JSON.stringify(device.key.jwk),
    data: JSON.stringify({ label: device.label, platform: device.platform, alg: device.key.alg }),
  };
  await tx
    .insertInto("credentials")
    .values({ realm_id: realm, user_id: userId, credential_id: device.id, type: PUSH, ...stored, created_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(["realm_id", "user_id", "credential_id"])
        .doUpdateSet({ ...stored, created_at: now, last_used_at: null })
        .where("credentials.type", "=", PUSH),
    )
    .execute();
}

/** Returns the number of the user's devices, and the time at which the first was enrolled. */
export async function devicesOf(
  db: Db,
  realm: string,
  userId: string,
): Promise<{ readonly count: number; readonly firstAt: number | null }> {
  return db
    .selectFrom("credentials")
    .select([sql<number>`count(*)::int`.as("count"), sql<number | null>`min(created_at)`.as("firstAt")])
    .where((e) => e.and({ realm_id: realm, user_id: userId, type: PUSH }))
    .executeTakeFirstOrThrow();
}

/** Records that the device was used. Returns false if it was removed. */
export async function markDeviceUsed(tx: Tx, realm: string, { userId, id }: Pick<Device, "userId" | "id">, now: number): Promise<boolean> {
  return updateRows(tx, "credentials", { realm_id: realm, user_id: userId, credential_id: id, type: PUSH }, { last_used_at: now });
}

export interface Enrollment {
  readonly id: string;
  readonly userId: string;
  readonly username: string;
  readonly label: string | null;
  readonly expiresAt: number;
}

/** Finds the unexpired enrollment of a token, whose user is enabled. */
export async function findEnrollment(db: Db, realm: string, tokenHash: string, now: number): Promise<Enrollment | null> {
  const expiry = sql<number>`(c.data ->> 'expiresAt')::bigint`;
  const row = await openCredentials(db, realm, "enrollment-token")
    .select(["c.credential_id as id", "c.user_id as userId", "u.username"])
    .select([sql<string | null>`c.data ->> 'label'`.as("label"), expiry.as("expiresAt")])
    .where("c.secret", "=", tokenHash)
    .where(sql<boolean>`${expiry} > ${now}`)
    .executeTakeFirst();
  return row ?? null;
}

/** Uses an enrollment up. It works once: the second of two concurrent requests finds nothing. */
export async function useEnrollment(tx: Tx, realm: string, { userId, id }: Pick<Enrollment, "userId" | "id">): Promise<boolean> {
  return deleteRows(tx, "credentials", { realm_id: realm, user_id: userId, credential_id: id, type: "enrollment-token" });
}
