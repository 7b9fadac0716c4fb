import createSchema from "virtual:schema/CreateIdentityProvider";
import mapperSchema from "virtual:schema/CreateIdentityProviderMapper";
import updateSchema from "virtual:schema/UpdateIdentityProvider";
import type { components } from "@gatehouse/api";
import { Alert, Button, Code, Group, List, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { served, useText } from "../i18n/index.ts";
import { failed, succeeded } from "../kit/notify.ts";
import { onePicked } from "../kit/picked.tsx";
import { groupPicker, roleNamePicker } from "../kit/picker.tsx";
import type { FormSpec, Resource, TabProps } from "../kit/resource.ts";
import type { Draft } from "../kit/schema.ts";
import { Failure, Rows } from "../kit/states.tsx";
import { SubList } from "../kit/sub-list.tsx";
import { When } from "../kit/when.tsx";
import { Word } from "../kit/word.tsx";
import { addressesToRegister, ProviderAddresses } from "./provider-addresses.tsx";
import { ProviderConfig, settledConfig } from "./provider-config.tsx";
import { OnOff } from "./users.tsx";

type Schemas = components["schemas"];
type Provider = Schemas["IdentityProvider"];

const MANAGE = ["manage-identity-providers"] as const;
const isDirectory = ({ protocol }: Provider) => protocol === "ldap" || protocol === "ad";

function Test({ path, session }: TabProps<Provider>) {
  const t = useText();
  const [result, setResult] = useState<Schemas["IdentityProviderTest"] | null>(null);
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      setResult((await session.api.send<Schemas["IdentityProviderTest"]>("POST", `${path}/test`)).data);
    } catch (error) {
      failed(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Stack maw={640}>
      <Group>
        <Button onClick={() => void run()} loading={busy}>
          {t("Test the connection")}
        </Button>
      </Group>
      {result && (
        <Alert color={result.ok ? "teal" : "red"} title={result.ok ? t("It works") : t("It does not work yet")} role="status">
          <List size="sm">
            {result.checks.map(({ name, ok, message }) => (
              <List.Item key={name}>
                {ok ? "✓" : "✗"} {name}
                {message ? `: ${served(message)}` : ""}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
    </Stack>
  );
}

/** The members of each type of mapper, beside the name, the type and the time. */
const MAPPED: Readonly<Record<string, readonly (keyof Schemas["CreateIdentityProviderMapper"])[]>> = {
  attribute: ["claim", "attribute"],
  template: ["template", "attribute"],
  role: ["claim", "value", "role"],
  group: ["claim", "value", "group"],
};

const mapperForm = {
  schema: mapperSchema,
  sections: [
    { fields: ["name", "type"] },
    ...Object.entries(MAPPED).map(([type, fields]) => ({ fields, when: (draft: Draft) => draft.type === type })),
    { fields: ["sync"] },
  ],
  controls: { role: onePicked(roleNamePicker), group: onePicked(groupPicker) },
  settled: ({ name, type, sync, ...rest }) => ({
    ...{ name, type, sync },
    ...Object.fromEntries(Object.entries(rest).filter(([member]) => MAPPED[String(type)]?.some((one) => one === member))),
  }),
} satisfies FormSpec<Schemas["CreateIdentityProviderMapper"]>;

const Mappers = ({ path }: TabProps<Provider>) => (
  <SubList<Schemas["IdentityProviderMapper"]>
    path={`${path}/mappers`}
    manage={MANAGE}
    id={({ mapperId }) => mapperId}
    empty="No mappers"
    emptyText="A mapper sets attributes, roles or groups from the provider's claims."
    columns={[
      { title: "Name", render: ({ name }) => name },
      { title: "Type", render: ({ type }) => <Word of="type" value={type} /> },
      { title: "From", render: ({ claim, template }) => <Code>{claim ?? template ?? ""}</Code> },
      { title: "To", render: ({ attribute, role, group }) => attribute ?? role ?? group ?? "" },
    ]}
    name={({ name }) => name}
    removeTitle="Delete"
    remove={({ mapperId }) => `${path}/mappers/${mapperId}`}
    form={{ add: "Add mapper", path: ({ mapperId }) => `${path}/mappers/${mapperId}`, spec: mapperForm, defaults: { type: "attribute" } }}
  />
);

/** Shows the runs of the directory's synchronization, with the progress of the running one. */
function Sync({ item, session, reload }: TabProps<Provider>) {
  const t = useText();
  const { api, realm } = session;
  const target = `/user-federation/${encodeURIComponent(item.alias)}/sync`;
  const [busy, setBusy] = useState(false);
  const syncs = useQuery({
    queryKey: [realm, "sub", target],
    queryFn: async () => (await api.get<Schemas["DirectorySyncs"]>(target)).data,
    refetchInterval: ({ state }) => (state.data?.running ? 2_000 : false),
  });
  const start = async () => {
    setBusy(true);
    try {
      const { data } = await api.send<Schemas["DirectorySyncResult"]>("POST", target);
      succeeded(t("{count} entries synchronized", { count: data.synced }));
    } catch (error) {
      failed(error);
    } finally {
      setBusy(false);
      await reload();
    }
  };
  if (syncs.isLoadingError) return <Failure error={syncs.error} />;
  if (syncs.isPending) return <Rows count={3} />;
  return (
    <Stack>
      <Group>
        <Button onClick={() => void start()} loading={busy || syncs.data.running}>
          {t("Synchronize now")}
        </Button>
      </Group>
      <Table>
        <Table.Thead>
          <Table.Tr>
            {["Started", "State", "Synchronized", "Created", "Updated", "Disabled", "Failed"].map((title) => (
              <Table.Th key={title}>{t(title)}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {syncs.data.runs.map((run) => (
            <Table.Tr key={run.runId}>
              <Table.Td>
                <When time={run.startedAt} />
              </Table.Td>
              <Table.Td>
                {run.state}
                {run.message && (
                  <Text size="xs" c="dimmed">
                    {served(run.message)}
                  </Text>
                )}
              </Table.Td>
              {[run.synced, run.created, run.updated, run.disabled, run.failed].map((count, place) => (
                <Table.Td key={`${run.runId}-${["synced", "created", "updated", "disabled", "failed"][place]}`}>
                  {count.toLocaleString()}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

export const identityProviders: Resource<Provider, Schemas["CreateIdentityProvider"], Schemas["UpdateIdentityProvider"]> = {
  title: "Identity providers",
  singular: "identity provider",
  description: "Social accounts, OpenID Connect and SAML providers, directories, eHerkenning and eIDAS.",
  path: "/identity-providers",
  search: "Search by name",
  key: ({ alias }) => alias,
  name: ({ displayName, alias }) => displayName || alias,
  permission: { view: MANAGE, manage: MANAGE },
  columns: [
    { title: "Provider", render: ({ displayName, alias }) => displayName || alias },
    { title: "Alias", render: ({ alias }) => <Code>{alias}</Code> },
    { title: "Protocol", render: ({ protocol }) => <Word of="protocol" value={protocol} /> },
    { title: "Enabled", render: ({ enabled }) => <OnOff on={enabled} /> },
  ],
  Before: ProviderAddresses,
  create: {
    schema: createSchema,
    sections: [{ fields: ["protocol", "alias", "displayName", "enabled", "config"] }],
    controls: { config: ProviderConfig },
    hidden: ["realmId"],
    defaults: { protocol: "oidc", enabled: true, config: {} },
    settled: settledConfig(createSchema),
    after: addressesToRegister,
  },
  edit: {
    schema: updateSchema,
    sections: [{ fields: ["displayName", "enabled"] }, { title: "Connection", fields: ["config"] }],
    controls: { config: ProviderConfig },
    hidden: ["realmId", "alias", "protocol"],
  },
  tabs: [
    { id: "test", title: "Test", Component: Test },
    { id: "mappers", title: "Mappers", Component: Mappers },
    { id: "sync", title: "Synchronization", when: isDirectory, Component: Sync },
  ],
  canDelete: true,
};
