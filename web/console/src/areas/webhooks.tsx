import eventSchema from "virtual:schema/AuditEvent";
import createSchema from "virtual:schema/CreateWebhook";
import updateSchema from "virtual:schema/UpdateWebhook";
import type { components } from "@gatehouse/api";
import { Code, MultiSelect, Text } from "@mantine/core";
import { served, useText } from "../i18n/index.ts";
import { shown } from "../kit/notify.ts";
import type { Resource, TabProps } from "../kit/resource.ts";
import type { Control } from "../kit/schema-form.tsx";
import { SendAgain } from "../kit/send-again.tsx";
import { SubList } from "../kit/sub-list.tsx";
import { When } from "../kit/when.tsx";
import { Word } from "../kit/word.tsx";
import { OnOff } from "./users.tsx";

type Schemas = components["schemas"];
type Webhook = Schemas["Webhook"];
type Delivery = Schemas["WebhookDelivery"];

const MANAGE = ["manage-realm"] as const;
const COLORS = { PENDING: "blue", DELIVERED: "teal", DEAD: "red" } as const;

const MANY = [
  { value: "*", label: "Everything" },
  { value: "AUTHN", label: "Every sign-in (AUTHN)" },
  { value: "ADMIN", label: "Everything that administrators do (ADMIN)" },
  { value: "SECURITY", label: "Everything about credentials and access (SECURITY)" },
];
const TYPES = (eventSchema.properties?.type?.enum ?? []).map(String);

/** Chooses the events. The API takes them as one text. */
const EventTypes: Control = (props) => <Events {...props} />;

function Events({ value, label, error, readOnly, onChange }: Parameters<Control>[0]) {
  const t = useText();
  const chosen = String(value ?? "")
    .split(/[\s,]+/)
    .filter((type) => type !== "");
  const data = [
    ...MANY.map((one) => ({ ...one, label: t(one.label) })),
    ...[...new Set([...TYPES, ...chosen])].filter((type) => MANY.every(({ value: many }) => many !== type)),
  ];
  return (
    <MultiSelect
      label={label}
      data={data}
      value={chosen}
      onChange={(next) => onChange(next.join(","))}
      error={error}
      disabled={readOnly}
      required
      searchable
      clearable
      nothingFoundMessage={t("Nothing matches")}
    />
  );
}

const Deliveries = ({ path }: TabProps<Webhook>) => (
  <SubList<Delivery>
    path={`${path}/deliveries`}
    manage={MANAGE}
    id={({ id }) => id}
    refresh={3_000}
    empty="No deliveries yet"
    columns={[
      { title: "Event", render: ({ eventType }) => eventType },
      {
        title: "Status",
        render: ({ status }) => <Word of="status" value={status} color={COLORS[status]} />,
      },
      { title: "Attempts", render: ({ attempts }) => attempts },
      {
        title: "Answer",
        render: ({ answerStatus, error }) => (
          <Text size="sm" lineClamp={1}>
            {answerStatus ?? (error ? served(error) : "–")}
          </Text>
        ),
      },
      { title: "Time", render: ({ createdAt }) => <When time={createdAt} /> },
    ]}
    actions={({ id }, reload) => <SendAgain path={`${path}/deliveries/${id}/redeliver`} reload={reload} />}
  />
);

export const webhooks: Resource<Webhook, Schemas["CreateWebhook"], Schemas["UpdateWebhook"]> = {
  title: "Webhooks",
  singular: "webhook",
  description: "Signed HTTP calls to your systems when something happens.",
  path: "/webhooks",
  search: "Search by name",
  key: ({ id }) => id,
  name: ({ name }) => name,
  permission: { view: MANAGE, manage: MANAGE },
  columns: [
    { title: "Webhook", render: ({ name }) => name },
    { title: "URL", render: ({ url }) => <Code>{url}</Code> },
    { title: "Events", wide: true, render: ({ eventTypes }) => eventTypes },
    { title: "Enabled", render: ({ enabled }) => <OnOff on={enabled} /> },
  ],
  create: {
    schema: createSchema,
    sections: [{ fields: ["name", "url", "eventTypes", "secret", "enabled"] }],
    controls: { eventTypes: EventTypes },
    defaults: { enabled: true, eventTypes: "*" },
  },
  edit: {
    schema: updateSchema,
    sections: [{ fields: ["name", "url", "eventTypes", "secret", "enabled"] }],
    controls: { eventTypes: EventTypes },
    hidden: ["id", "realmId", "secretSet", "createdAt", "previousSecretUntil"],
  },
  tabs: [{ id: "deliveries", title: "Deliveries", Component: Deliveries }],
  actions: [
    {
      title: "Make a new secret",
      confirm: (_webhook, t) => ({ text: t("The old secret also signs for one more day. The new one is shown once.") }),
      run: async ({ api }, _webhook, path) => {
        const { data } = await api.send<Schemas["RotatedWebhookSecret"]>("POST", `${path}/rotate-secret`, {
          body: { overlapSeconds: 86_400 },
        });
        shown("Secret of the webhook", data.secret ?? "");
        return undefined;
      },
    },
    {
      title: "Send a test event",
      run: async ({ api }, _webhook, path) => {
        const { data } = await api.send<Schemas["WebhookTestResult"]>("POST", `${path}/test`);
        if (!data.delivered) throw new Error(data.error ?? `The receiver answered ${data.status}`);
        return `${data.status}, ${data.latencyMs} ms`;
      },
    },
  ],
  canDelete: true,
  listOnly: true,
};
