import eventSchema from "virtual:schema/AuditEvent";
import type { components } from "@gatehouse/api";
import { Button, Group, MultiSelect, Select, Stack, Switch, Text, TextInput, Title } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { EventTable } from "../kit/activity.tsx";
import { CopyAsCurl } from "../kit/curl.tsx";
import { localTime } from "../kit/local-time.ts";
import { Empty, Failure, Rows } from "../kit/states.tsx";
import { Forwarding } from "./events.forwarding.tsx";
import { useTail } from "./events.tail.ts";

type Page = components["schemas"]["AuditEventPage"];

const TYPES = (eventSchema.properties?.type?.enum ?? []).map(String);
const WHOLE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const FILTERS = ["type", "actor", "outcome", "category", "resourceType", "resourceId", "requestId", "from", "to"] as const;

/** Reads a time in the address, which may have milliseconds. */
const timeIn = (time = ""): Date => new Date(/^\d+$/.test(time) ? Number(time) : time);

const isoTime = (local: string) => (local === "" ? "" : new Date(local).toISOString());

/** The audit log: filters in the address, and a live tail. */
export function AuditLog() {
  const t = useText();
  const { api, realm, me } = useRealm();
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as Readonly<Record<string, string | undefined>>;
  const [tail, setTail] = useState(false);
  // The key of fields that keep typed text, which are created anew when the filters are cleared.
  const [cleared, setCleared] = useState(0);
  const page = Number(search.page ?? "0");
  const filter = Object.fromEntries(FILTERS.map((name) => [name, search[name]]));
  const query = { ...filter, page: tail ? 0 : page, size: 50 };
  const events = useQuery({
    queryKey: [realm, "events", query],
    queryFn: async ({ signal }) => (await api.get<Page>("/events", { query, signal })).data,
    placeholderData: keepPreviousData,
  });
  const latest = useTail(tail, filter);
  const known = new Set(latest.map(({ id }) => id));
  const items = [...latest, ...(events.data?.items ?? []).filter(({ id }) => !known.has(id))];
  const set = (part: Readonly<Record<string, string | undefined>>) =>
    void navigate({ to: ".", search: { ...search, page: undefined, ...part } as never, replace: true });
  const typed = useDebouncedCallback((name: string, value: string) => set({ [name]: value || undefined }), 300);
  const text = (name: string, label: string) => (
    <TextInput
      key={name}
      aria-label={t(label)}
      placeholder={t(label)}
      defaultValue={search[name] ?? ""}
      onChange={(event) => typed(name, event.currentTarget.value)}
      w={170}
    />
  );
  const time = (name: "from" | "to", label: string) => (
    <TextInput
      key={name}
      type="datetime-local"
      label={t(label)}
      defaultValue={localTime(timeIn(search[name]))}
      onChange={(event) => typed(name, isoTime(event.currentTarget.value))}
      disabled={tail}
      w={210}
    />
  );
  const choice = (name: string, label: string, data: string[]) => (
    <Select
      key={name}
      aria-label={t(label)}
      placeholder={t(label)}
      data={data}
      value={search[name] ?? null}
      onChange={(value) => set({ [name]: value ?? undefined })}
      clearable
      w={150}
    />
  );
  const filtered = Object.values(filter).some((value) => value !== undefined);
  const clear = () => {
    void navigate({ to: ".", search: {} as never, replace: true });
    setCleared((times) => times + 1);
  };
  const pages = events.data ? Math.ceil(events.data.total / events.data.size) : 0;
  return (
    <Stack>
      <Group justify="space-between">
        <div>
          <Title order={1} size="h2">
            {t("Audit log")}
          </Title>
          <Text c="dimmed" size="sm">
            {t("Every sign-in, every change and every refusal. Events cannot be edited or deleted.")}
          </Text>
        </div>
        <Group>
          <Switch label={t("Live")} checked={tail} onChange={(event) => setTail(event.currentTarget.checked)} />
          <CopyAsCurl path={api.url("/events")} />
        </Group>
      </Group>
      {realm === "master" && me.realmId === "master" && <Forwarding />}
      <Group gap="xs" align="flex-end" className="filters" key={cleared}>
        <MultiSelect
          aria-label={t("Type")}
          placeholder={search.type ? "" : t("Type")}
          data={TYPES}
          value={search.type?.split(",") ?? []}
          onChange={(types) => set({ type: types.join(",") || undefined })}
          searchable
          clearable
          nothingFoundMessage={t("Nothing matches")}
          w={260}
        />
        {text("actor", "Actor")}
        {choice("outcome", "Outcome", ["SUCCESS", "FAILURE"])}
        {choice("category", "Category", ["AUTHN", "ADMIN", "SECURITY"])}
        {text("resourceType", "Resource type")}
        {text("resourceId", "Resource ID")}
        <TextInput
          aria-label={t("Request number")}
          placeholder={t("Request number")}
          defaultValue={search.requestId ?? ""}
          onChange={(event) => {
            const id = event.currentTarget.value.trim();
            if (id === "" || WHOLE_ID.test(id)) typed("requestId", id);
          }}
          w={300}
        />
        {time("from", "From")}
        {time("to", "To")}
        {filtered && (
          <Button variant="subtle" size="compact-sm" onClick={clear}>
            {t("Clear filters")}
          </Button>
        )}
      </Group>
      {events.isPending ? (
        <Rows />
      ) : events.isLoadingError ? (
        <Failure error={events.error} retry={() => events.refetch()} instead={{ title: "Clear filters", run: clear }} />
      ) : items.length === 0 ? (
        <Empty title={t("Nothing matches")} />
      ) : (
        <EventTable events={items} />
      )}
      {tail && (
        <Text size="sm" c="dimmed" role="status">
          {t("{count} new since you began to follow", { count: latest.length })}
        </Text>
      )}
      {!tail && pages > 1 && (
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            {t("Page {page} of {pages}", { page: page + 1, pages })}
          </Text>
          <Group gap="xs">
            <Button variant="default" disabled={page === 0} onClick={() => set({ page: page === 1 ? undefined : String(page - 1) })}>
              {t("Newer")}
            </Button>
            <Button variant="default" disabled={page + 1 >= pages} onClick={() => set({ page: String(page + 1) })}>
              {t("Older")}
            </Button>
          </Group>
        </Group>
      )}
    </Stack>
  );
}
