import createSchema from "virtual:schema/CreateRole";
import updateSchema from "virtual:schema/UpdateRole";
import type { components } from "@gatehouse/api";
import { Alert, Badge, Checkbox, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { translate, useText } from "../i18n/index.ts";
import { blindAmong, readsBy } from "../kit/blind.ts";
import { Icon } from "../kit/icon.tsx";
import { failed, succeeded } from "../kit/notify.ts";
import type { Resource, TabProps } from "../kit/resource.ts";
import { Failure, Rows } from "../kit/states.tsx";
import { SubList } from "../kit/sub-list.tsx";
import { includedBy, inclusion, inclusionLabels } from "./role-names.tsx";
import { Person, RoleBadges, Status } from "./users.tsx";

type Schemas = components["schemas"];
type Role = Schemas["Role"];
type Key = Schemas["Permission"]["key"];

/** Edits the admin permissions of a role, with a box for each. A change is saved at once, because it also takes effect at once. */
function Permissions({ item, session, reload }: TabProps<Role>) {
  const t = useText();
  const { api, realm, may } = session;
  const catalogue = useQuery({
    queryKey: [realm, "permissions"],
    queryFn: async () => (await api.list<Schemas["Permission"]>("/admin-roles/permissions")).items,
  });
  const roles = useQuery({
    queryKey: [realm, "admin-roles"],
    queryFn: async () => (await api.list<Schemas["AdminRole"]>("/admin-roles", { query: { size: 1000 } })).items,
  });
  if (catalogue.isLoadingError || roles.isLoadingError) return <Failure error={catalogue.error ?? roles.error} />;
  if (catalogue.isPending || roles.isPending) return <Rows count={4} />;
  const held = roles.data.find(({ roleId }) => roleId === item.roleId)?.permissions ?? [];
  const set = async (ticked: readonly Key[]) => {
    // Managing requires reading, which is ticked as well if the caller may give it.
    const reads = ticked
      .filter((one) => !held.includes(one))
      .flatMap((one) => readsBy(one) ?? [])
      .filter((one) => may(one));
    const permissions = [...new Set([...ticked, ...reads])];
    try {
      await api.send("PUT", `/admin-roles/${item.roleId}`, { body: { permissions } });
      succeeded(t("Saved"));
    } catch (error) {
      failed(error);
    }
    await reload();
  };
  return (
    <Stack maw={560}>
      <Text size="sm">
        {t("A change counts on the next request of everyone who holds the role. You can give only what you hold yourself.")}
      </Text>
      <Checkbox.Group value={[...held]} onChange={(next) => void set(next as Key[])}>
        <Stack gap="xs">
          {catalogue.data.map(({ key, label }) => (
            <Checkbox key={key} value={key} label={t(label)} description={key} disabled={!may("manage-roles") || !may(key)} />
          ))}
        </Stack>
      </Checkbox.Group>
      {blindAmong(held).map((pair) => (
        <Alert key={pair.manage} color="orange" icon={<Icon name="alert" />}>
          {t("{manage} alone shows no list in this console. It also needs {view}.", pair)}
        </Alert>
      ))}
    </Stack>
  );
}

const Holders = ({ item, session }: TabProps<Role>) => (
  <SubList<Schemas["User"]>
    path="/users"
    query={{ role: item.roleId }}
    manage={["manage-users"]}
    id={({ userId }) => userId}
    empty="Nobody was given this role directly"
    columns={[
      { title: "User", render: (user) => <Person user={user} /> },
      { title: "Status", render: (user) => <Status user={user} /> },
    ]}
    name={({ username }) => username}
    removeTitle="Unassign"
    remove={({ userId }) => `/users/${userId}/roles/${item.roleId}`}
    restore={({ userId }) => session.api.send("POST", `/users/${userId}/roles`, { body: { name: item.name } })}
  />
);

export const roles: Resource<Role, Schemas["CreateRole"], Schemas["UpdateRole"]> = {
  title: "Roles",
  singular: "role",
  description: "The permissions of users. Roles can include other roles and give admin permissions.",
  path: "/roles",
  search: "Search by name",
  key: ({ roleId }) => roleId,
  name: ({ name }) => name,
  permission: { view: ["view-users"], manage: ["manage-roles"] },
  columns: [
    { title: "Role", sort: "name", render: ({ name }) => name },
    { title: "Description", render: ({ description }) => translate(description ?? "–") },
    { title: "Includes", wide: true, render: (role) => <RoleBadges names={includedBy(role)} /> },
    { title: "Default", render: ({ default: isDefault }) => isDefault && <Badge variant="light">{translate("default")}</Badge> },
  ],
  create: {
    schema: createSchema,
    sections: [{ fields: ["name", "description"] }, { title: "Includes", fields: ["compositeRoles", "compositeClientRoles"] }],
    controls: inclusion,
    labels: inclusionLabels,
  },
  edit: {
    schema: updateSchema,
    sections: [{ fields: ["name", "description"] }, { title: "Includes", fields: ["compositeRoles", "compositeClientRoles"] }],
    controls: inclusion,
    labels: inclusionLabels,
    hidden: ["realmId", "roleId", "default", "createdAt"],
  },
  tabs: [
    { id: "permissions", title: "Admin permissions", Component: Permissions },
    { id: "users", title: "Users", permission: ["view-users"], Component: Holders },
  ],
  actions: [
    {
      title: "Make it the default role",
      when: ({ default: isDefault }) => !isDefault,
      confirm: ({ name }, t) => ({ text: t("Every new user gets {name}.", { name }) }),
      run: async ({ api }, _role, path) => {
        await api.send("PUT", `${path}/default`);
        return undefined;
      },
    },
  ],
  canDelete: ({ default: isDefault }) => !isDefault,
};
