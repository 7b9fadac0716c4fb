import { sql } from "kysely";
import { isDirectorySource } from "../../directory/credentials/index.ts";
import { userErrors } from "../../directory/users/index.ts";
import type { Ctx, DomainEvents } from "../../platform/context.ts";
import { sourceOf } from "./control.ts";
import { suppliedMembers } from "./links.store.ts";

/** Handles `user.attributes_changing`: adds attributes that the user's directory keeps up to date. Those of `import` mappers belong to the user. */
export async function ownMappedAttributes(ctx: Ctx, { source, names, owned }: DomainEvents["user.attributes_changing"]): Promise<void> {
  const { rows } = await sql<{ protocol: string; alias: string; attribute: string }>`
    select p.protocol, p.alias, m.mapper->>'attribute' as attribute from identity_providers p
    join identity_provider_mappers m on m.realm_id = p.realm_id and m.provider_id = p.provider_id
    where p.realm_id = ${ctx.realm}
      and m.mapper->>'sync' = 'force' and m.mapper->>'attribute' = any(${[...names]}::text[])`.execute(ctx.tx);
  for (const { protocol, alias, attribute } of rows) if (sourceOf(protocol, alias) === source) owned.add(attribute);
}

/** Handles `user.profile_changing`: adds the members that a scheme, which vouches for the profile, has supplied. */
export async function nameSupplied(ctx: Ctx, { userId, supplied }: DomainEvents["user.profile_changing"]): Promise<void> {
  for (const member of await suppliedMembers(ctx.tx, ctx.realm, userId)) supplied.add(member);
}

/** Handles `user.grants_given`: a role or group that a mapper gave belongs to the user from then on, and the provider no longer withdraws it. */
export async function ownGivenGrants(ctx: Ctx, { userIds, roles, groups }: DomainEvents["user.grants_given"]): Promise<void> {
  const { rows } = await sql<{ user_id: string }>`
    delete from identity_provider_grants g where g.realm_id = ${ctx.realm} and g.user_id = any(${[...userIds]}::uuid[])
      and ${isAmong({ roles, groups })} returning g.user_id`.execute(ctx.tx);
  const detail = "given by hand: no longer withdrawn by a mapper";
  for (const userId of new Set(rows.map(({ user_id }) => user_id)))
    ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "users", resourceId: userId, detail });
}

const isAmong = ({ roles, groups }: { readonly roles: readonly string[]; readonly groups: readonly string[] }) => sql`(
  (g.kind = 'role' and g.target_id = any(${[...roles]}::uuid[])) or (g.kind = 'group' and g.target_id = any(${[...groups]}::uuid[])))`;

/** Handles `user.grants_removing`: a grant of a directory's mapper must be removed in the directory. Here, it would be missing until the entry changes. */
export async function keepMappedGrants(ctx: Ctx, { userId, roles, groups }: DomainEvents["user.grants_removing"]): Promise<void> {
  const { rows } = await sql<{ protocol: string; alias: string; kind: "role" | "group" }>`
    select p.protocol, p.alias, g.kind from identity_provider_grants g
    join identity_providers p on p.realm_id = g.realm_id and p.provider_id = g.provider_id
    where g.realm_id = ${ctx.realm} and g.user_id = ${userId} and ${isAmong({ roles, groups })}`.execute(ctx.tx);
  const given = rows.find(({ protocol, alias }) => isDirectorySource(sourceOf(protocol, alias)));
  if (given) throw userErrors.given_by_directory(sourceOf(given.protocol, given.alias), given.kind);
}

/** Handles `user.grants_removing`: the mapper forgets a grant that is removed, so that no sign-in withdraws it after an administrator gives it again. */
export async function forgetTakenGrants(ctx: Ctx, { userId, roles, groups }: DomainEvents["user.grants_removing"]): Promise<void> {
  await sql`delete from identity_provider_grants g where g.realm_id = ${ctx.realm} and g.user_id = ${userId}
    and ${isAmong({ roles, groups })}`.execute(ctx.tx);
}
