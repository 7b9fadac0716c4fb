import { sql } from "kysely";
import type { Tx } from "../../platform/db/index.ts";

/** Makes all reads of a transaction see the state of one moment, whatever others commit meanwhile. Must be its first statement. */
export async function seeOneMoment(tx: Tx): Promise<void> {
  await sql`set transaction isolation level repeatable read`.execute(tx);
}
