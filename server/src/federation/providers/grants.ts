import { existingGroups, rolesGrantedBy } from "../../directory/groups/index.ts";
import { assertMayGrant, shareRolesByName } from "../../directory/roles/index.ts";
import { type FieldError, invalidFields } from "../../kernel/errors.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Config } from "./provider.ts";

/** By their ids. */
export interface Granted {
  readonly roles: readonly string[];
  readonly groups: readonly string[];
}

/** The escalation rule for what sign-ins by a provider give: a caller that lets it give roles or groups needs the permissions of these. */
export async function assertMayLetGive(ctx: Ctx, { roles, groups }: Granted): Promise<void> {
  await assertMayGrant(ctx, [...roles, ...(await rolesGrantedBy(ctx.tx, ctx.realm, groups))]);
}

interface Named {
  readonly names: readonly string[];
  /** The member of the request that names them; null where it does not, and one that is gone since is passed over. */
  readonly field: string | null;
}

/** Roles of the realm by their names, and groups by their ids. The field of one that does not exist is named. */
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

/** A provider's `defaultRoles` and `defaultGroups`. */
export const defaultGrants = (ctx: Ctx, { defaultRoles = [], defaultGroups = [] }: Config, isNew = true): Promise<Granted> =>
  findGrants(
    ctx,
    { names: defaultRoles as string[], field: isNew ? "config.defaultRoles" : null },
    { names: defaultGroups as string[], field: isNew ? "config.defaultGroups" : null },
  );
