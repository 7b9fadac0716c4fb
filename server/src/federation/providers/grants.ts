import { existingGroups, rolesGrantedBy } from "../../directory/groups/index.ts";
import { assertMayGrant, shareRolesByName } from "../../directory/roles/index.ts";
import { type FieldError, invalidFields } from "../../kernel/errors.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Config } from "./provider.ts";

/** The ids of roles and groups. */
export interface Granted {
  readonly roles: readonly string[];
  readonly groups: readonly string[];
}

/** The escalation rule for grants at sign-in: a caller that lets a provider give roles or groups needs their permissions. */
export async function assertMayLetGive(ctx: Ctx, { roles, groups }: Granted): Promise<void> {
  await assertMayGrant(ctx, [...roles, ...(await rolesGrantedBy(ctx.tx, ctx.realm, groups))]);
}

interface Named {
  readonly names: readonly string[];
  /** The member of the request that names them. Null if it does not; then names that no longer exist are ignored. */
  readonly field: string | null;
}

/** Finds roles of the realm by name and groups by id. The error names the field of each one that does not exist. */
export async function findGrants(ctx: Ctx, roles: Named, groups: Named): Promise<Granted> {
  const found = await shareRolesByName(ctx.tx, ctx.realm, roles.names);
  const known = new Set(found.map(({ name }) => loginKey(name)));
  const there = await existingGroups(ctx.tx, ctx.realm, groups.names);
  const wrong: FieldError[] = [];
  const refuse = (field: string | null, code: string, what: string) =>
    field === null || wrong.push({ field, code, message: `${field}: there is no ${what} in this realm` });
  for (const name of roles.names) if (!known.has(loginKey(name))) refuse(roles.field, "unknown_role", `role “${name}”`);
  for (const id of groups.names) if (!there.includes(id.toLowerCase())) refuse(groups.field, "unknown_group", `group “${id}”`);
  if (wrong.length > 0) throw invalidFields(wrong);
  return { roles: found.map(({ roleId }) => roleId), groups: there };
}

/** Finds a provider's `defaultRoles` and `defaultGroups`. */
export const defaultGrants = (ctx: Ctx, { defaultRoles = [], defaultGroups = [] }: Config, isNew = true): Promise<Granted> =>
  findGrants(
    ctx,
    { names: defaultRoles as string[], field: isNew ? "config.defaultRoles" : null },
    { names: defaultGroups as string[], field: isNew ? "config.defaultGroups" : null },
  );
