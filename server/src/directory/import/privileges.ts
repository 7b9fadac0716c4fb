import type { Ctx } from "../../platform/context.ts";
import { rolesGrantedBy } from "../groups/index.ts";
import { rolesWithPermissions, spellRole } from "../roles/index.ts";
import { spellGrants } from "../users/index.ts";

export type Privileges = ReturnType<typeof createPrivileges>;

/** Tells which rows of a batch give or take admin permissions. The roles with permissions are read once, and only if a row names roles or groups. */
export function createPrivileges(ctx: Ctx) {
  let reading: ReturnType<typeof rolesWithPermissions> | undefined;
  const carrying = () => (reading ??= rolesWithPermissions(ctx.tx, ctx.realm));
  const groups = new Map<string, boolean>();
  const gives = async (groupId: string): Promise<boolean> => {
    const known = groups.get(groupId);
    if (known !== undefined) return known;
    const roleIds = new Set(await rolesGrantedBy(ctx.tx, ctx.realm, [groupId]));
    const found = (await carrying()).some(({ roleId }) => roleIds.has(roleId));
    groups.set(groupId, found);
    return found;
  };

  return {
    /** Returns the roles and groups that give a new user permissions, as the audit trail records them, or null if there are none. */
    async givenBy(
      roleIds: readonly string[],
      named: readonly { readonly groupId: string; readonly path: string }[],
    ): Promise<string | null> {
      const roles = (await carrying()).filter(({ roleId }) => roleIds.includes(roleId)).map((role) => `+${spellRole(role)}`);
      const paths: string[] = [];
      for (const { groupId, path } of named) if (await gives(groupId)) paths.push(`+${path}`);
      return [spellGrants("roles", roles.sort()), spellGrants("groups", paths)].filter((part) => part !== null).join(", ") || null;
    },
    /** Tells whether a realm role with permissions is in only one of these lists. */
    async differ(before: readonly string[], after: readonly string[]): Promise<boolean> {
      const changed = [...before.filter((name) => !after.includes(name)), ...after.filter((name) => !before.includes(name))];
      if (changed.length === 0) return false;
      return (await carrying()).some(({ name, clientId }) => clientId === null && changed.includes(name));
    },
  };
}
