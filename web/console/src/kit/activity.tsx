import type { components } from "@gatehouse/api";
import { Anchor, Badge, Code, Drawer, ScrollArea, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useRealm } from "../app/session.tsx";
import { useLanguage, useText } from "../i18n/index.ts";
import { Icon } from "./icon.tsx";
import { labelOf } from "./schema.ts";
import { Empty, Failure, Rows } from "./states.tsx";
import { When } from "./when.tsx";

type AuditEvent = components["schemas"]["AuditEvent"];

/** Shows the audit events of one record, or of one actor. */
export function Activity({ resourceType, resourceId, actor }: { resourceType?: string; resourceId?: string; actor?: string }) {
  const t = useText();
  const { api, realm } = useRealm();
  const query = { resourceType, resourceId, actor, size: 50 };
  const events = useQuery({
    queryKey: [realm, "events", query],
    queryFn: async () => (await api.get<{ items: AuditEvent[] }>("/events", { query })).data.items,
  });
  if (events.isPending) return <Rows />;
  if (events.isLoadingError) return <Failure error={events.error} retry={() => events.refetch()} />;
  if (events.data.length === 0) return <Empty title={t("No activity yet")} />;
  return <EventTable events={events.data} />;
}

/** Shows a table of events. Each can be opened to show all its members. */
export function EventTable({ events }: { events: readonly AuditEvent[] }) {
  const t = useText();
  const [opened, setOpened] = useState<AuditEvent | null>(null);
  return (
    <ScrollArea type="auto">
      <Drawer opened={opened !== null} onClose={() => setOpened(null)} title={t("Event")} position="right" size="lg">
        {opened && <EventDetail event={opened} close={() => setOpened(null)} />}
      </Drawer>
      <Table verticalSpacing="xs" className="records">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("Time")}</Table.Th>
            <Table.Th>{t("Event")}</Table.Th>
            <Table.Th>{t("Actor")}</Table.Th>
            <Table.Th visibleFrom="md">{t("Address")}</Table.Th>
            <Table.Th visibleFrom="md">{t("Detail")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {events.map((event) => (
            <Table.Tr key={event.id} className="clickable" onClick={() => setOpened(event)}>
              <Table.Td>
                <When time={event.ts} />
              </Table.Td>
              <Table.Td>
                <button type="button" className="link-button" aria-haspopup="dialog">
                  <Outcome event={event}>{event.type}</Outcome>
                </button>
              </Table.Td>
              <Table.Td className="name-cell">
                {event.actor}
                {event.impersonator && (
                  <Text size="xs" c="dimmed">
                    {t("Done by {name}", { name: event.impersonator })}
                  </Text>
                )}
              </Table.Td>
              <Table.Td visibleFrom="md">{event.sourceIp}</Table.Td>
              <Table.Td visibleFrom="md">
                <Text size="sm" lineClamp={2}>
                  {event.resourceType ? `${event.resourceType} ${event.resourceId ?? ""} ` : ""}
                  {event.detail}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  );
}

/** Shows the outcome by a sign and, for people who cannot see it, in words; never by the colour alone. */
function Outcome({ event: { outcome }, children }: { event: AuditEvent; children: ReactNode }) {
  const t = useText();
  const succeeded = outcome === "SUCCESS";
  return (
    <Badge variant="light" color={succeeded ? "teal" : "red"} leftSection={<Icon name={succeeded ? "check" : "x"} size={12} />}>
      {children}
      <span className="visually-hidden"> ({succeeded ? t("succeeded") : t("failed")})</span>
    </Badge>
  );
}

/** The areas whose records have the area's name as `resourceType` and the key of their page as `resourceId`. */
const PAGES = new Set(["users", "groups", "organizations", "roles", "clients", "saml-clients", "webhooks", "scim-targets", "sessions"]);
/** The areas whose lists find an actor by name. */
const LISTS: Readonly<Record<string, string>> = { user: "users", client: "clients", agent: "agents" };

function EventDetail({ event, close }: { event: AuditEvent; close(): void }) {
  const t = useText();
  const language = useLanguage();
  const { realm } = useRealm();
  const link = (to: string, text: string) => (
    <Anchor component={Link} to={to as never} inherit className="secret" onClick={close}>
      {text}
    </Anchor>
  );
  const to = (area: string, query: string) => `/realms/${realm}/${area}${query}`;
  const { actor, actorKind, requestId, resourceId, resourceType, ts } = event;
  const listOfActor = actorKind ? LISTS[actorKind] : undefined;
  const shown: Partial<Record<keyof AuditEvent, ReactNode>> = {
    ts: `${new Date(ts).toLocaleString(language, { dateStyle: "full", timeStyle: "long" })} (${ts})`,
    type: <Outcome event={event}>{event.type}</Outcome>,
    ...(listOfActor && { actor: link(to(listOfActor, `?search=${encodeURIComponent(actor)}`), actor) }),
    ...(resourceType &&
      resourceId &&
      PAGES.has(resourceType) && { resourceId: link(to(resourceType, `/${encodeURIComponent(resourceId)}`), resourceId) }),
    ...(requestId && {
      requestId: (
        <Stack gap={4} align="flex-start">
          <Code>{requestId}</Code>
          {link(to("events", `?requestId=${requestId}`), t("Everything of this request"))}
        </Stack>
      ),
    }),
  };
  return (
    <Table variant="vertical" layout="fixed">
      <Table.Tbody>
        {(Object.keys(event) as (keyof AuditEvent)[]).map((name) => (
          <Table.Tr key={name}>
            <Table.Th w={140}>{t(name === "ts" ? "Time" : labelOf(name))}</Table.Th>
            <Table.Td className="secret">{shown[name] ?? event[name] ?? "–"}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
