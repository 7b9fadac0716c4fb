import { ActionIcon, Anchor, Button, Card, Group, List, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { serverApi } from "../app/api.ts";
import { later } from "../app/later.ts";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { Icon } from "../kit/icon.tsx";
import { useCount } from "../kit/use-count.ts";

const Demo = later(async () => (await import("./demo-realm.tsx")).DemoRealm);

/** Shows the first steps. The list disappears when all of them are done, or when it is closed. */
export function Checklist() {
  const t = useText();
  const { realm, me, may } = useRealm();
  const [closed, setClosed] = useLocalStorage({ key: `gatehouse.checklist.${realm}`, defaultValue: false });
  const [demo, setDemo] = useState(false);
  const isMaster = realm === "master";
  const allowed = may("realm-admin");
  const realms = useQuery({
    queryKey: ["realms", "count"],
    queryFn: async () => (await serverApi.list("/admin/realms", { query: { size: 1 } })).total,
    enabled: isMaster && allowed,
  }).data;
  const clients = useCount("/clients", allowed);
  const users = useCount("/users", allowed);
  const providers = useCount("/messaging/providers", allowed);
  const ofRealm = [
    { title: "Add an application", to: `/realms/${realm}/clients/new`, done: (clients?.total ?? 0) > 0 },
    { title: "Add a user", to: `/realms/${realm}/users`, done: (users?.total ?? 0) > 1 },
    ...(me.developmentMode ? [{ title: "Try the sign-in", to: `/realms/${realm}/try-it`, done: false }] : []),
    { title: "Make the sign-in page yours", to: `/realms/${realm}/branding`, done: false },
    { title: "Configure mail", to: `/realms/${realm}/messages`, done: (providers?.total ?? 0) > 0 },
  ];
  const steps = isMaster
    ? [
        { title: "Create a realm for your users and applications", to: "/realms", done: (realms ?? 0) > (me.developmentMode ? 2 : 1) },
        { title: "Add a second administrator", to: `/realms/${realm}/users`, done: (users?.total ?? 0) > 1 },
        { title: "Configure mail", to: `/realms/${realm}/messages`, done: (providers?.total ?? 0) > 0 },
      ]
    : ofRealm;
  if (closed || !allowed || steps.every(({ done }) => done)) return null;
  return (
    <Card withBorder>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h4">
            {t("Get started")}
          </Title>
          <ActionIcon variant="subtle" color="gray" aria-label={t("Hide this list")} onClick={() => setClosed(true)}>
            <Icon name="x" />
          </ActionIcon>
        </Group>
        <List spacing="xs" center listStyleType="none">
          {steps.map(({ title, to, done }) => (
            <List.Item
              key={title}
              icon={
                <ThemeIcon size={22} radius="xl" variant="light" color={done ? "teal" : "gray"}>
                  {done ? <Icon name="check" size={14} /> : <Icon name="circle" size={14} />}
                </ThemeIcon>
              }
            >
              {done ? (
                <Text td="line-through">
                  {t(title)} <span className="visually-hidden">({t("done")})</span>
                </Text>
              ) : (
                <Anchor component={Link} to={to as never}>
                  {t(title)}
                </Anchor>
              )}
            </List.Item>
          ))}
        </List>
        {isMaster && me.developmentMode && (
          <Group>
            <Button variant="default" size="xs" onClick={() => setDemo(true)}>
              {t("Or fill a demo realm to look around in")}
            </Button>
          </Group>
        )}
        {demo && (
          <Suspense fallback={null}>
            <Demo close={() => setDemo(false)} />
          </Suspense>
        )}
      </Stack>
    </Card>
  );
}
