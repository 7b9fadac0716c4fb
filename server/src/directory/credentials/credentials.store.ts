import { sql } from "kysely";
import { type Db, deleteInBatches, deleteReturning, deleteRows, insertRow, type Tx } from "../../platform/db/index.ts";

/** The public part of a credential, without its secret. */
export interface CredentialSummary {
  readonly id: string;
  readonly type: string;
  readonly label: string | null;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  /** The number of recovery codes that are left. */
  readonly remaining?: number;
  /** The time from which the passkey is refused, because there may be a copy of it. */
  readonly turnedOffAt?: number;
}

export const ENROLLMENT_TOKEN = "enrollment-token";

const expiry = sql<number | null>`(data ->> 'expiresAt')::bigint`;
const turnedOff = sql<number | null>`(data ->> 'suspectedAt')::bigint`;
const remaining = sql<number | null>`(data ->> 'remaining')::int`;

/** Lists a user's credentials, oldest first, without those that have expired. */
export async function listCredentials(db: Db, realm: string, userId: string, now: number): Promise<CredentialSummary[]> {
  const rows = await db
    .selectFrom("credentials")
    .select(["credential_id", "type", "created_at", "last_used_at"])
    .select([
      sql<string | null>`data ->> 'label'`.as("label"),
      expiry.as("expires_at"),
      remaining.as("remaining"),
      turnedOff.as("turned_off_at"),
    ])
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .where(sql<boolean>`coalesce(${expiry} > ${now}, true)`)
    .orderBy("credential_id")
    .execute();
  return rows.map((row) => ({
    id: row.credential_id,
    type: row.type,
    label: row.label,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    ...(row.remaining !== null && { remaining: row.remaining }),
    ...(row.turned_off_at !== null && { turnedOffAt: row.turned_off_at }),
  }));
}

/** Returns the deleted secret, for the password history, or null if there is no such credential. */
export async function deleteCredential(tx: Tx, realm: string, userId: string, type: string, id: string): Promise<string | null> {
  const row = await deleteReturning(tx, "credentials", { realm_id: realm, user_id: userId, type, credential_id: id }, ["secret"]);
  return row?.secret ?? null;
}

/** Deletes every credential of a user, and the password history. Returns the types of the deleted credentials. */
export async function deleteCredentials(tx: Tx, realm: string, userId: string): Promise<string[]> {
  const rows = await tx.deleteFrom("credentials").where("realm_id", "=", realm).where("user_id", "=", userId).returning("type").execute();
  await deleteRows(tx, "password_history", { realm_id: realm, user_id: userId });
  return [...new Set(rows.map(({ type }) => type))].sort();
}

export interface EnrollmentToken {
  readonly id: string;
  readonly tokenHash: string;
  readonly label: string | null;
  readonly expiresAt: number;
  /** True if an administrator made the token, who may have handed it over together with a first password. */
  readonly byAdministrator: boolean;
}

/** Replaces the enrollment token, of which a user has one. Tells whether there was a valid one before. */
export async function replaceEnrollmentToken(tx: Tx, realm: string, userId: string, token: EnrollmentToken, now: number): Promise<boolean> {
  const ended = await tx
    .deleteFrom("credentials")
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .where("type", "=", ENROLLMENT_TOKEN)
    .where(sql<boolean>`${expiry} > ${now}`)
    .executeTakeFirst();
  await insertRow(tx, "credentials", {
    realm_id: realm,
    user_id: userId,
    credential_id: token.id,
    type: ENROLLMENT_TOKEN,
    secret: token.tokenHash,
    data: JSON.stringify({ label: token.label, expiresAt: token.expiresAt, byAdministrator: token.byAdministrator }),
    created_at: now,
  });
  return ended.numDeletedRows > 0n;
}

/** Deletes the enrollment token that was made in a session of the user. Tells whether there was one. */
export async function deleteOwnEnrollment(tx: Tx, realm: string, userId: string, now: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("credentials")
    .where((e) => e.and({ realm_id: realm, user_id: userId, type: ENROLLMENT_TOKEN }))
    .where(sql<boolean>`coalesce(data ->> 'byAdministrator', 'false') = 'false'`)
    .where(sql<boolean>`${expiry} > ${now}`)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteExpiredEnrollments(db: Db, now: number): Promise<void> {
  // The type is a literal: as a parameter, it would hide the partial index from the plan.
  await deleteInBatches(db, "credentials", sql`type = ${sql.lit(ENROLLMENT_TOKEN)} and ${expiry} <= ${now}`);
}
