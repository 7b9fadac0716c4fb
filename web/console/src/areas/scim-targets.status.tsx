import type { components } from "@gatehouse/api";
import { Alert, Badge, Box, Button, Group, List, Progress, Select, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { served, useText } from "../i18n/index.ts";
import { optionsOf, wordsFor } from "../kit/choice-labels.ts";
import { confirmed } from "../kit/confirm.tsx";
import { failed, succeeded } from "../kit/notify.ts";
import type { TabProps } from "../kit/resource.ts";
import { SendAgain } from "../kit/send-again.tsx";
import { Failure, Rows, WriteError } from "../kit/states.tsx";
import { SubList } from "../kit/sub-list.tsx";
import { When } from "../kit/when.tsx";
import { Word } from "../kit/word.tsx";

type Schemas = components["schemas"];
type Target = Schemas["ScimTarget"];
type TargetObject = Schemas["ScimTargetObject"];
type Plan = Schemas["ScimTargetPlan"];
type Counts = Schemas["ScimTargetStatus"]["users"];

/** A target gets the data of users, so whoever manages one must be allowed to see them. */
export const MANAGE = ["manage-realm+view-users"] as const;
export const STATES = {
  ...{ OK: "teal", WORKING: "blue", FAILING: "red", PAUSED: "orange" },
  ...{ WAITING_FOR_CONFIRMATION: "orange", SUSPENDED: "red", DISABLED: "gray" },
} as const;
const OBJECTS = { PENDING: "blue", SYNCED: "teal", FAILED: "red", DEAD: "red", HELD: "orange", GONE: "gray" } as const;
const ACTIONS = { create: "teal", adopt: "blue", update: "blue", deactivate: "orange", delete: "red", refuse: "red" } as const;
/** The interval at which the status is read while a target works. */
const AGAIN = 3_000;

/** Shows the state in a sentence, the progress, and the actions: test, dry run, sync, and the confirmation that a mass deprovision waits for. */
export function Status({ item, path, session }: TabProps<Target>) {
  const t = useText();
  const { api, realm } = session;
  const status = useQuery({
    queryKey: [realm, "sub", `${path}/status`],
    queryFn: async ({ signal }) => (await api.get<Schemas["ScimTargetStatus"]>(`${path}/status`, { signal })).data,
    refetchInterval: ({ state: { data } }) => (data?.syncing || data?.state === "WORKING" ? AGAIN : false),
  });
  if (status.isLoadingError) return <Failure error={status.error} retry={() => void status.refetch()} />;
  if (!status.data) return <Rows />;
  const { state, message, users, groups, lastSyncAt, lastSentAt, syncing } = status.data;
  const held = users.held + groups.held;
  const confirm = async () => {
    const question = {
      title: t("Deprovision {count} accounts", { count: held }),
      text: t("They are deactivated or deleted at the target."),
      action: t("Deprovision"),
      danger: true,
      typed: String(held),
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
  const counted = [users, groups];
  const sum = (of: (counts: Counts) => number) => counted.reduce((total, counts) => total + of(counts), 0);
  const all = sum(({ synced, pending, failed: refused, dead }) => synced + pending + refused + dead) + held;
  return (
    <Stack>
      <Alert color={STATES[state]} title={t(wordsFor("state", state))} role="status">
        <Text size="sm">{served(message)}</Text>
        {(syncing || state === "WORKING") && all > 0 && (
          <Progress mt="sm" value={(sum(({ synced }) => synced) / all) * 100} aria-label={t("Progress")} />
        )}
        {state === "WAITING_FOR_CONFIRMATION" && session.may(...MANAGE) && (
          <Button mt="sm" size="xs" color="red" onClick={() => void confirm()}>
            {t("Deprovision {count} accounts", { count: held })}
          </Button>
        )}
      </Alert>
      {session.may(...MANAGE) && <Work item={item} path={path} session={session} reload={status.refetch} />}
      {/* A phone has no room for it: the keyboard scrolls it, too. */}
      <Box component="section" className="table-scroll" tabIndex={0} aria-label={t("Status")}>
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
                  <Table.Td key={at}>{count.toLocaleString()}</Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Box>
      <Text size="sm" c="dimmed">
        {t("Compared last")} <When time={lastSyncAt} /> · {t("Sent last")} <When time={lastSentAt} />
      </Text>
    </Stack>
  );
}

/** Shows test, dry run and sync, each with its report. */
function Work({ path, session, reload }: TabProps<Target>) {
  const t = useText();
  const { api } = session;
  const [busy, setBusy] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [tested, setTested] = useState<Schemas["ScimTargetTest"] | null>(null);
  const [plan, setPlan] = useState<Plan | null>(null);
  const run = async (name: string, call: () => Promise<unknown>) => {
    setBusy(name);
    setError(null);
    setTested(null);
    setPlan(null);
    try {
      await call();
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(null);
      await reload();
    }
  };
  const test = async () => setTested((await api.send<Schemas["ScimTargetTest"]>("POST", `${path}/test`)).data);
  const dryRun = async () => setPlan((await api.send<Plan>("POST", `${path}/sync`, { body: { dryRun: true } })).data);
  const sync = () => api.send("POST", `${path}/sync`, { body: {} });
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Button variant="default" loading={busy === "test"} onClick={() => void run("test", test)}>
          {t("Test the connection")}
        </Button>
        <Button variant="default" loading={busy === "dry"} onClick={() => void run("dry", dryRun)}>
          {t("Show what a sync would send")}
        </Button>
        <Button variant="default" loading={busy === "sync"} onClick={() => void run("sync", sync)}>
          {t("Sync everything now")}
        </Button>
      </Group>
      <WriteError error={error} />
      {tested && (
        <Alert color={tested.ok ? "teal" : "red"} title={tested.ok ? t("It works") : t("It does not work yet")} role="status">
          <List size="sm">
            {tested.checks.map(({ name, ok, message }) => (
              <List.Item key={name}>
                {ok ? "✓" : "✗"} {served(message)}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      {plan && <Planned plan={plan} />}
    </Stack>
  );
}

function Planned({ plan: { counts, unchanged, complete, items } }: { plan: Plan }) {
  const t = useText();
  const changes = Object.entries(counts).filter(([, count]) => count > 0) as [keyof Plan["counts"], number][];
  return (
    <Alert color={changes.length === 0 ? "teal" : "blue"} title={t("This would be sent; nothing was")} role="status">
      <Group gap="xs" mb="xs">
        {changes.map(([action, count]) => (
          <Badge key={action} variant="light" color={ACTIONS[action]}>
            {t(wordsFor("action", action))}: {count.toLocaleString()}
          </Badge>
        ))}
        <Text size="sm">{t("{count} are the same already.", { count: unchanged.toLocaleString() })}</Text>
        {!complete && <Text size="sm">{t("It took too long: this is a part.")}</Text>}
      </Group>
      {items.length > 0 && (
        <Table verticalSpacing={4}>
          <Table.Tbody>
            {items.map(({ kind, id, name, action, reason }) => (
              <Table.Tr key={id}>
                <Table.Td>{t(wordsFor("kind", kind))}</Table.Td>
                <Table.Td>{name ?? id}</Table.Td>
                <Table.Td>
                  <Word of="action" value={action} color={ACTIONS[action]} />
                </Table.Td>
                <Table.Td>{reason ?? ""}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Alert>
  );
}

/** Shows every user and group of the target, with its state there. */
export function Objects({ path }: TabProps<Target>) {
  const t = useText();
  const [state, setState] = useState<string | null>(null);
  return (
    <Stack>
      <Select
        aria-label={t("Status")}
        placeholder={t("Status")}
        data={optionsOf("state", Object.keys(OBJECTS), t)}
        value={state}
        onChange={setState}
        clearable
        w={200}
      />
      <SubList<TargetObject>
        key={state}
        path={`${path}/objects`}
        {...(state !== null && { query: { state } })}
        manage={MANAGE}
        id={({ id }) => id}
        empty={state === null ? "Nothing was sent yet" : "Nothing is in this state"}
        columns={[
          { title: "Name", render: ({ name, id }) => name ?? id },
          { title: "Kind", wide: true, render: ({ kind }) => t(wordsFor("kind", kind)) },
          {
            title: "Status",
            render: ({ state: now }) => <Word of="state" value={now} color={OBJECTS[now]} />,
          },
          {
            title: "Answer",
            render: ({ error }) => (
              <Text size="sm" lineClamp={3}>
                {error ? served(error) : "–"}
              </Text>
            ),
          },
          { title: "Sent", wide: true, render: ({ sentAt }) => <When time={sentAt} /> },
        ]}
        actions={({ id, state: now }, reload) =>
          (now === "FAILED" || now === "DEAD") && <SendAgain path={`${path}/objects/${id}/retry`} reload={reload} />
        }
      />
    </Stack>
  );
}
