import { assertWritable, type Db } from "../../platform/db/index.ts";

/** Throws if the database does not answer or takes no writes. */
export async function ping(db: Db): Promise<void> {
  await assertWritable.execute(db);
}
