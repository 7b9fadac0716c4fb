import type { components } from "@gatehouse/api";
import { Badge, Text } from "@mantine/core";
import type { Resource } from "../kit/resource.ts";
import { When } from "../kit/when.tsx";

type Session = components["schemas"]["Session"];

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
            {username} <Badge variant="light">you</Badge>
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
        const failed: string[] = [];
        for (const { id, username } of items)
          await api.send("DELETE", `/sessions/${id}`).catch((error: Error) => void failed.push(`${username}: ${error.message}`));
        return { done: items.length - failed.length, failed };
      },
    },
  ],
  listOnly: true,
  canDelete: true,
  activity: "sessions",
};
