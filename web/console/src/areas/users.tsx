import createSchema from "virtual:schema/CreateUser";
import updateSchema from "virtual:schema/UpdateUser";
import type { components } from "@gatehouse/api";
import { Avatar, Badge, Group, Stack, Text } from "@mantine/core";
import type { BulkAction, Resource } from "../kit/resource.ts";
import { When } from "../kit/when.tsx";

type User = components["schemas"]["User"];
type CreateUser = components["schemas"]["CreateUser"];
type UpdateUser = components["schemas"]["UpdateUser"];

export const users: Resource<User, CreateUser, UpdateUser> = {
  title: "Users",
  singular: "user",
  description: "People who can sign in to this realm.",
  path: "/users",
  search: "Search by username, email or ID",
  key: ({ userId }) => userId,
  name: ({ username }) => username,
  permission: { view: ["view-users"], manage: ["manage-users"] },
  columns: [
    { title: "User", sort: "username", render: (user) => <Person user={user} /> },
    { title: "Status", render: (user) => <Status user={user} /> },
    {
      title: "MFA",
      wide: true,
      render: ({ mfaEnabled }) => (
        <Badge variant="outline" color={mfaEnabled ? "teal" : "gray"}>
          {mfaEnabled ? "On" : "Off"}
        </Badge>
      ),
    },
    {
      title: "Roles",
      wide: true,
      render: ({ roles }) => (
        <Group gap={4}>
          {roles.map((role) => (
            <Badge key={role} variant="outline" color="gray" radius="sm">
              {role}
            </Badge>
          ))}
        </Group>
      ),
    },
    { title: "Created", sort: "createdAt", wide: true, render: ({ createdAt }) => <When time={createdAt} /> },
  ],
  filters: [
    {
      param: "enabled",
      label: "Enabled",
      options: [
        { label: "Enabled", value: "true" },
        { label: "Disabled", value: "false" },
      ],
    },
    {
      param: "locked",
      label: "Locked",
      options: [
        { label: "Locked", value: "true" },
        { label: "Not locked", value: "false" },
      ],
    },
  ],
  create: { schema: createSchema, sections: [{ fields: ["username", "email", "enabled"] }], defaults: { enabled: true } },
  edit: {
    schema: updateSchema,
    sections: [
      { fields: ["username", "email", "emailVerified", "enabled", "locked"] },
      { title: "Roles", fields: ["roles"] },
      { title: "Attributes", fields: ["attributes"] },
    ],
  },
  canDelete: true,
};

export function Person({ user }: { user: Pick<User, "username" | "email"> }) {
  return (
    <Group gap="sm" wrap="nowrap">
      <Avatar name={user.username} color="initials" size={34} />
      <Stack gap={0}>
        <Text size="sm" fw={600}>
          {user.username}
        </Text>
        <Text size="xs" c="dimmed">
          {user.email ?? "–"}
        </Text>
      </Stack>
    </Group>
  );
}

export function Status({ user }: { user: Pick<User, "enabled" | "locked"> }) {
  if (!user.enabled)
    return (
      <Badge variant="light" color="gray">
        Disabled
      </Badge>
    );
  if (user.locked)
    return (
      <Badge variant="light" color="orange">
        Locked
      </Badge>
    );
  return (
    <Badge variant="light" color="teal">
      Active
    </Badge>
  );
}

export type UserBulkAction = BulkAction<User>;
