import Type, { type Static } from "typebox";
import { nullable, time, visibleName } from "../../platform/http/index.ts";
import { listQuery } from "../../platform/paging/index.ts";
import { roleNameMembers } from "../roles/index.ts";

const name = visibleName("a group's name", "Support");
const description = nullable(Type.String({ maxLength: 1000 }));
const parentId = nullable(Type.String({ maxLength: 64 }), "The group above. Null at the top");
const path = Type.String({
  description: "The names from the top down to it, such as `/Sales/Europe`. A slash within a name is written `~/`",
});
const id = Type.String({ format: "uuid" });

export const Group = Type.Object(
  {
    realmId: Type.String(),
    groupId: id,
    name: Type.String(),
    description,
    parentId: nullable(id),
    path,
    memberCount: Type.Integer({ description: "The number of its own members, without those of the groups below" }),
    roleNames: Type.Array(Type.String(), {
      description: "Roles granted to every member and, with the realm setting `groups.inheritRoles`, to the members of the groups below",
    }),
    createdAt: time,
  },
  { $id: "Group" },
);
export type Group = Static<typeof Group>;

export const CreateGroup = Type.Object(
  { name, description: Type.Optional(description), parentId: Type.Optional(parentId) },
  { $id: "CreateGroup", additionalProperties: false },
);
export type CreateGroup = Static<typeof CreateGroup>;

/** The full state of a group: without a parent it is a top-level group. */
export const UpdateGroup = Type.Object(
  { ...Type.Partial(Group).properties, name, description: Type.Optional(description), parentId: Type.Optional(parentId) },
  { $id: "UpdateGroup", additionalProperties: false },
);
export type UpdateGroup = Static<typeof UpdateGroup>;

export const GroupQuery = listQuery({
  parentId: Type.Optional(
    Type.String({
      pattern: "^([0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})?$",
      description: "the id of a group, to list the groups directly below it; empty to list those at the top",
    }),
  ),
});
export type GroupQuery = Static<typeof GroupQuery>;

export const GroupMember = Type.Object(
  { userId: id, username: Type.String(), email: nullable(Type.String()), enabled: Type.Boolean(), joinedAt: time },
  { $id: "GroupMember" },
);
export type GroupMember = Static<typeof GroupMember>;

export const UserGroup = Type.Object(
  {
    groupId: id,
    name: Type.String(),
    description,
    parentId: nullable(id),
    path,
    direct: Type.Boolean({
      description:
        "True when the user is a member of this group itself. False if it is inherited: the user is a member of a group below it, and gets its roles " +
        "only with the realm setting `groups.inheritRoles`",
    }),
    joinedAt: nullable(time, "The time when the user joined, in epoch milliseconds. Null if the membership is inherited"),
  },
  { $id: "UserGroup" },
);
export type UserGroup = Static<typeof UserGroup>;

export const UserGroupQuery = listQuery({
  direct: Type.Optional(Type.Boolean({ description: "True: return direct memberships only. False: return inherited ones only" })),
});
export type UserGroupQuery = Static<typeof UserGroupQuery>;

export const AddGroupMember = Type.Object(
  { userId: Type.String({ maxLength: 64 }) },
  { $id: "AddGroupMember", additionalProperties: false },
);

export const GroupRole = Type.Object(
  {
    roleId: id,
    name: Type.String(),
    clientId: nullable(Type.String(), "The id of the client that the role belongs to. Null for a role of the realm"),
  },
  { $id: "GroupRole" },
);

export const AddGroupRole = Type.Object(roleNameMembers, { $id: "AddGroupRole", additionalProperties: false });
