import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";
import { type ErasedPerson, namesPerson } from "../audit/index.ts";

/** Handles `user.erased`, before the audit trail is pseudonymised: deletes receivers' responses, which may repeat the event. */
export async function forgetAnswers(ctx: Ctx, person: ErasedPerson): Promise<void> {
  await sql`
    update webhook_deliveries d set answer = null
    from (select realm_id, event_id from audit_events where ${namesPerson(ctx.realm, person)}) e
    where d.realm_id = e.realm_id and d.event_id = e.event_id and d.answer is not null`.execute(ctx.tx);
}
