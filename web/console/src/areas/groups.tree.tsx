import type { components } from "@gatehouse/api";
import { ActionIcon, Anchor, Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { Icon } from "../kit/icon.tsx";
import { Failure, Rows } from "../kit/states.tsx";
import { RoleBadges } from "./users.tsx";

type GroupItem = components["schemas"]["Group"];

const SIZE = 100;

/** Shows the groups as a tree. Each level is read when it is opened, page by page. */
export function GroupTree({ parentId = "", level = 1 }: { parentId?: string; level?: number }) {
  const t = useText();
  const { api, realm } = useRealm();
  const [size, setSize] = useState(SIZE);
  const groups = useQuery({
    queryKey: [realm, "list", "/groups", "tree", parentId, size],
    queryFn: ({ signal }) => api.list<GroupItem>(`/groups?parentId=${parentId}`, { query: { size, sort: "name" }, signal }),
  });
  if (groups.isLoadingError) return <Failure error={groups.error} retry={() => groups.refetch()} />;
  if (groups.isPending) return <Rows count={2} />;
  const { items, total } = groups.data;
  if (items.length === 0)
    return (
      <Text size="sm" c="dimmed" p="xs">
        {t("No groups here")}
      </Text>
    );
  return (
    <Stack gap={0}>
      <ul className="tree">
        {items.map((group) => (
          <Branch key={group.groupId} group={group} level={level} />
        ))}
      </ul>
      {total > items.length && (
        <Group p="xs">
          <Button size="xs" variant="default" onClick={() => setSize(size + SIZE)}>
            {t("Show more ({count} in all)", { count: total })}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function Branch({ group, level }: { group: GroupItem; level: number }) {
  const t = useText();
  const { realm } = useRealm();
  const [open, setOpen] = useState(false);
  const { groupId, name, memberCount, roleNames } = group;
  return (
    <li>
      <Group className="tree-row" gap="xs" wrap="nowrap">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-expanded={open}
          aria-label={open ? t("Close {name}", { name }) : t("Open {name}", { name })}
          onClick={() => setOpen(!open)}
        >
          {open ? <Icon name="chevron-down" /> : <Icon name="chevron-right" />}
        </ActionIcon>
        <Anchor component={Link} to={`/realms/${realm}/groups/${groupId}` as never} fw={600} c="inherit">
          {name}
        </Anchor>
        <Badge variant="light" color="gray">
          {t("{count} members", { count: memberCount.toLocaleString() })}
        </Badge>
        <RoleBadges names={roleNames} />
      </Group>
      {open && level < 50 && (
        <div className="tree">
          <GroupTree parentId={groupId} level={level + 1} />
        </div>
      )}
    </li>
  );
}
