import { type RawBuilder, sql } from "kysely";
import { newId } from "../../kernel/ids.ts";
import type { Ctx } from "../../platform/context.ts";

/** Whom to erase: what events may call them by. */
export interface ErasedPerson {
  readonly userId: string;
  readonly username: string;
  readonly email: string | null;
}

/**
 * Takes a person out of the realm's trail: id, username and mail address become one `erased:<uuid>` wherever they are the actor, the
 * resource or the impersonator, and in the detail of those events; the address they came from goes. Events about somebody else do
 * not name them (see docs/audit.md), so nothing has to be searched by its text. The caller leaves the event that tells of it.
 */
export async function eraseFromTrail(ctx: Ctx, { userId, username, email }: ErasedPerson): Promise<{ pseudonym: string; events: number }> {
  const pseudonym = `erased:${newId()}`;
  // The mail address first: it often begins with the username.
  const names = [userId, ...(email === null ? [] : [email]), username];
  const isOne = (column: string) => sql<boolean>`${sql.ref(column)} in (${sql.join(names)})`;
  const replaced = (column: string) => sql`case when ${isOne(column)} then ${pseudonym} else ${sql.ref(column)} end`;
  const detail = names.reduce<RawBuilder<unknown>>(
    (text, name) => sql`regexp_replace(${text}, ${wholeWord(name)}, ${pseudonym}, 'gi')`,
    sql.ref("detail"),
  );
  await sql`select set_config('gatehouse.maintenance', 'erasure', true)`.execute(ctx.tx);
  const { numAffectedRows } = await sql`
    update audit_events
    set actor = case when ${isOne("actor")} or actor_id = ${userId} then ${pseudonym} else actor end,
      actor_id = ${replaced("actor_id")}, resource_id = ${replaced("resource_id")}, impersonator = ${replaced("impersonator")},
      detail = ${detail},
      source_ip = case when ${isOne("actor")} or actor_id = ${userId} then null else source_ip end
    where realm_id = ${ctx.realm}
      and (${isOne("actor")} or actor_id = ${userId} or ${isOne("resource_id")} or ${isOne("impersonator")})`.execute(ctx.tx);
  await sql`select set_config('gatehouse.maintenance', '', true)`.execute(ctx.tx);
  return { pseudonym, events: Number(numAffectedRows ?? 0n) };
}

/** A name in a text, not a part of a longer one: erasing “al” leaves “personal” alone. */
const wholeWord = (name: string) => `(?<![\\w.@-])${name.replace(/[^\p{L}\p{N}]/gu, "\\$&")}(?![\\w@-])`;
