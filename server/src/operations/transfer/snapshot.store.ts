import { sql } from "kysely";
import type { Tx } from "../../platform/db/index.ts";

/** The first statement of a transaction whose reads are all of one moment, whatever others commit meanwhile. */
export async function seeOneMoment(tx: Tx): Promise<void> {
  await sql`set transaction isolation level repeatable read`.execute(tx);
}
