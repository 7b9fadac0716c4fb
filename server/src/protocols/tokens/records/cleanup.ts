import { type Db, deleteExpired } from "../../../platform/db/index.ts";

/** Deletes expired codes, refresh tokens, requests, grants and revocations. */
export async function deleteExpiredOAuth(db: Db, now: number): Promise<void> {
  for (const table of ["oidc_records", "oidc_grants", "revoked_tokens"] as const) await deleteExpired(db, table, now);
}
