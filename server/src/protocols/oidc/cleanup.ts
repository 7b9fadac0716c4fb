import type { Db } from "../../platform/db/index.ts";
import { deleteExpiredActivity } from "./activity.store.ts";
import { deleteExpiredGrants } from "./adapter/grants.store.ts";
import { deleteExpiredRecords } from "./adapter/records.store.ts";
import { deleteExpiredRevocations } from "./tokens/liveness.store.ts";

/** Codes, tokens, requests and grants that are over. */
export async function deleteExpiredOidc(db: Db, now: number): Promise<void> {
  await deleteExpiredRecords(db, now);
  await deleteExpiredGrants(db, now);
  await deleteExpiredRevocations(db, now);
  await deleteExpiredActivity(db, now);
}
