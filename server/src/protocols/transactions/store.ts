import { type ColumnType, sql } from "kysely";
import { DAY } from "../../kernel/clock.ts";
import { isId } from "../../kernel/ids.ts";
import type { Ctx } from "../../platform/context.ts";
import { type Db, deleteExpired, findRow, insertRow, type Tx } from "../../platform/db/index.ts";
import type { Transaction } from "./schema.ts";

type Stored = Exclude<Transaction["status"], "EXPIRED">;

interface TransactionsTable {
  realm_id: string;
  transaction_id: string;
  user_id: string;
  client_id: string;
  type: string;
  summary: string;
  payload_hash: string;
  acr: Transaction["acr"];
  status: ColumnType<Stored, undefined, Stored>;
  attempts: ColumnType<number, undefined, number>;
  jws: ColumnType<string | null, undefined, string>;
  created_at: number;
  signed_at: ColumnType<number | null, undefined, number>;
  consumed_at: ColumnType<number | null, undefined, number>;
  expires_at: number;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    transactions: TransactionsTable;
  }
}

const columns = [
  ...(["transaction_id as id", "status", "type", "summary", "payload_hash as payloadHash", "acr", "user_id as userId"] as const),
  ...(["client_id as clientId", "created_at as createdAt", "expires_at as expiresAt", "signed_at as signedAt"] as const),
  ...(["consumed_at as consumedAt", "jws"] as const),
] as const;

export async function findTransaction(db: Db, realm: string, id: string, now: number): Promise<Transaction | null> {
  if (!isId(id)) return null;
  const row = await findRow(db, "transactions", columns, { realm_id: realm, transaction_id: id });
  return row ? toTransaction(row, now) : null;
}

export async function countPending(db: Db, realm: string, userId: string, now: number): Promise<number> {
  const { count } = await db
    .selectFrom("transactions")
    .select(sql<number>`count(*)::int`.as("count"))
    .where((e) => e.and({ realm_id: realm, user_id: userId, status: "PENDING" }))
    .where("expires_at", ">", now)
    .executeTakeFirstOrThrow();
  return count;
}

type NewTransaction = Omit<Transaction, "status" | "jws" | "signedAt" | "consumedAt">;

export async function insertTransaction(tx: Tx, realm: string, made: NewTransaction): Promise<void> {
  await insertRow(tx, "transactions", {
    ...{ realm_id: realm, transaction_id: made.id, user_id: made.userId, client_id: made.clientId },
    ...{ type: made.type, summary: made.summary, payload_hash: made.payloadHash, acr: made.acr },
    ...{ created_at: made.createdAt, expires_at: made.expiresAt },
  });
}

/** Moves a transaction to its next status. Only one concurrent request succeeds. Returns null if the expected status was another. */
export async function moveTransaction(
  tx: Tx,
  realm: string,
  id: string,
  from: "PENDING" | "SIGNED",
  to: { readonly status: "SIGNED"; readonly jws: string } | { readonly status: "CONSUMED" | "DECLINED" },
  now: number,
): Promise<Transaction | null> {
  const stamp = { SIGNED: { signed_at: now }, CONSUMED: { consumed_at: now }, DECLINED: {} }[to.status];
  const row = await tx
    .updateTable("transactions")
    .set({ ...to, ...stamp })
    .where((e) => e.and({ realm_id: realm, transaction_id: id, status: from }))
    .where("expires_at", ">", now)
    .returning(columns)
    .executeTakeFirst();
  return row ? toTransaction(row, now) : null;
}

/** Counts a failed attempt and returns the total. */
export async function raiseWrong(tx: Tx, realm: string, id: string): Promise<number> {
  const row = await tx
    .updateTable("transactions")
    .set((eb) => ({ attempts: eb("attempts", "+", 1) }))
    .where((e) => e.and({ realm_id: realm, transaction_id: id, status: "PENDING" }))
    .returning("attempts")
    .executeTakeFirst();
  return row?.attempts ?? 0;
}

/** Deletes on `client.deleted` what a client has asked for: a later client with the same client id must not read or consume it. */
export async function forgetTransactionsOf(
  { tx, realm }: Pick<Ctx, "tx" | "realm">,
  { clientId }: { readonly clientId: string },
): Promise<void> {
  await tx.deleteFrom("transactions").where("realm_id", "=", realm).where("client_id", "=", clientId).execute();
}

/** Deletes transactions a day after they end, so that callers can read the result. */
export const deleteExpiredTransactions = (db: Db, now: number): Promise<void> => deleteExpired(db, "transactions", now - DAY);

const toTransaction = <R extends { readonly status: Stored; readonly expiresAt: number }>(row: R, now: number) => {
  const isOpen = row.status === "PENDING" || row.status === "SIGNED";
  return { ...row, status: isOpen && row.expiresAt <= now ? ("EXPIRED" as const) : row.status };
};
