import createSchema from "virtual:schema/CreateUser";
import updateSchema from "virtual:schema/UpdateUser";
import type { components } from "@gatehouse/api";
import { Avatar, Badge, Button, Group, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useRealm } from "../app/session.tsx";
import { askToSignInAgain } from "../app/sign-in-again.tsx";
import { useText } from "../i18n/index.ts";
import { Icon } from "../kit/icon.tsx";
import { groupPicker, organizationPicker, roleNamePicker, rolePicker } from "../kit/picker.tsx";
import type { BulkAction, Resource } from "../kit/resource.ts";
import { When } from "../kit/when.tsx";
import { RoleNames } from "./role-names.tsx";
import { UserAttributes } from "./user-attributes.tsx";
import { userTabs } from "./users.tabs.tsx";

type Schemas = components["schemas"];
type User = Schemas["User"];

const MANAGE = ["manage-users"] as const;

/** Makes an action that sends one request for all rows. Each row is decided by its own rule, and the report names those that were refused. */
const bulk = (
  title: string,
  action: Schemas["BulkUsers"]["action"],
  more: Partial<BulkAction<User>> & { member?: string; value?: string } = {},
): BulkAction<User> => {
  const { member, value, ...rest } = more;
  return {
    title,
    ...rest,
    async run({ api, realm }, items, picked) {
      const nameOf = (userId: string) => items.find((user) => user.userId === userId)?.username ?? userId;
      const send = async (userIds: readonly string[]) => {
        const body = { action, userIds, ...(member && { [member]: value ?? picked }) };
        return (await api.send<Schemas["BulkReport"]>("POST", "/users/bulk", { body })).data;
      };
      const first = await send(items.map(({ userId }) => userId));
      const stale = first.results.filter(({ stepUpUrl }) => stepUpUrl !== undefined);
      // Rows that need a recent sign-in are sent again after one.
      const again =
        stale.length > 0 && (await askToSignInAgain({ realm, reason: "recent", url: stale[0]!.stepUpUrl }))
          ? await send(stale.map(({ userId }) => userId))
          : null;
      const results = first.results.map((one) => again?.results.find(({ userId }) => userId === one.userId) ?? one);
      const refused = results.filter(({ ok }) => !ok);
      return {
        done: results.length - refused.length,
        failed: refused.map(({ userId, message = "" }) => ({ name: nameOf(userId), message })),
      };
    },
  };
};

export const users: Resource<User, Schemas["CreateUser"], Schemas["UpdateUser"]> = {
  title: "Users",
  singular: "user",
  description: "People who can sign in to this realm.",
  path: "/users",
  search: "Search by name, username, email or ID",
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
    { param: "role", pick: roleNamePicker },
    { param: "group", pick: groupPicker },
    { param: "organization", pick: organizationPicker },
  ],
  create: {
    schema: createSchema,
    sections: [
      { fields: ["username", "email", "enabled"] },
      { title: "Profile", fields: ["attributes"] },
      { title: "Password", fields: ["password", "temporary"] },
      { title: "More", fields: ["roles", "requiredActions", "emailVerified"] },
    ],
    controls: { roles: RoleNames, attributes: UserAttributes },
    defaults: { enabled: true },
  },
  edit: {
    schema: updateSchema,
    sections: [
      { fields: ["username", "email", "emailVerified", "enabled", "locked"] },
      { title: "Profile", fields: ["attributes"] },
      { title: "Roles", fields: ["roles"] },
    ],
    controls: { roles: RoleNames, attributes: UserAttributes },
    hidden: ["realmId", "userId", "source", "createdAt", "mfaEnabled"],
  },
  tabs: userTabs,
  activity: false,
  actions: [
    {
      title: "Sign out everywhere",
      confirm: ({ username }, t) => ({ text: t("Every session of {name} ends.", { name: username }) }),
      run: async ({ api }, _user, path) => void (await api.send("POST", `${path}/logout`)) as undefined,
    },
    {
      title: "Act as this user",
      when: ({ userId, enabled, locked }, { me }) => enabled && !locked && userId !== me.userId,
      confirm: ({ username }, t) => ({
        text: t("You get a session as {name}. Every event in it names you.", { name: username }),
      }),
      run: async ({ api }, _user, path) => {
        const { data } = await api.send<{ url: string }>("POST", `${path}/impersonate`);
        window.open(data.url, "_blank", "noopener");
        return undefined;
      },
    },
    {
      title: "Detach from the directory",
      when: ({ source }) => /^(ldap|ad):/.test(source),
      confirm: ({ username }, t) => ({ text: t("{name} becomes a local user and needs a password here.", { name: username }) }),
      run: async ({ api }, _user, path) => void (await api.send("PUT", `${path}/source`, { body: { source: "local" } })) as undefined,
    },
    {
      title: "Erase all data",
      danger: true,
      confirm: ({ username }, t) => ({
        text: t("{name} and all data about this user will be erased; events keep a pseudonym. This cannot be undone.", {
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
    bulk("Enable", "enable", { permission: MANAGE }),
    bulk("Disable", "disable", { permission: MANAGE }),
    bulk("Sign out", "logout", { permission: MANAGE }),
    bulk("Add to group", "join-group", { permission: ["manage-organizations"], pick: groupPicker, member: "groupId" }),
    bulk("Remove from group", "leave-group", { permission: ["manage-organizations"], pick: groupPicker, member: "groupId" }),
    bulk("Give a role", "assign-role", { permission: ["manage-users", "manage-roles"], pick: rolePicker, member: "roleId" }),
    bulk("Take a role", "unassign-role", { permission: ["manage-users", "manage-roles"], pick: rolePicker, member: "roleId" }),
    bulk("Ask for a new password", "require-action", { permission: MANAGE, member: "requiredAction", value: "UPDATE_PASSWORD" }),
    bulk("Ask to confirm the mail address", "require-action", { permission: MANAGE, member: "requiredAction", value: "VERIFY_EMAIL" }),
    bulk("Unlock", "unlock", { permission: MANAGE }),
    bulk("Delete", "delete", { permission: MANAGE, danger: true }),
  ],
  Toolbar: ImportLink,
  canDelete: true,
};

function ImportLink() {
  const t = useText();
  const { realm, may } = useRealm();
  if (!may(...MANAGE)) return null;
  return (
    <Button variant="default" leftSection={<Icon name="upload" />} component={Link} to={`/realms/${realm}/import-users` as never}>
      {t("Import users")}
    </Button>
  );
}

/** Returns the full name, as far as it is known. */
const fullName = ({ firstName, lastName }: User["attributes"]) => [firstName, lastName].flat().filter(Boolean).join(" ");

export function Person({ user }: { user: Pick<User, "username" | "email"> & Partial<Pick<User, "attributes">> }) {
  return (
    <Group gap="sm" wrap="nowrap">
      <Avatar name={user.username} color="initials" size={34} />
      <Stack gap={0}>
        <Text size="sm" fw={600}>
          {user.username}
        </Text>
        <Text size="xs" c="dimmed">
          {[fullName(user.attributes ?? {}), user.email].filter(Boolean).join(" · ") || "–"}
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
