import { findGroupId, pathsOfGroups } from "../../directory/groups/index.ts";
import { type FieldError, invalidFields } from "../../kernel/errors.ts";
import { isId } from "../../kernel/ids.ts";
import type { ReadCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { type ApplicationAccess, isRestricted } from "./policy.ts";
import { findRoleIds, namesOfRoles } from "./store.ts";

/** The access members of a request. A member that is left out is undefined. */
export interface GivenAccess {
  readonly allowedRoles?: readonly string[] | undefined;
  readonly allowedGroups?: readonly string[] | undefined;
}

/** For imports: an export names a deleted role or group by its id. With `keepsGone` such an id is kept, and matches no user. */
export interface KeepingGone {
  readonly keepsGone?: boolean | undefined;
}

const UNRESTRICTED: ApplicationAccess = { allowedRoles: [], allowedGroups: [] };

/**
 * Returns the ids of the names in a request. The roles that the application has already keep their meaning, even if a name means another
 * role since, or its role was deleted. `within` is the path of the members in the request, such as `options.`.
 */
export async function resolveAccess(
  ctx: ReadCtx,
  given: GivenAccess,
  {
    current = UNRESTRICTED,
    within = "",
    keepsGone = false,
  }: KeepingGone & { readonly current?: ApplicationAccess | undefined; readonly within?: string } = {},
): Promise<ApplicationAccess> {
  const errors: FieldError[] = [];
  const [names] = isRestricted(current) ? await spellAccess(ctx.tx, ctx.realm, [current]) : [current];
  const resolve = async (member: keyof ApplicationAccess, find: (field: string, text: string) => Promise<string | FieldError>) => {
    const field = `${within}${member}`;
    const texts = given[member];
    if (texts === undefined && current[member].length > 0)
      errors.push({ field, code: "required", message: `${field} is required: send the present value, or [] to let everybody in` });
    const known = new Map(current[member].flatMap((id, at) => [[id, id] as const, [names![member][at]!, id] as const]));
    const ids = new Set<string>();
    for (const text of texts ?? []) {
      const found = known.get(text) ?? (await find(field, text));
      if (typeof found === "string") ids.add(found);
      else if (keepsGone && isId(text)) ids.add(text.toLowerCase());
      else errors.push(found);
    }
    return [...ids];
  };
  const access = {
    allowedRoles: await resolve("allowedRoles", (field, text) => findRole(ctx, { field, text, current: current.allowedRoles })),
    allowedGroups: await resolve("allowedGroups", async (field, text) => {
      const message = `There is no group “${text}” in this realm. A group is named by its path, as in /Sales/Europe, or by its id`;
      return (await findGroupId(ctx.tx, ctx.realm, text)) ?? { field, code: "unknown_group", message };
    }),
  };
  if (errors.length > 0) throw invalidFields(errors);
  return access;
}

/**
 * Returns the id of the role that a text in this field names, or the error in it. A realm role may be spelled like a client role: then the
 * text means the current one. If none is current it is refused, because a caller who names roles would decide who gets access.
 */
export async function findRole(
  ctx: ReadCtx,
  { field, text, current }: { readonly field: string; readonly text: string; readonly current: readonly (string | null)[] },
): Promise<string | FieldError> {
  const found = await findRoleIds(ctx.tx, ctx.realm, text);
  const meant = found.length > 1 ? found.filter((id) => current.includes(id)) : found;
  if (meant.length === 1) return meant[0]!;
  return found.length > 0
    ? {
        field,
        code: "ambiguous_role",
        message: `“${text}” is both a role of the realm and a role of a client: send the id of the role that you mean`,
      }
    : {
        field,
        code: "unknown_role",
        message: `There is no role “${text}” in this realm. A client's role is named with its client, as in shop/manager`,
      };
}

/** Replaces ids by names. A deleted role or group is shown by its id. Without restrictions there is no query. */
export async function spellAccess<T extends ApplicationAccess>(db: Db, realm: string, shown: readonly T[]): Promise<T[]> {
  const [roles, groups] = [
    await namesOfRoles(db, realm, [...new Set(shown.flatMap(({ allowedRoles }) => allowedRoles))]),
    await pathsOfGroups(db, realm, [...new Set(shown.flatMap(({ allowedGroups }) => allowedGroups))]),
  ];
  const named = (ids: readonly string[], names: ReadonlyMap<string, string>) => ids.map((id) => names.get(id) ?? id);
  return shown.map((one) => ({
    ...one,
    allowedRoles: named(one.allowedRoles, roles),
    allowedGroups: named(one.allowedGroups, groups),
  }));
}
