import { type RawBuilder, sql } from "kysely";
import { type Db, findRow, type Tx } from "../../platform/db/index.ts";
import { type RequiredAction, requiredActions } from "./required-actions.schema.ts";

export async function findRequiredActions(db: Db, realm: string, userId: string): Promise<RequiredAction[]> {
  const row = await findRow(db, "users", ["required_actions"], { realm_id: realm, user_id: userId });
  return requiredActions.filter((action) => row?.required_actions.includes(action));
}

export async function replaceRequiredActions(tx: Tx, realm: string, userId: string, actions: readonly RequiredAction[]): Promise<void> {
  await change(tx, realm, userId, sql`${JSON.stringify(actions)}::text::jsonb`);
}

/** Writes only if something changes, because it is called at sign-ins, which share the user's row. */
export async function addRequiredAction(tx: Tx, realm: string, userId: string, action: RequiredAction): Promise<void> {
  const added = JSON.stringify([action]);
  await change(tx, realm, userId, sql`required_actions || ${added}::text::jsonb`, sql`not required_actions @> ${added}::text::jsonb`);
}

export async function dropRequiredAction(tx: Tx, realm: string, userId: string, action: RequiredAction): Promise<void> {
  const dropped = JSON.stringify([action]);
  await change(tx, realm, userId, sql`required_actions - ${action}::text`, sql`required_actions @> ${dropped}::text::jsonb`);
}

async function change(tx: Tx, realm: string, userId: string, value: RawBuilder<unknown>, when: RawBuilder<unknown> = sql`true`) {
  await sql`update users set required_actions = ${value}, version = version + 1 where realm_id = ${realm} and user_id = ${userId} and ${when}`.execute(
    tx,
  );
}
