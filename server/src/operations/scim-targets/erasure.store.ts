import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";

const namedIn = (column: string, names: readonly string[]) =>
  sql`exists (select 1 from unnest(${[...names]}::text[]) as name where position(lower(name) in lower(${sql.ref(column)})) > 0)`;

/**
 * Erases a user on `user.erased`. Only the id of the account at each target remains, under a random id, until the account is deleted there. It is
 * deleted even if the target keeps the accounts of deleted users.
 */
export async function eraseAtTargets(
  ctx: Ctx,
  person: { readonly userId: string; readonly username: string; readonly email: string | null },
): Promise<void> {
  const { userId } = person;
  await sql`delete from scim_objects where realm_id = ${ctx.realm} and kind = 'user' and local_id = ${userId}::uuid and remote_id is null`.execute(
    ctx.tx,
  );
  await sql`update scim_objects set local_id = gen_random_uuid(), erased = true, confirmed = true, state = 'PENDING', changes = changes + 1, leaving = null, attempts = 0, error = null,
      sent_digest = null, failed_digest = null, next_at = ${ctx.now}
    where realm_id = ${ctx.realm} and kind = 'user' and local_id = ${userId}::uuid`.execute(ctx.tx);
  // A service may name the user in its answer about a group.
  const names = [userId, person.username, ...(person.email === null ? [] : [person.email])];
  await sql`update scim_objects set error = null where realm_id = ${ctx.realm} and ${namedIn("error", names)}`.execute(ctx.tx);
  await sql`update scim_target_states s set suspended_reason = case when ${namedIn("s.suspended_reason", names)} then null else s.suspended_reason end,
      pause_reason = case when ${namedIn("s.pause_reason", names)} then null else s.pause_reason end
    where s.realm_id = ${ctx.realm} and (${namedIn("s.suspended_reason", names)} or ${namedIn("s.pause_reason", names)})`.execute(ctx.tx);
  await sql`delete from scim_members where realm_id = ${ctx.realm} and user_id = ${userId}::uuid`.execute(ctx.tx);
}
