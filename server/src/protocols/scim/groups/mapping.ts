import type { Connection } from "../call.ts";
import type { Resource } from "../schema/attribute.ts";
import { GROUP } from "../schema/resource-types.ts";
import type { ScimGroup, ScimMember } from "./store.ts";

/** The group as clients see it, without its members. */
export const groupResource = ({ groupId, externalId, name, ...group }: ScimGroup, { url }: Pick<Connection, "url">): Resource => ({
  schemas: [GROUP],
  id: groupId,
  ...(externalId !== null && { externalId }),
  displayName: name,
  meta: {
    resourceType: "Group",
    created: new Date(group.createdAt).toISOString(),
    lastModified: new Date(group.changedAt).toISOString(),
    location: `${url}/Groups/${groupId}`,
    version: `W/"${group.version}"`,
  },
});

export const memberResource = ({ userId, username }: ScimMember, { url }: Pick<Connection, "url">): Resource => ({
  value: userId,
  $ref: `${url}/Users/${userId}`,
  display: username,
  type: "User",
});
