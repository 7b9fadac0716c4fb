import createSchema from "virtual:schema/CreateAgent";
import updateSchema from "virtual:schema/UpdateAgent";
import type { components } from "@gatehouse/api";
import { Alert, Code, Group, List, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { wordsFor } from "../kit/choice-labels.ts";
import { onePicked } from "../kit/picked.tsx";
import { confidentialClientPicker, userPicker } from "../kit/picker.tsx";
import type { Action, Resource } from "../kit/resource.ts";
import { When } from "../kit/when.tsx";
import { Word } from "../kit/word.tsx";
import { ScopeNames } from "./role-names.tsx";

type Schemas = components["schemas"];
type Agent = Schemas["Agent"];

const MANAGE = ["manage-clients"] as const;
const COLORS = { CREATED: "gray", ACTIVE: "teal", SUSPENDED: "orange", REVOKED: "red" } as const;

/** Returns an action of the agent's life cycle, which is offered in the states `from`. */
const step = (title: string, verb: string, from: readonly Agent["status"][], more: Partial<Action<Agent>> = {}): Action<Agent> => ({
  title,
  permission: MANAGE,
  when: ({ status }) => from.includes(status),
  run: async ({ api }, _agent, path) => void (await api.send("POST", `${path}/${verb}`)) as undefined,
  ...more,
});

/** Shows the agents whose owner has to confirm that they are still needed. */
function OwnerReview() {
  const t = useText();
  const { api, realm } = useRealm();
  const due = useQuery({
    queryKey: [realm, "sub", "/agents/owner-review"],
    queryFn: ({ signal }) => api.list<Agent>("/agents/owner-review", { query: { size: 20 }, signal }),
  });
  if (!due.data || due.data.items.length === 0) return null;
  return (
    <Alert color="orange" title={t("Review is due ({count})", { count: due.data.total })}>
      <Text size="sm">{t("Attest that these are still needed, or they will be suspended:")}</Text>
      <List size="sm">
        {due.data.items.map(({ id, name, reviewDueAt }) => (
          <List.Item key={id}>
            <Group gap="xs">
              <Link to={`/realms/${realm}/agents/${id}` as never}>{name}</Link>
              <When time={reviewDueAt} />
            </Group>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

/** Shows where the agent is in its life. */
function Standing({ item: { status, lastUsedAt, reviewDueAt } }: { item: Agent }) {
  const t = useText();
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Word of="status" value={status} color={COLORS[status]} />
        <Text size="sm" c="dimmed">
          {t("Last used")} <When time={lastUsedAt} />
          {reviewDueAt !== null && (
            <>
              {" · "}
              {t("Review due")} <When time={reviewDueAt} />
            </>
          )}
        </Text>
      </Group>
      {status === "CREATED" && <Text size="sm">{t("It gets no tokens yet. Activate it with the actions above.")}</Text>}
    </Stack>
  );
}

const sections = [{ fields: ["name", "description", "ownerUserId", "clientId", "scopes", "expiresAt"] as const }];
const controls = {
  ownerUserId: onePicked({ ...userPicker, label: "Owner" }),
  clientId: onePicked({ ...confidentialClientPicker, label: "Acts as the application" }),
  scopes: ScopeNames,
};

export const agents: Resource<Agent, Schemas["CreateAgent"], Schemas["UpdateAgent"]> = {
  title: "Agents",
  singular: "agent",
  description: "Programs that act by themselves or for users. Each has a responsible owner who reviews it.",
  path: "/agents",
  search: "Search by name",
  key: ({ id }) => id,
  name: ({ name }) => name,
  permission: { view: ["view-clients"], manage: MANAGE },
  columns: [
    { title: "Agent", render: ({ name }) => name },
    {
      title: "Status",
      render: ({ status }) => <Word of="status" value={status} color={COLORS[status]} />,
    },
    { title: "Application", wide: true, render: ({ clientId }) => (clientId ? <Code>{clientId}</Code> : "–") },
    { title: "Last used", wide: true, render: ({ lastUsedAt }) => <When time={lastUsedAt} /> },
    { title: "Review due", wide: true, render: ({ reviewDueAt }) => <When time={reviewDueAt} /> },
  ],
  filters: [
    { param: "status", label: "Status", options: Object.keys(COLORS).map((value) => ({ label: wordsFor("status", value), value })) },
  ],
  create: { schema: createSchema, sections, controls },
  edit: {
    schema: updateSchema,
    sections,
    controls,
    hidden: ["id", "realmId", "status", "createdAt", "activatedAt", "lastUsedAt", "lastReviewedAt", "reviewDueAt"],
  },
  Before: Standing,
  Header: OwnerReview,
  actions: [
    step("Activate", "activate", ["CREATED", "SUSPENDED"]),
    step("Attest that it is still needed", "attest", ["ACTIVE", "SUSPENDED"]),
    step("Suspend", "suspend", ["ACTIVE"]),
    step("Revoke for good", "revoke", ["CREATED", "ACTIVE", "SUSPENDED"], {
      danger: true,
      confirm: ({ name }, t) => ({
        text: t("{name} gets no more tokens, and its tokens stop working. This cannot be undone.", { name }),
        typed: name,
      }),
    }),
  ],
  canDelete: true,
};
