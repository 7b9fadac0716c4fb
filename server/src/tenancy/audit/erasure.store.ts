import { type RawBuilder, sql } from "kysely";
import { newId } from "../../kernel/ids.ts";
import type { Ctx } from "../../platform/context.ts";
import { MASTER } from "../realms/index.ts";

/** The person to erase, by the names that events may contain. */
export interface ErasedPerson {
  readonly userId: string;
  readonly username: string;
  readonly email: string | null;
  /** The pseudonym; created unless given. */
  readonly pseudonym?: string;
}

export const newPseudonym = (): string => `erased:${newId()}`;

// The email address before the username, with which it often begins.
const namesOf = ({ userId, username, email }: ErasedPerson) => [userId, ...(email === null ? [] : [email]), username];
const acrossRealms = ({ username }: ErasedPerson) => `${MASTER}/${username}`;
const isOneOf = (column: string, names: readonly string[]) => sql<boolean>`${sql.ref(column)} in (${sql.join(names)})`;

/** The user id in the detail of an event about another resource. The same expression as in its index. */
const named = sql`substring(detail from '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}')`;

/**
 * The condition for events that name a user: the realm's, by id or name, and for an administrator of `master` those of every
 * realm. Other events do not name them (see docs/audit.md), so nothing has to be searched by its text.
 */
export function namesPerson(realm: string, person: ErasedPerson): RawBuilder<boolean> {
  const names = namesOf(person);
  const inRealm = sql<boolean>`(audit_events.realm_id = ${realm} and (${isOneOf("actor", names)} or actor_id = ${person.userId}
    or ${isOneOf("resource_id", names)} or ${isOneOf("impersonator", names)} or ${named} = ${person.userId}))`;
  if (realm !== MASTER) return inRealm;
  return sql<boolean>`(${inRealm} or (actor like 'master/%' and actor_id = ${person.userId})
    or (impersonator like 'master/%' and impersonator = ${acrossRealms(person)}))`;
}

/**
 * Pseudonymises a user in the audit trail: id, username and email address become `erased:<uuid>` wherever they are the actor, the
 * resource or the impersonator, and in the detail of those events; the address they came from goes. The caller leaves the event
 * that records it.
 */
export async function eraseFromTrail(ctx: Ctx, person: ErasedPerson): Promise<{ pseudonym: string; events: number }> {
  const { userId, pseudonym = newPseudonym() } = person;
  const names = namesOf(person);
  const impersonators = ctx.realm === MASTER ? [...names, acrossRealms(person)] : names;
  const replaced = (column: string, these = names) =>
    sql`case when ${isOneOf(column, these)} then ${pseudonym} else ${sql.ref(column)} end`;
  const isActor = sql<boolean>`(${isOneOf("actor", names)} or actor_id = ${userId})`;
  const detail = names.reduce<RawBuilder<unknown>>(
    (text, name) => sql`regexp_replace(${text}, ${name === userId ? userId : wholeWord(name)}, ${pseudonym}, 'gi')`,
    sql.ref("detail"),
  );
  await sql`select set_config('gatehouse.maintenance', 'erasure', true)`.execute(ctx.tx);
  const { numAffectedRows } = await sql`
    update audit_events
    set actor = case when ${isActor} then ${pseudonym} else actor end,
      actor_id = ${replaced("actor_id")}, resource_id = ${replaced("resource_id")}, impersonator = ${replaced("impersonator", impersonators)},
      detail = ${detail},
      source_ip = case when ${isActor} or ${isOneOf("impersonator", impersonators)} then null else source_ip end
    where ${namesPerson(ctx.realm, person)}`.execute(ctx.tx);
  await sql`select set_config('gatehouse.maintenance', '', true)`.execute(ctx.tx);
  return { pseudonym, events: Number(numAffectedRows ?? 0n) };
}

/** A name as a whole word: erasing “al” does not change “personal”. An id matches anywhere: `members -<id>`. */
const wholeWord = (name: string) => `(?<![\\w.@-])${name.replace(/[^\p{L}\p{N}]/gu, "\\$&")}(?![\\w@-])`;
