import { sql } from "kysely";
import { type Db, insertRow, type Tx } from "../../platform/db/index.ts";

export const TOTP = "totp";
export const RECOVERY_CODE = "recovery-code";

/** An authenticator app. */
export interface TotpCredential {
  readonly id: string;
  /** Sealed for `totpPlace`. */
  readonly secret: string;
  readonly label: string | null;
  readonly algorithm: "SHA1" | "SHA256" | "SHA512";
  readonly digits: number;
  /** Seconds */
  readonly period: number;
  /** The last time step whose code was used; -1 before the first. */
  readonly lastStep: number;
}

export const totpPlace = (realm: string, id: string) => ({ realm, table: "credentials", column: "secret", row: id });

export async function listTotp(db: Db, realm: string, userId: string): Promise<TotpCredential[]> {
  const rows = await db
    .selectFrom("credentials")
    .select(["credential_id", "secret", "data"])
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .where("type", "=", TOTP)
    .orderBy("credential_id")
    .execute();
  return rows.map(({ credential_id: id, secret, data }) => ({ id, secret, ...(data as unknown as Omit<TotpCredential, "id" | "secret">) }));
}

export async function insertTotp(tx: Tx, realm: string, userId: string, totp: TotpCredential, now: number): Promise<void> {
  const { id, secret, ...data } = totp;
  await insertRow(tx, "credentials", {
    realm_id: realm,
    user_id: userId,
    credential_id: id,
    type: TOTP,
    secret,
    data: JSON.stringify(data),
    created_at: now,
  });
}

/** Uses up the codes up to this time step. Returns false if this one was used up already, or the credential is gone. */
export async function useTotp(tx: Tx, realm: string, userId: string, id: string, step: number, now: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("credentials")
    .set({ last_used_at: now, data: sql<string>`data || jsonb_build_object('lastStep', ${step}::bigint)` })
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .where("credential_id", "=", id)
    .where("type", "=", TOTP)
    .where(sql<boolean>`(data ->> 'lastStep')::bigint < ${step}`)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** A user's recovery codes: one row with the hashes of the codes that are left. */
export interface RecoveryCodes {
  readonly id: string;
  readonly hashes: readonly string[];
}

const recoveryRow = (db: Db, realm: string, userId: string) =>
  db
    .selectFrom("credentials")
    .select(["credential_id", "secret"])
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .where("type", "=", RECOVERY_CODE);

const toCodes = (row: { credential_id: string; secret: string } | undefined): RecoveryCodes | null =>
  row ? { id: row.credential_id, hashes: JSON.parse(row.secret) as string[] } : null;

export const findRecoveryCodes = async (db: Db, realm: string, userId: string): Promise<RecoveryCodes | null> =>
  toCodes(await recoveryRow(db, realm, userId).executeTakeFirst());

/** Stores a new set of codes in place of an earlier one. Tells whether there was one. The caller holds the user's row. */
export async function replaceRecoveryCodes(tx: Tx, realm: string, userId: string, codes: RecoveryCodes, now: number): Promise<boolean> {
  const ended = await tx
    .deleteFrom("credentials")
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .where("type", "=", RECOVERY_CODE)
    .executeTakeFirst();
  await insertRow(tx, "credentials", {
    realm_id: realm,
    user_id: userId,
    credential_id: codes.id,
    type: RECOVERY_CODE,
    secret: JSON.stringify(codes.hashes),
    data: JSON.stringify({ remaining: codes.hashes.length }),
    created_at: now,
  });
  return ended.numDeletedRows > 0n;
}

/** Uses up one code. Returns how many are left, or null if the code is not there any more. Two requests at once take turns. */
export async function useRecoveryCode(tx: Tx, realm: string, userId: string, hash: string, now: number): Promise<number | null> {
  const codes = toCodes(await recoveryRow(tx, realm, userId).forUpdate().executeTakeFirst());
  if (!codes?.hashes.includes(hash)) return null;
  const left = codes.hashes.filter((each) => each !== hash);
  const here = sql<boolean>`realm_id = ${realm} and user_id = ${userId} and credential_id = ${codes.id}`;
  if (left.length === 0) await tx.deleteFrom("credentials").where(here).execute();
  else
    await tx
      .updateTable("credentials")
      .set({ secret: JSON.stringify(left), data: JSON.stringify({ remaining: left.length }), last_used_at: now })
      .where(here)
      .execute();
  return left.length;
}
