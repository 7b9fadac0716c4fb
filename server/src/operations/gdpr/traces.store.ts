import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";

/** Removes the user from the imports that they started, in any realm, on `user.erased`. Imports are few, and are kept for a month only. */
export async function forgetImports(ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> {
  await sql`update user_imports set actor = null where actor ->> 'id' = ${userId}`.execute(ctx.tx);
}
