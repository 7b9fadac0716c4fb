import type { Selectable } from "kysely";
import type { Ctx } from "../../platform/context.ts";
import { type Db, deleteExpired, deleteRows, insertRow, type Tx } from "../../platform/db/index.ts";

interface TicketsTable {
  realm_id: string;
  /** The id of the ticket, and of the session that it will start. */
  ticket_id: string;
  token_hash: string;
  user_id: string;
  impersonator: string;
  impersonator_id: string;
  impersonator_realm: string;
  impersonator_session: string;
  created_at: number;
  expires_at: number;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    impersonation_tickets: TicketsTable;
  }
}

export interface Ticket {
  readonly sessionId: string;
  readonly userId: string;
  readonly impersonator: { readonly name: string; readonly userId: string; readonly realm: string; readonly sessionId: string };
}

const columns = ["ticket_id", "user_id", "impersonator", "impersonator_id", "impersonator_realm", "impersonator_session"] as const;

export async function insertTicket(
  tx: Tx,
  realm: string,
  ticket: Ticket & { readonly tokenHash: string; readonly expiresAt: number },
  now: number,
): Promise<void> {
  const { impersonator } = ticket;
  await insertRow(tx, "impersonation_tickets", {
    ...{ realm_id: realm, ticket_id: ticket.sessionId, token_hash: ticket.tokenHash, user_id: ticket.userId },
    ...{ impersonator: impersonator.name, impersonator_id: impersonator.userId, impersonator_realm: impersonator.realm },
    ...{ impersonator_session: impersonator.sessionId, created_at: now, expires_at: ticket.expiresAt },
  });
}

/** Finds a ticket without using it up. */
export async function findTicket(
  db: Db,
  realm: string,
  tokenHash: string,
  now: number,
): Promise<(Ticket & { readonly username: string }) | null> {
  const row = await db
    .selectFrom("impersonation_tickets as t")
    .innerJoin("users as u", (join) => join.onRef("u.realm_id", "=", "t.realm_id").onRef("u.user_id", "=", "t.user_id"))
    .select(["t.ticket_id", "t.user_id", "u.username"])
    .select(["t.impersonator", "t.impersonator_id", "t.impersonator_realm", "t.impersonator_session"])
    .where("t.realm_id", "=", realm)
    .where("t.token_hash", "=", tokenHash)
    .where("t.expires_at", ">", now)
    .executeTakeFirst();
  return row ? { ...toTicket(row), username: row.username } : null;
}

/** Uses a ticket up. Only one of two concurrent requests gets it. */
export async function takeTicket(tx: Tx, realm: string, tokenHash: string, now: number): Promise<Ticket | null> {
  const row = await tx
    .deleteFrom("impersonation_tickets")
    .where((e) => e.and({ realm_id: realm, token_hash: tokenHash }))
    .where("expires_at", ">", now)
    .returning(columns)
    .executeTakeFirst();
  return row ? toTicket(row) : null;
}

/** Deletes expired tickets in a recurring job. */
export const deleteExpiredTickets = (db: Db, now: number): Promise<void> => deleteExpired(db, "impersonation_tickets", now);

/**
 * Deletes on `user.erased` the tickets that the user asked for, which may be in another realm. Tickets to impersonate the user are deleted
 * with the user.
 */
export async function forgetTickets(ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> {
  await deleteRows(ctx.tx, "impersonation_tickets", { impersonator_id: userId });
}

const toTicket = (row: Pick<Selectable<TicketsTable>, (typeof columns)[number]>): Ticket => ({
  sessionId: row.ticket_id,
  userId: row.user_id,
  impersonator: {
    name: row.impersonator,
    userId: row.impersonator_id,
    realm: row.impersonator_realm,
    sessionId: row.impersonator_session,
  },
});
