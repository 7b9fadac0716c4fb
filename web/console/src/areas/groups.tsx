import createSchema from "virtual:schema/CreateGroup";
import updateSchema from "virtual:schema/UpdateGroup";
import type { components } from "@gatehouse/api";
import { Text } from "@mantine/core";
import { onePicked } from "../kit/picked.tsx";
import { AddByPicker, groupPicker, userPicker } from "../kit/picker.tsx";
import type { Resource, TabProps } from "../kit/resource.ts";
import { SubList } from "../kit/sub-list.tsx";
import { When } from "../kit/when.tsx";
import { GroupTree } from "./groups.tree.tsx";
import { AddRole } from "./role-names.tsx";
import { RoleBadges, Status } from "./users.tsx";

type Schemas = components["schemas"];
type Group = Schemas["Group"];

const MANAGE = ["manage-organizations"] as const;

const Members = ({ path, session }: TabProps<Group>) => (
  <SubList<Schemas["GroupMember"]>
    path={`${path}/members`}
    manage={MANAGE}
    id={({ userId }) => userId}
    empty="No members yet"
    columns={[
      { title: "User", render: ({ username }) => username },
      { title: "Email", wide: true, render: ({ email }) => email ?? "–" },
      { title: "Status", render: ({ enabled }) => <Status user={{ enabled, locked: false }} /> },
      { title: "Joined", render: ({ joinedAt }) => <When time={joinedAt} /> },
    ]}
    name={({ username }) => username}
    remove={({ userId }) => `${path}/members/${userId}`}
    restore={({ userId }) => session.api.send("PUT", `${path}/members/${userId}`)}
    add={(reload) => (
      <AddByPicker
        {...userPicker}
        action="Add member"
        add={(userId) => session.api.send("PUT", `${path}/members/${userId}`)}
        reload={reload}
      />
    )}
  />
);

const Roles = ({ path, session }: TabProps<Group>) => (
  <SubList<Schemas["GroupRole"]>
    path={`${path}/roles`}
    manage={MANAGE}
    id={({ roleId }) => roleId}
    empty="This group grants no roles"
    emptyText="Every member gets the roles of the group."
    columns={[{ title: "Role", render: ({ name }) => name }]}
    name={({ name }) => name}
    remove={({ roleId }) => `${path}/roles/${roleId}`}
    restore={({ roleId }) => session.api.send("PUT", `${path}/roles/${roleId}`)}
    add={(reload) => <AddRole action="Grant" add={({ roleId }) => session.api.send("PUT", `${path}/roles/${roleId}`)} reload={reload} />}
  />
);

const controls = { parentId: onePicked({ ...groupPicker, label: "Parent group" }) };

export const groups: Resource<Group, Schemas["CreateGroup"], Schemas["UpdateGroup"]> = {
  title: "Groups",
  singular: "group",
  description: "A tree of groups. Members get the roles that their group grants.",
  path: "/groups",
  search: "Search by name",
  key: ({ groupId }) => groupId,
  name: ({ name }) => name,
  permission: { view: ["view-users"], manage: MANAGE },
  columns: [
    {
      title: "Group",
      sort: "name",
      render: ({ name, parentId, path }) => (
        <>
          {name}
          {parentId !== null && (
            <Text span display="block" size="xs" c="dimmed">
              {path}
            </Text>
          )}
        </>
      ),
    },
    { title: "Description", wide: true, render: ({ description }) => description ?? "–" },
    { title: "Members", render: ({ memberCount }) => memberCount.toLocaleString() },
    { title: "Roles", wide: true, render: ({ roleNames }) => <RoleBadges names={roleNames} /> },
  ],
  create: { schema: createSchema, sections: [{ fields: ["name", "description", "parentId"] }], controls },
  edit: {
    schema: updateSchema,
    sections: [{ fields: ["name", "description", "parentId"] }],
    controls,
    hidden: ["realmId", "groupId", "path", "memberCount", "roleNames", "createdAt"],
  },
  tabs: [
    { id: "members", title: "Members", Component: Members },
    { id: "roles", title: "Roles", Component: Roles },
  ],
  canDelete: true,
  Tree: () => <GroupTree />,
};
