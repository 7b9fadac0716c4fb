import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";

/** `user.erased`: the user who started an import, in any realm. There are few, and they are kept for a month only. */
export async function forgetImports(ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> {
  await sql`update user_imports set actor = null where actor ->> 'id' = ${userId}`.execute(ctx.tx);
}
