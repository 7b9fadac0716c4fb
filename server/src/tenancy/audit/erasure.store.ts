import { type RawBuilder, sql } from "kysely";
import { newId } from "../../kernel/ids.ts";
import { ANONYMOUS, type AuditEventTypes, type Ctx } from "../../platform/context.ts";
import { MASTER } from "../realms/index.ts";

/** The person to erase, with the names that events may contain. */
export interface ErasedPerson {
  readonly userId: string;
  readonly username: string;
  readonly email: string | null;
  /** The pseudonym. It is created if omitted. */
  readonly pseudonym?: string;
}

export const newPseudonym = (): string => `erased:${newId()}`;

// The email address precedes the username, because it often begins with the username.
const namesOf = ({ userId, username, email }: ErasedPerson) => [userId, ...(email === null ? [] : [email]), username];
const acrossRealms = ({ username }: ErasedPerson) => `${MASTER}/${username}`;
const isOneOf = (column: string, names: readonly string[]) => sql<boolean>`${sql.ref(column)} in (${sql.join(names)})`;

/** The user id in the detail of an event about another resource. The expression must equal that of its index. */
const named = sql`substring(detail from '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}')`;

/** Events in which an application presents a name. Nobody was authenticated in them, and a user may have the same name. */
const byApplications = [
  "CLIENT_LOGIN_FAILURE",
  "WORKLOAD_TOKEN_REJECTED",
  "SAML_LOGIN",
] as const satisfies readonly (keyof AuditEventTypes)[];

/**
 * Returns conditions for the places at which an event names a user: by their id or, within their realm, by a name. A name may have been another user's before,
 * or may be that of a client or a realm. So it counts only where it can mean a user: as the resource `users`, or entered by somebody who did not authenticate,
 * in an event that is about no other user. In an event about the user by their id, an entered name is theirs, even a former one. Every other actor is known by
 * an id.
 */
function placesOf(realm: string, person: ErasedPerson) {
  const { userId } = person;
  const names = namesOf(person);
  const isHere = sql<boolean>`audit_events.realm_id = ${realm}`;
  const isResource = sql<boolean>`(${isHere} and resource_type = 'users' and ${isOneOf("resource_id", names)})`;
  const isAbout = sql<boolean>`(resource_type = 'users' and resource_id = ${userId} and actor <> ${ANONYMOUS})`;
  const isTyped = sql<boolean>`(${isHere} and (${isOneOf("actor", names)} or ${isAbout}) and coalesce(actor_id, ${ANONYMOUS}) = ${ANONYMOUS}
    and coalesce(actor_kind, ${ANONYMOUS}) = ${ANONYMOUS} and type not in (${sql.join(byApplications)})
    and (resource_type is distinct from 'users' or ${isResource}))`;
  const isKnown = isActorOf(realm, userId, isHere);
  return {
    isHere,
    isResource,
    isKnown,
    isActor: sql<boolean>`(${isKnown} or ${isTyped})`,
    isImpersonator: isImpersonatorOf(realm, person, isHere),
  };
}

/**
 * Returns the condition for the actor by the id, as a user of the realm. A client, an agent or an administrator of `master` may have the same id, because
 * imports bring ids. An earlier release did not record the kind.
 */
function isActorOf(realm: string, userId: string, isHere: RawBuilder<boolean>) {
  const isAcross = sql<boolean>`actor like 'master/%'`;
  const isOfApplication = sql<boolean>`(actor_kind = ${ANONYMOUS} and type in (${sql.join(byApplications)}))`;
  const isUser = sql<boolean>`(actor_kind in (${sql.join(["user", ANONYMOUS])}) or (actor_kind is null and not ${isAcross}))`;
  const isOwn = sql<boolean>`(${isHere} and actor_id = ${userId} and ${isUser} and not ${isOfApplication})`;
  if (realm !== MASTER) return isOwn;
  return sql<boolean>`(${isOwn} or (${isAcross} and actor_id = ${userId} and coalesce(actor_kind, 'administrator') = 'administrator'))`;
}

