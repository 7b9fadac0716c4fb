import Type, { type Static } from "typebox";
import { Instant } from "../../platform/http/index.ts";
import { listQuery } from "../../platform/paging/index.ts";

/** What a list of users can be narrowed by. Without `sort` it comes in the order in which its users are found. */
export const UserQuery = listQuery({
  enabled: Type.Optional(Type.Boolean()),
  locked: Type.Optional(Type.Boolean({ description: "As the user's own member: by an administrator, or for a while" })),
  role: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: "A role's name or id: users who were given it directly, oldest first" }),
  ),
  group: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "A group's id: its own members, oldest first" })),
  organization: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: "An organization's id or alias: its members, oldest first" }),
  ),
  createdFrom: Instant("Created then or later"),
  createdTo: Instant("Created before"),
});
export type UserQuery = Static<typeof UserQuery>;
