import { pathsOfGroups } from "../../directory/groups/index.ts";
import type { Db } from "../../platform/db/index.ts";
import type { ApplicationAccess } from "./policy.ts";
import { namesOfRoles } from "./store.ts";

/** Replaces ids by names; a deleted role or group is shown by its id. No query without restrictions. */
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
