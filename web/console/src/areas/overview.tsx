import type { components } from "@gatehouse/api";
import { Anchor, Badge, Card, Code, Group, SimpleGrid, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { entries, isVisible } from "../app/areas.ts";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { EventTable } from "../kit/activity.tsx";
import { blindAmong } from "../kit/blind.ts";
import { PageHead } from "../kit/page-head.tsx";
import { Rows } from "../kit/states.tsx";
import { type Count, useCount } from "../kit/use-count.ts";
import { Checklist } from "./overview.checklist.tsx";
import { Plots } from "./overview.plots.tsx";

type Schemas = components["schemas"];

/** Shows the first page of a realm: figures, the first steps, its addresses and its latest events. */
export function Overview() {
  const t = useText();
  const { api, me, realm, may } = useRealm();
  return (
    <Stack gap="lg">
      <PageHead title={me.displayName ?? realm} call={{ path: api.url("/metrics") }} />
      <Figures />
      <OwnPermissions />
      <Checklist />
      {may("view-events") && <Plots />}
      <Latest />
      <Endpoints />
      <Text size="xs" c="dimmed">
        {t("Signed in as {name} of {realm}", { name: me.username, realm: me.realmId })}
      </Text>
    </Stack>
  );
}

const shown = ({ total }: Count) => total.toLocaleString();

function Figures() {
  const t = useText();
  const { may } = useRealm();
  const figures = [
    { title: "Users", to: "users", count: useCount("/users", may("view-users")), allowed: may("view-users") },
    { title: "Active sessions", to: "sessions", count: useCount("/sessions", may("view-events")), allowed: may("view-events") },
    { title: "Applications", to: "clients", count: useCount("/clients", may("view-clients")), allowed: may("view-clients") },
    { title: "Organizations", to: "organizations", count: useCount("/organizations", may("view-users")), allowed: may("view-users") },
  ].filter(({ allowed }) => allowed);
  const { realm } = useRealm();
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
      {figures.map(({ title, to, count }) => (
        <Card key={title} withBorder component={Link} to={`/realms/${realm}/${to}` as never} className="figure">
          <Text size="sm" c="dimmed">
            {t(title)}
          </Text>
          <Text fz={28} fw={700}>
            {count === undefined ? "…" : count.estimated ? t("About {total}", { total: shown(count) }) : shown(count)}
          </Text>
        </Card>
      ))}
    </SimpleGrid>
  );
}

/** Says what the caller may do, if none of the lists above is theirs to see. */
function OwnPermissions() {
  const t = useText();
  const session = useRealm();
  const { me, realm, may } = session;
  if (may("view-users", "view-clients", "view-events")) return null;
  const areas = Object.entries(entries).filter(([, one]) => one.permission.length > 0 && isVisible(one, session));
  return (
    <Card withBorder>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {t("What you may do here")}
        </Title>
        <Text size="sm">{t("Your permissions in this realm: {permissions}", { permissions: me.permissions.join(", ") })}</Text>
        {areas.length > 0 && (
          <Group gap="md">
            {areas.map(([name, { title }]) => (
              <Anchor key={name} component={Link} to={`/realms/${realm}/${name}` as never} size="sm">
                {t(title)}
              </Anchor>
            ))}
          </Group>
        )}
        {blindAmong(me.permissions).map((pair) => (
          <Text key={pair.manage} size="sm">
            {t("{manage} alone shows no list in this console. It also needs {view}.", pair)}
          </Text>
        ))}
      </Stack>
    </Card>
  );
}

function Latest() {
  const t = useText();
  const { api, realm, may } = useRealm();
  const allowed = may("view-events");
  const events = useQuery({
    queryKey: [realm, "events", "latest"],
    queryFn: async () => (await api.get<Schemas["AuditEventPage"]>("/events", { query: { size: 8 } })).data.items,
    enabled: allowed,
  });
  if (!allowed) return null;
  return (
    <Card withBorder>
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t("Latest events")}
        </Title>
        <Anchor component={Link} to={`/realms/${realm}/events` as never} size="sm">
          {t("Audit log")}
        </Anchor>
      </Group>
      {events.data ? <EventTable events={events.data} /> : <Rows count={4} />}
    </Card>
  );
}

function Endpoints() {
  const t = useText();
  const { api, realm } = useRealm();
  const endpoints = useQuery({
    queryKey: [realm, "endpoints"],
    queryFn: async () => (await api.get<Schemas["RealmEndpoints"]>("/endpoints")).data,
  });
  const health = useQuery({ queryKey: [realm, "health"], queryFn: async () => (await api.get<Schemas["RealmHealth"]>("/health")).data });
  if (!endpoints.data) return <Rows count={3} />;
  const { issuer, discovery, samlMetadata, account, login } = endpoints.data;
  return (
    <Card withBorder>
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t("Addresses")}
        </Title>
        {health.data && (
          <Badge variant="light" color={health.data.status === "UP" ? "teal" : "red"}>
            {health.data.status}
          </Badge>
        )}
      </Group>
      <Table>
        <Table.Tbody>
          {Object.entries({
            Issuer: issuer,
            Discovery: discovery,
            "SAML metadata": samlMetadata,
            Account: account,
            "Sign-in page": login,
          }).map(([name, address]) => (
            <Table.Tr key={name}>
              <Table.Th>{t(name)}</Table.Th>
              <Table.Td>
                <Code className="secret">{address}</Code>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}
