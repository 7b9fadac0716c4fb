import { type ColumnType, sql } from "kysely";
import { addTo } from "../../../kernel/lists.ts";
import type { Ctx } from "../../../platform/context.ts";
import { type Db, deleteRows, type Tx } from "../../../platform/db/index.ts";
import type { Connection } from "../call.ts";
import { externalIdOf } from "../external-ids.store.ts";
import { visibleGroups } from "../groups/store.ts";
import type { Sql } from "../listing/conditions.store.ts";
import type { Resource } from "../schema/attribute.ts";
import { ENTERPRISE } from "../schema/resource-types.ts";
import { addressesOf, HOMES, type ScimUser } from "./mapping.ts";

declare module "../../../platform/db/tables.ts" {
  interface Tables {
    scim_users: { realm_id: string; user_id: string; profile: ColumnType<Resource, string, string> };
    scim_user_emails: { realm_id: string; key: string; user_id: string };
  }
}

/** Selects the users `u` whom a token sees. */
export const visibleUsers = ({ realm, organizationId }: Connection): Sql =>
  organizationId === null
    ? sql<boolean>`u.realm_id = ${realm}`
    : sql<boolean>`u.realm_id = ${realm} and exists (select 1 from organization_members o
        where o.realm_id = u.realm_id and o.organization_id = ${organizationId}::uuid and o.user_id = u.user_id)`;

/** Tells whether the token may change and read the account of `u`. For a token of an organization the account must be its own. */
const isOwn = ({ organizationId }: Connection): Sql =>
  organizationId === null
    ? sql<boolean>`true`
    : sql<boolean>`exists (select 1 from organization_members o where o.realm_id = u.realm_id
        and o.organization_id = ${organizationId}::uuid and o.user_id = u.user_id and o.managed)`;

const NAMES = HOMES.filter(({ path }) => path[0] === "name").map(({ attribute }) => attribute);

/** Leaves only the names, because an organization does not learn what others have provisioned about a user. */
const nameOnly = ({ attributes }: Pick<ScimUser, "attributes">): Pick<ScimUser, "attributes" | "profile"> => ({
  attributes: Object.fromEntries(Object.entries(attributes).filter(([name]) => NAMES.includes(name))),
  profile: {},
});

/** Finds the users whom the token can see, ordered by id. */
export async function findUsers(db: Db, connection: Connection, ids: readonly string[]): Promise<ScimUser[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<Omit<ScimUser, "groups"> & { readonly isOwn: boolean }>`
    select u.user_id as "userId", u.username, u.email, u.enabled, u.attributes, u.created_at as "createdAt",
      coalesce(u.updated_at, u.created_at) as "changedAt", u.version, coalesce(p.profile, '{}') as profile,
      ${externalIdOf("user", connection, sql`u.user_id`)} as "externalId",
      ${isOwn(connection)} as "isOwn"
    from users u
    left join scim_users p on p.realm_id = u.realm_id and p.user_id = u.user_id
    where ${visibleUsers(connection)} and u.user_id = any(${[...ids]}::uuid[])`.execute(db);
  const groups = await groupsOf(db, connection, ids);
  const byId = new Map(rows.map(({ isOwn, ...row }) => [row.userId, isOwn ? row : { ...row, ...nameOnly(row) }]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row ? [{ ...row, groups: groups.get(id) ?? [] }] : [];
  });
}

/** Returns the groups of users that the token sees. */
async function groupsOf(db: Db, connection: Connection, ids: readonly string[]): Promise<Map<string, { groupId: string; name: string }[]>> {
  const { rows } = await sql<{ user_id: string; group_id: string; name: string }>`
    select m.user_id, g.group_id, g.name from group_members m
    join groups g on g.realm_id = m.realm_id and g.group_id = m.group_id
    where m.realm_id = ${connection.realm} and m.user_id = any(${[...ids]}::uuid[]) and ${visibleGroups(connection)}
    order by m.user_id, g.name_key`.execute(db);
  const groups = new Map<string, { groupId: string; name: string }[]>();
  for (const { user_id, group_id: groupId, name } of rows) addTo(groups, user_id, { groupId, name });
  return groups;
}

/** Stores all email addresses, and the attributes that are stored only for SCIM. */
export async function saveProfile(tx: Tx, realm: string, userId: string, profile: Resource): Promise<void> {
  const stored = JSON.stringify(profile);
  await tx
    .insertInto("scim_users")
    .values({ realm_id: realm, user_id: userId, profile: stored })
    .onConflict((clash) => clash.columns(["realm_id", "user_id"]).doUpdateSet({ profile: stored }))
    .execute();
  await deleteRows(tx, "scim_user_emails", { realm_id: realm, user_id: userId });
  const keys = addressesOf(profile);
  if (keys.length === 0) return;
  await tx
    .insertInto("scim_user_emails")
    .values(keys.map((key) => ({ realm_id: realm, key, user_id: userId })))
    .execute();
}

/** Removes an erased user as the manager of others, on `user.erased`. */
export async function forgetManager({ tx, realm }: Pick<Ctx, "tx" | "realm">, { userId }: { readonly userId: string }): Promise<void> {
  await sql`update scim_users set profile = profile #- array[${ENTERPRISE}, 'manager']::text[]
    where realm_id = ${realm} and profile #>> array[${ENTERPRISE}, 'manager', 'value']::text[] = ${userId}`.execute(tx);
}
