import { isInGroup } from "../../directory/groups/index.ts";
import type { Db } from "../../platform/db/index.ts";
import { holdsRole } from "./store.ts";

/** Ids of roles and groups, as they are stored and as snapshots have them. */
export interface ApplicationAccess {
  readonly allowedRoles: readonly string[];
  readonly allowedGroups: readonly string[];
}

export const isRestricted = ({ allowedRoles, allowedGroups }: ApplicationAccess): boolean =>
  allowedRoles.length > 0 || allowedGroups.length > 0;

/**
 * Whether the user holds one of the roles, by whatever way, or is in one of the groups or below it. The id of a role or group that was deleted
 * matches no user, so that a restriction whose last role was deleted excludes all users instead of admitting all.
 */
export async function mayUseApplication(
  db: Db,
  realm: string,
  userId: string,
  { allowedRoles, allowedGroups }: ApplicationAccess,
): Promise<boolean> {
  if (allowedRoles.length === 0 && allowedGroups.length === 0) return true;
  if (allowedRoles.length > 0 && (await holdsRole(db, realm, userId, allowedRoles))) return true;
  return allowedGroups.length > 0 && isInGroup(db, realm, userId, allowedGroups);
}
