import createSchema from "virtual:schema/CreateScimTarget";
import updateSchema from "virtual:schema/UpdateScimTarget";
import type { components } from "@gatehouse/api";
import { Alert, Badge, Button, Code, Group, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useText } from "../i18n/index.ts";
import { confirmed } from "../kit/confirm.tsx";
import { failed, succeeded } from "../kit/notify.ts";
import type { Resource, TabProps } from "../kit/resource.ts";
import { SendAgain } from "../kit/send-again.tsx";
import { Failure, Rows } from "../kit/states.tsx";
import { SubList } from "../kit/sub-list.tsx";
import { When } from "../kit/when.tsx";
import { OnOff } from "./users.tsx";

type Schemas = components["schemas"];
type Target = Schemas["ScimTarget"];
type TargetObject = Schemas["ScimTargetObject"];

const MANAGE = ["manage-realm"] as const;
const STATES = {
  ...{ OK: "teal", WORKING: "blue", FAILING: "red", PAUSED: "orange" },
  ...{ WAITING_FOR_CONFIRMATION: "orange", SUSPENDED: "red", DISABLED: "gray" },
} as const;
const OBJECTS = { PENDING: "blue", SYNCED: "teal", FAILED: "red", DEAD: "red", HELD: "orange", GONE: "gray" } as const;
/** While a target works, its status is read again. */
const AGAIN = 3_000;

/** The state in a sentence, how many objects are where, and the confirmation that a mass deprovision waits for. */
function Status({ path, session }: TabProps<Target>) {
  const t = useText();
  const { api, realm } = session;
  const status = useQuery({
    queryKey: [realm, "sub", `${path}/status`],
    queryFn: async ({ signal }) => (await api.get<Schemas["ScimTargetStatus"]>(`${path}/status`, { signal })).data,
    refetchInterval: ({ state: { data } }) => (data?.syncing || data?.state === "WORKING" ? AGAIN : false),
  });
  if (status.isLoadingError) return <Failure error={status.error} retry={() => void status.refetch()} />;
  if (!status.data) return <Rows />;
  const { state, message, users, groups, lastSyncAt, lastSentAt } = status.data;
  const held = users.held + groups.held;
  const confirm = async () => {
    const question = {
      title: t("Deprovision {count} accounts", { count: held }),
      text: t("They are deactivated or deleted at the target."),
      action: t("Deprovision"),
      danger: true,
    };
    if (!(await confirmed(question))) return;
    try {
      await api.send("POST", `${path}/confirm`, { body: { accounts: held } });
      succeeded(t("Done"));
      await status.refetch();
    } catch (error) {
      failed(error);
    }
  };
  return (
    <Stack>
      <Alert color={STATES[state]} title={state}>
        <Text size="sm">{message}</Text>
        {state === "WAITING_FOR_CONFIRMATION" && (
          <Button mt="sm" size="xs" color="red" onClick={() => void confirm()}>
            {t("Deprovision {count} accounts", { count: held })}
          </Button>
        )}
      </Alert>
      <Table>
        <Table.Thead>
          <Table.Tr>
            {["Kind", "Sent", "Waiting", "Refused", "Given up", "Held back"].map((title) => (
              <Table.Th key={title}>{t(title)}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {(
            [
              ["Users", users],
              ["Groups", groups],
            ] as const
          ).map(([title, counts]) => (
            <Table.Tr key={title}>
              <Table.Td>{t(title)}</Table.Td>
              {[counts.synced, counts.pending, counts.failed, counts.dead, counts.held].map((count, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the columns never move
                <Table.Td key={at}>{count}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Group gap="xs">
        <Text size="sm">{t("Compared last")}</Text>
        <When time={lastSyncAt} />
        <Text size="sm">{t("Sent last")}</Text>
        <When time={lastSentAt} />
      </Group>
    </Stack>
  );
}

const Objects = ({ path }: TabProps<Target>) => (
  <SubList<TargetObject>
    path={`${path}/objects`}
    manage={MANAGE}
    id={({ id }) => id}
    empty="Nothing was sent yet"
    columns={[
      { title: "Kind", render: ({ kind }) => kind },
      { title: "Name", render: ({ name }) => name ?? "–" },
      {
        title: "Status",
        render: ({ state }) => (
          <Badge variant="light" color={OBJECTS[state]}>
            {state}
          </Badge>
        ),
      },
      {
        title: "Answer",
        render: ({ error }) => (
          <Text size="sm" lineClamp={2}>
            {error ?? "–"}
          </Text>
        ),
      },
      { title: "Sent", render: ({ sentAt }) => <When time={sentAt} /> },
    ]}
    actions={({ id, state }, reload) =>
      (state === "FAILED" || state === "DEAD") && <SendAgain path={`${path}/objects/${id}/retry`} reload={reload} />
    }
  />
);

const sections = [
  { fields: ["name", "preset", "url", "auth", "secret", "enabled"] },
  { title: "What it gets", fields: ["users", "groups", "mapping"] },
  { title: "Accounts that exist there, and those that leave", fields: ["matchBy", "deprovision"] },
  { title: "Pace", fields: ["requestsPerSecond", "fullSyncHours"] },
] as const;

export const scimTargets: Resource<Target, Schemas["CreateScimTarget"], Schemas["UpdateScimTarget"]> = {
  title: "SCIM targets",
  singular: "SCIM target",
  description: "Other systems that get the users and groups of this realm by SCIM.",
  path: "/scim-targets",
  search: "Search by name",
  key: ({ id }) => id,
  name: ({ name }) => name,
  permission: { view: MANAGE, manage: MANAGE },
  columns: [
    { title: "Target", render: ({ name }) => name },
    { title: "URL", wide: true, render: ({ url }) => <Code>{url}</Code> },
    {
      title: "Status",
      render: ({ status: { state } }) => (
        <Badge variant="light" color={STATES[state]}>
          {state}
        </Badge>
      ),
    },
    { title: "Enabled", render: ({ enabled }) => <OnOff on={enabled} /> },
  ],
  create: { schema: createSchema, sections, defaults: { enabled: true, auth: { type: "bearer" } } },
  edit: { schema: updateSchema, sections, hidden: ["id", "realmId", "secretSet", "createdAt", "status"] },
  tabs: [
    { id: "status", title: "Status", Component: Status },
    { id: "objects", title: "Users and groups", Component: Objects },
  ],
  actions: [
    {
      title: "Test the connection",
      permission: MANAGE,
      run: async ({ api }, _target, path) => {
        const { data } = await api.send<Schemas["ScimTargetTest"]>("POST", `${path}/test`);
        const failing = data.checks.find(({ ok }) => !ok);
        if (failing) throw new Error(failing.message);
        return data.checks.map(({ message }) => message).join(" ");
      },
    },
    {
      title: "Show what a sync would send",
      permission: MANAGE,
      run: async ({ api }, _target, path) => {
        const { data } = await api.send<Schemas["ScimTargetPlan"]>("POST", `${path}/sync`, { body: { dryRun: true } });
        const changes = Object.entries(data.counts).filter(([, count]) => count > 0);
        return [...changes.map(([action, count]) => `${action}: ${count}`), `unchanged: ${data.unchanged}`].join(", ");
      },
    },
    {
      title: "Sync everything now",
      permission: MANAGE,
      run: async ({ api }, _target, path) => void (await api.send("POST", `${path}/sync`, { body: {} })) as undefined,
    },
  ],
  canDelete: true,
};
