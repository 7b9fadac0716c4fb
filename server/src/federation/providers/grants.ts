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

/** A role or group that a request names. */
export interface Named {
  readonly name: string;
  /** The member that names it. Null if the request does not; then it is ignored if it no longer exists. */
  readonly field: string | null;
}

/** Finds roles of the realm by name and groups by id. The error names the field of each one that does not exist. */
export async function findGrants(ctx: Ctx, roles: readonly Named[], groups: readonly Named[]): Promise<Granted> {
  const namesOf = (list: readonly Named[]) => list.map(({ name }) => name);
  const found = await shareRolesByName(ctx.tx, ctx.realm, namesOf(roles));
  const known = new Set(found.map(({ name }) => loginKey(name)));
  const there = await existingGroups(ctx.tx, ctx.realm, namesOf(groups));
  const wrong: FieldError[] = [];
  const refuse = (field: string | null, code: string, what: string) =>
    field === null || wrong.push({ field, code, message: `${field}: there is no ${what} in this realm` });
  for (const { name, field } of roles) if (!known.has(loginKey(name))) refuse(field, "unknown_role", `role “${name}”`);
  for (const { name, field } of groups) if (!there.includes(name.toLowerCase())) refuse(field, "unknown_group", `group “${name}”`);
  if (wrong.length > 0) throw invalidFields(wrong);
  return { roles: found.map(({ roleId }) => roleId), groups: there };
}

export const inField = (names: readonly string[], field: string | null): Named[] => names.map((name) => ({ name, field }));

/** Finds a provider's `defaultRoles` and `defaultGroups`. */
export const defaultGrants = (ctx: Ctx, { defaultRoles = [], defaultGroups = [] }: Config, isNew = true): Promise<Granted> =>
  findGrants(
    ctx,
    inField(defaultRoles as string[], isNew ? "config.defaultRoles" : null),
    inField(defaultGroups as string[], isNew ? "config.defaultGroups" : null),
  );
