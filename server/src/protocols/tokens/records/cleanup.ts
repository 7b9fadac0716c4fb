import type { Db } from "../../../platform/db/index.ts";
import { deleteExpiredGrants } from "./grants.store.ts";
import { deleteExpiredRevocations } from "./liveness.store.ts";
import { deleteExpiredRecords } from "./records.store.ts";

/** Deletes expired codes, refresh tokens, requests, grants and revocations. */
export async function deleteExpiredOAuth(db: Db, now: number): Promise<void> {
  await deleteExpiredRecords(db, now);
  await deleteExpiredGrants(db, now);
  await deleteExpiredRevocations(db, now);
}
