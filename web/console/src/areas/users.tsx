import createSchema from "virtual:schema/CreateUser";
import updateSchema from "virtual:schema/UpdateUser";
import type { components } from "@gatehouse/api";
import { Avatar, Badge, Group, Stack, Text } from "@mantine/core";
import { useText } from "../i18n/index.ts";
import type { BulkAction, Resource } from "../kit/resource.ts";
import { When } from "../kit/when.tsx";
import { Attributes } from "./attributes.tsx";
import { RoleNames } from "./role-names.tsx";
import { userTabs } from "./users.tabs.tsx";

type User = components["schemas"]["User"];
type CreateUser = components["schemas"]["CreateUser"];
type UpdateUser = components["schemas"]["UpdateUser"];

/** The same request for each row; every row stands under its own rule, and the report names those that were refused. */
const each = (
  title: string,
  call: (user: User) => readonly [method: "PUT" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown],
  danger = false,
): BulkAction<User> => ({
  title,
  danger,
  async run({ api }, items) {
    const refused: string[] = [];
    for (const user of items) {
      const [method, path, body] = call(user);
      await api
        .send(method, path, body === undefined ? {} : { body })
        .catch((error: Error) => void refused.push(`${user.username}: ${error.message}`));
    }
    return { done: items.length - refused.length, failed: refused };
  },
});

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
    { title: "MFA", wide: true, render: ({ mfaEnabled }) => <OnOff on={mfaEnabled} /> },
    { title: "Roles", wide: true, render: ({ roles }) => <RoleBadges names={roles} /> },
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
  create: {
    schema: createSchema,
    sections: [
      { fields: ["username", "email", "enabled"] },
      { title: "Password", fields: ["password", "temporary"] },
      { title: "More", fields: ["roles", "requiredActions", "emailVerified", "attributes"] },
    ],
    controls: { roles: RoleNames, attributes: Attributes },
    defaults: { enabled: true },
  },
  edit: {
    schema: updateSchema,
    sections: [
      { fields: ["username", "email", "emailVerified", "enabled", "locked"] },
      { title: "Roles", fields: ["roles"] },
      { title: "Attributes", fields: ["attributes"] },
    ],
    controls: { roles: RoleNames, attributes: Attributes },
    hidden: ["realmId", "userId", "source", "createdAt", "mfaEnabled"],
  },
  tabs: userTabs,
  actions: [
    {
      title: "Sign out everywhere",
      confirm: ({ username }, t) => ({ text: t("Every session of {name} ends.", { name: username }) }),
      run: async ({ api }, _user, path) => void (await api.send("POST", `${path}/logout`)) as undefined,
    },
    {
      title: "Act as this user",
      confirm: ({ username }, t) => ({
        text: t("You get a session as {name}. It is recorded, and every event of it names you.", { name: username }),
      }),
      run: async ({ api }, _user, path) => {
        const { data } = await api.send<{ url: string }>("POST", `${path}/impersonate`);
        window.open(data.url, "_blank", "noopener");
        return undefined;
      },
    },
    {
      title: "Erase all data",
      danger: true,
      confirm: ({ username }, t) => ({
        text: t("{name} and everything stored about this person is erased; events keep a pseudonym. This cannot be undone.", {
          name: username,
        }),
        typed: username,
      }),
      run: async ({ api, realm }, _user, path) => {
        await api.send("DELETE", `${path}/gdpr`);
        location.assign(`/console/realms/${realm}/users`);
        return undefined;
      },
    },
  ],
  bulk: [
    each("Enable", ({ userId }) => ["PATCH", `/users/${userId}`, { enabled: true }]),
    each("Disable", ({ userId }) => ["PATCH", `/users/${userId}`, { enabled: false }]),
    each("Sign out", ({ userId }) => ["POST", `/users/${userId}/logout`]),
    each("Ask for a new password", ({ userId }) => ["POST", `/users/${userId}/required-actions`, { action: "UPDATE_PASSWORD" }]),
    each("Delete", ({ userId }) => ["DELETE", `/users/${userId}`], true),
  ],
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

export function OnOff({ on }: { on: boolean }) {
  const t = useText();
  return (
    <Badge variant="light" color={on ? "teal" : "gray"}>
      {on ? t("On") : t("Off")}
    </Badge>
  );
}

export function RoleBadges({ names }: { names: readonly string[] }) {
  return (
    <Group gap={4}>
      {names.map((name) => (
        <Badge key={name} variant="default" radius="sm">
          {name}
        </Badge>
      ))}
    </Group>
  );
}

export function Status({ user }: { user: Pick<User, "enabled" | "locked"> }) {
  const t = useText();
  if (!user.enabled)
    return (
      <Badge variant="light" color="gray">
        {t("Disabled")}
      </Badge>
    );
  if (user.locked)
    return (
      <Badge variant="light" color="orange">
        {t("Locked")}
      </Badge>
    );
  return (
    <Badge variant="light" color="teal">
      {t("Active")}
    </Badge>
  );
}