/** Returns the condition for the impersonator. An administrator of `master` may have the id of a user of the realm, because imports bring ids. */
function isImpersonatorOf(realm: string, person: ErasedPerson, isHere: RawBuilder<boolean>) {
  const isAcross = sql<boolean>`impersonator like 'master/%'`;
  const isOfRealm = realm === MASTER ? sql`(${isHere} or ${isAcross})` : sql`${isHere} and not ${isAcross}`;
  const isNamedAcross =
    realm === MASTER ? sql`or (impersonator_id is null and ${isAcross} and impersonator = ${acrossRealms(person)})` : sql``;
  // An earlier release recorded only the name.
  return sql<boolean>`((impersonator_id = ${person.userId} and ${isOfRealm})
    or (impersonator_id is null and ${isHere} and ${isOneOf("impersonator", namesOf(person))}) ${isNamedAcross})`;
}

/**
 * Returns the condition for events that name a user: those of the realm, by id or name, and for an administrator of `master` those of every realm. Other events
 * do not name users (see docs/audit.md), so no text has to be searched.
 */
export function namesPerson(realm: string, person: ErasedPerson): RawBuilder<boolean> {
  const { isHere, isResource, isActor, isImpersonator } = placesOf(realm, person);
  return sql<boolean>`(${isActor} or ${isResource} or (${isHere} and ${named} = ${person.userId}) or ${isImpersonator})`;
}

/**
 * Pseudonymises a user in the audit trail. Id, username and email address become `erased:<uuid>` wherever they are the actor, the resource or the impersonator,
 * and in the detail of those events. The source IP of events in which the user acted is removed. The caller records the erasure itself.
 */
export async function eraseFromTrail(ctx: Ctx, person: ErasedPerson): Promise<{ pseudonym: string; events: number }> {
  const { userId, pseudonym = newPseudonym() } = person;
  const { isResource, isKnown, isActor, isImpersonator } = placesOf(ctx.realm, person);
  const replaced = (column: string, where: RawBuilder<boolean>) => sql`case when ${where} then ${pseudonym} else ${sql.ref(column)} end`;
  const detail = namesOf(person).reduce<RawBuilder<unknown>>(
    (text, name) => sql`regexp_replace(${text}, ${name === userId ? userId : wholeWord(name)}, ${pseudonym}, 'gi')`,
    sql.ref("detail"),
  );
  await sql`select set_config('gatehouse.maintenance', 'erasure', true)`.execute(ctx.tx);
  const { numAffectedRows } = await sql`
    update audit_events
    set actor = ${replaced("actor", isActor)}, actor_id = ${replaced("actor_id", isKnown)},
      resource_id = ${replaced("resource_id", isResource)}, impersonator = ${replaced("impersonator", isImpersonator)},
      impersonator_id = ${replaced("impersonator_id", sql`${isImpersonator} and impersonator_id is not null`)},
      detail = ${detail},
      source_ip = case when ${isActor} or ${isImpersonator} then null else source_ip end
    where ${namesPerson(ctx.realm, person)}`.execute(ctx.tx);
  await sql`select set_config('gatehouse.maintenance', '', true)`.execute(ctx.tx);
  return { pseudonym, events: Number(numAffectedRows ?? 0n) };
}

/**
 * Tells whether a user of this id was deleted. Every deletion of a user records this event, and nothing else does. Other events may name an id that was never a
 * user's, for example a refused request.
 */
export async function hadUser(ctx: Ctx, userId: string): Promise<boolean> {
  const { rows } = await sql`select 1 from audit_events
    where realm_id = ${ctx.realm} and resource_type = 'users' and resource_id = ${userId}
      and type = 'ADMIN_DELETE' and outcome = 'SUCCESS' and detail is null limit 1`.execute(ctx.tx);
  return rows.length > 0;
}

/** Returns a pattern for a name as a whole word: erasing “al” does not change “personal”. Ids need none, because they match anywhere: `members -<id>`. */
const wholeWord = (name: string) => `(?<![\\w.@-])${name.replace(/[^\p{L}\p{N}]/gu, "\\$&")}(?![\\w@-])`;
