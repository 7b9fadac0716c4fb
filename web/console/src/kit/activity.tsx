import type { components } from "@gatehouse/api";
import { Badge, ScrollArea, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { Empty, Failure, Rows } from "./states.tsx";
import { When } from "./when.tsx";

type AuditEvent = components["schemas"]["AuditEvent"];

/** The audit events of one record, or of one actor. */
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

export function EventTable({ events }: { events: readonly AuditEvent[] }) {
  const t = useText();
  return (
    <ScrollArea type="auto">
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
            <Table.Tr key={event.id}>
              <Table.Td>
                <When time={event.ts} />
              </Table.Td>
              <Table.Td>
                <Badge variant="light" color={event.outcome === "SUCCESS" ? "teal" : "red"}>
                  {event.type}
                </Badge>
              </Table.Td>
              <Table.Td>{event.actor}</Table.Td>
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
