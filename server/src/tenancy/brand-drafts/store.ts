import type { ColumnType } from "kysely";
import { type Db, deleteExpired, type Tx } from "../../platform/db/index.ts";

interface BrandingDraftsTable {
  realm_id: string;
  session_id: string;
  branding: ColumnType<Record<string, unknown>, string, string>;
  expires_at: number;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    branding_drafts: BrandingDraftsTable;
  }
}

export async function upsertDraft(tx: Tx, realm: string, session: string, branding: object, expiresAt: number): Promise<void> {
  const values = { branding: JSON.stringify(branding), expires_at: expiresAt };
  await tx
    .insertInto("branding_drafts")
    .values({ realm_id: realm, session_id: session, ...values })
    .onConflict((conflict) => conflict.columns(["realm_id", "session_id"]).doUpdateSet(values))
    .execute();
}

export async function findDraft(db: Db, realm: string, session: string, now: number): Promise<Record<string, unknown> | null> {
  const row = await db
    .selectFrom("branding_drafts")
    .select("branding")
    .where("realm_id", "=", realm)
    .where("session_id", "=", session)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return row?.branding ?? null;
}

export const deleteExpiredDrafts = (db: Db, now: number): Promise<void> => deleteExpired(db, "branding_drafts", now);
