import { type ColumnType, type Selectable, sql } from "kysely";
import { DAY } from "../../kernel/clock.ts";
import { isId } from "../../kernel/ids.ts";
import type { Db, Tx } from "../../platform/db/index.ts";
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
  "transaction_id",
  "user_id",
  "client_id",
  "type",
  "summary",
  "payload_hash",
  "acr",
  "status",
  "jws",
  "created_at",
  "signed_at",
  "consumed_at",
  "expires_at",
] as const;

export async function findTransaction(db: Db, realm: string, id: string, now: number): Promise<Transaction | null> {
  if (!isId(id)) return null;
  const row = await db
    .selectFrom("transactions")
    .select(columns)
    .where((e) => e.and({ realm_id: realm, transaction_id: id }))
    .executeTakeFirst();
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

export type NewTransaction = Omit<Transaction, "status" | "jws" | "signedAt" | "consumedAt">;

export async function insertTransaction(tx: Tx, realm: string, made: NewTransaction): Promise<void> {
  await tx
    .insertInto("transactions")
    .values({
      ...{ realm_id: realm, transaction_id: made.id, user_id: made.userId, client_id: made.clientId },
      ...{ type: made.type, summary: made.summary, payload_hash: made.payloadHash, acr: made.acr },
      ...{ created_at: made.createdAt, expires_at: made.expiresAt },
    })
    .execute();
}

/** Moves a transaction to its next status: of concurrent requests one succeeds. Null: it was not in the expected status. */
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

/** Kept for a day after the end, so that callers can read the result. */
export async function deleteExpiredTransactions(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom("transactions")
    .where("expires_at", "<=", now - DAY)
    .execute();
}

const toTransaction = (row: Pick<Selectable<TransactionsTable>, (typeof columns)[number]>, now: number): Transaction => ({
  id: row.transaction_id,
  status: (row.status === "PENDING" || row.status === "SIGNED") && row.expires_at <= now ? "EXPIRED" : row.status,
  type: row.type,
  summary: row.summary,
  payloadHash: row.payload_hash,
  acr: row.acr,
  userId: row.user_id,
  clientId: row.client_id,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  signedAt: row.signed_at,
  consumedAt: row.consumed_at,
  jws: row.jws,
});
