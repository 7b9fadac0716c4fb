import type { Connection } from "../call.ts";
import type { Resource } from "../schema/attribute.ts";
import { GROUP } from "../schema/resource-types.ts";
import { versionOf } from "../version.ts";
import type { ScimGroup, ScimMember } from "./store.ts";

/** Returns the group as clients see it, without its members. `members` is a digest of the members shown with it, or null. */
export function groupResource(
  { groupId, externalId, name, ...group }: ScimGroup,
  { url }: Pick<Connection, "url">,
  members: string | null = null,
): Resource & { readonly meta: { readonly version: string } } {
  const shown = { schemas: [GROUP], id: groupId, ...(externalId !== null && { externalId }), displayName: name };
  const meta = {
    resourceType: "Group",
    created: new Date(group.createdAt).toISOString(),
    lastModified: new Date(group.changedAt).toISOString(),
    location: `${url}/Groups/${groupId}`,
    version: versionOf(group.version, [shown, members]),
  };
  return { ...shown, meta };
}

export const memberResource = ({ userId, username }: ScimMember, { url }: Pick<Connection, "url">): Resource => ({
  value: userId,
  $ref: `${url}/Users/${userId}`,
  display: username,
  type: "User",
});
