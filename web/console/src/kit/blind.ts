import type { components } from "@gatehouse/api";

type Key = components["schemas"]["Permission"]["key"];

/** Maps a permission to the one without which its lists are not shown. */
const READS: Readonly<Partial<Record<string, Key>>> = {
  "manage-users": "view-users",
  "manage-roles": "view-users",
  "manage-organizations": "view-users",
  "manage-clients": "view-clients",
  "manage-events": "view-events",
};

/** Returns the permission by which the lists are read that this permission changes. */
export const readsBy = (permission: string): Key | undefined => READS[permission];

/** Returns the permissions that show no list, each with the one that is missing. */
export const blindAmong = (held: readonly string[]) =>
  held.flatMap((manage) => {
    const view = readsBy(manage);
    return view && !held.includes(view) && !held.includes("realm-admin") ? [{ manage, view }] : [];
  });
