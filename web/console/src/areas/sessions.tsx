import type { components } from "@gatehouse/api";
import { Accordion, Badge, Text } from "@mantine/core";
import { translate, useText } from "../i18n/index.ts";
import type { Resource } from "../kit/resource.ts";
import { SubList } from "../kit/sub-list.tsx";
import { When } from "../kit/when.tsx";

type Session = components["schemas"]["Session"];

/** Shows applications that act in their own name. They have tokens but no browser. */
function ServiceAccounts() {
  const t = useText();
  return (
    <Accordion variant="separated">
      <Accordion.Item value="service-accounts">
        <Accordion.Control>{t("Service accounts with live tokens")}</Accordion.Control>
        <Accordion.Panel>
          <SubList<components["schemas"]["ServiceAccountSession"]>
            path="/sessions/service-accounts"
            manage={[]}
            id={({ id }) => id}
            empty="No service account has a live token"
            columns={[
              { title: "Application", render: ({ name, clientId }) => name ?? clientId },
              { title: "Tokens", render: ({ tokens }) => tokens.toLocaleString() },
              { title: "Address", render: ({ sourceIp }) => sourceIp ?? "–" },
              { title: "Seen", render: ({ lastSeenAt }) => <When time={lastSeenAt} /> },
              { title: "Expires", wide: true, render: ({ expiresAt }) => <When time={expiresAt} /> },
            ]}
          />
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}

export const sessions: Resource<Session> = {
  title: "Sessions",
  singular: "session",
  description: "Browsers that are signed in to this realm.",
  path: "/sessions",
  search: "Search by username or ID",
  key: ({ id }) => id,
  name: ({ username }) => username,
  permission: { view: ["view-events"], manage: ["manage-events"] },
  columns: [
    {
      title: "User",
      render: ({ username, current }) =>
        current ? (
          <>
            {username} <Badge variant="light">{translate("you")}</Badge>
          </>
        ) : (
          username
        ),
    },
    {
      title: "Browser",
      wide: true,
      render: ({ userAgent }) => (
        <Text size="sm" lineClamp={1}>
          {userAgent ?? "–"}
        </Text>
      ),
    },
    { title: "Address", render: ({ sourceIp }) => sourceIp ?? "–" },
    { title: "Signed in", render: ({ authTime }) => <When time={authTime} /> },
    { title: "Seen", wide: true, render: ({ lastSeenAt }) => <When time={lastSeenAt} /> },
  ],
  bulk: [
    {
      title: "End sessions",
      danger: true,
      async run({ api }, items) {
        const failed: { name: string; message: string }[] = [];
        for (const { id, username: name } of items)
          await api.send("DELETE", `/sessions/${id}`).catch(({ message }: Error) => void failed.push({ name, message }));
        return { done: items.length - failed.length, failed };
      },
    },
  ],
  Header: ServiceAccounts,
  listOnly: true,
  canDelete: true,
  activity: "sessions",
};
