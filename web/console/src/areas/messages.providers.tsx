import providerSchema from "virtual:schema/UpsertMessagingProvider";
import type { components } from "@gatehouse/api";
import { ActionIcon, Badge, Button, Group, Menu, PasswordInput, ScrollArea, Stack, Table, Textarea, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { wordsFor } from "../kit/choice-labels.ts";
import { schemaFor } from "../kit/conditions.ts";
import { confirmed } from "../kit/confirm.tsx";
import { Icon } from "../kit/icon.tsx";
import { failed, succeeded } from "../kit/notify.ts";
import { useOnce } from "../kit/once.ts";
import type { FormSpec } from "../kit/resource.ts";
import { type Draft, describe, isStored } from "../kit/schema.ts";
import type { Control } from "../kit/schema-form.tsx";
import { Empty, Failure, Rows } from "../kit/states.tsx";
import { FormDrawer, SubForm } from "../kit/sub-form.tsx";
import { OnOff } from "./users.tsx";

type Schemas = components["schemas"];
type Provider = Schemas["MessagingProvider"];

/** The one who directs messages can read the codes in them, so this takes all permissions. */
const MANAGE = ["realm-admin"] as const;
const PATH = "/messaging/providers";

/** The secret that each driver needs. A `long` one is a file of several lines. */
const SECRETS: Readonly<Record<string, { readonly title: string; readonly text: string; readonly long?: boolean }>> = {
  smtp: { title: "Password", text: "The password of the username above, if the server asks for one." },
  http: { title: "Secret", text: "The token or key that the gateway asks for, if it asks for one." },
  twilio: { title: "Auth token", text: "The auth token of the account." },
  fcm: { title: "Key file", text: "The JSON key file of a service account.", long: true },
  apns: { title: "Key", text: "The .p8 key of the team, in PEM.", long: true },
};

const ProviderSecret: Control = (props) => <SecretField {...props} />;

function SecretField({ value, draft, error, readOnly, onChange }: Parameters<Control>[0]) {
  const t = useText();
  const { title, text, long } = SECRETS[String(draft.driver)]!;
  const stored = isStored(draft, "secret");
  const shared = {
    label: t(title),
    description: stored ? t("Another host or port needs it again.") : t(text),
    value: (value as string | null | undefined) ?? "",
    error,
    disabled: readOnly,
    ...(stored && { placeholder: t("Leave empty to keep the present one") }),
  };
  const change = (next: string) => onChange(next === "" ? undefined : next);
  if (long)
    return (
      <Textarea {...shared} autosize minRows={3} maxRows={12} spellCheck={false} onChange={(event) => change(event.currentTarget.value)} />
    );
  return <PasswordInput {...shared} autoComplete="new-password" onChange={(event) => change(event.currentTarget.value)} />;
}

/** Adapts a draft: each channel has its own drivers, and each driver its own settings. */
function settled(next: Draft, before: Draft): Draft {
  if (next.channel === before.channel && next.driver === before.driver) return next;
  const { kind } = describe("driver", schemaFor(providerSchema, next).properties!.driver!);
  const drivers = kind.kind === "choice" ? kind.options : [];
  const { secret: _secret, ...rest } = next;
  return { ...rest, driver: drivers.includes(String(next.driver)) ? next.driver : drivers[0], config: {} };
}

const isSent = ({ channel }: Draft) => channel !== "PUSH";

const form = {
  schema: providerSchema,
  sections: [
    { fields: ["channel", "driver", "enabled"] },
    { title: "Connection", fields: ["config"] },
    { fields: ["secret"] },
    { title: "Sender", when: isSent, fields: ["fromAddress", "fromName"] },
  ],
  controls: { secret: ProviderSecret },
  only: true,
  settled,
} satisfies FormSpec<Schemas["UpsertMessagingProvider"]>;

/** The channel and the driver identify a provider, so they cannot be changed. */
const editForm = { ...form, sections: [{ fields: ["enabled"] as const }, ...form.sections.slice(1)] };

const MEMBERS = ["channel", "driver", "enabled", "fromAddress", "fromName", "config", "secretSet"] as const;

interface Opened {
  readonly name: string;
  readonly draft: Draft;
  readonly etag: string | null;
}

export function Providers() {
  const t = useText();
  const { api, realm, may } = useRealm();
  const client = useQueryClient();
  const [opened, setOpened] = useState<Opened | null>(null);
  const list = useQuery({ queryKey: [realm, "list", PATH], queryFn: () => api.list<Provider>(PATH) });
  const reload = () => client.invalidateQueries({ queryKey: [realm] });
  if (list.isPending) return <Rows count={3} />;
  if (list.isLoadingError) return <Failure error={list.error} retry={() => list.refetch()} />;
  const manage = may(...MANAGE);
  const nameOf = ({ channel, driver }: Provider) => `${t(wordsFor("channel", channel))} · ${t(wordsFor("driver", driver))}`;
  const pathOf = ({ channel, driver }: Provider) => `${PATH}/${channel}/${driver}`;
  const edit = async (provider: Provider) => {
    try {
      const { data, etag } = await api.get<Provider>(pathOf(provider));
      setOpened({ name: nameOf(provider), draft: Object.fromEntries(MEMBERS.map((name) => [name, data[name]])), etag });
    } catch (error) {
      failed(error);
    }
  };
  const remove = async (provider: Provider) => {
    const text = t("{name} sends no more messages.", { name: nameOf(provider) });
    if (!(await confirmed({ title: t("Delete"), text, action: t("Delete"), danger: true }))) return;
    await api.send("DELETE", pathOf(provider)).catch(failed);
    await reload();
  };
  return (
    <Stack>
      {manage && (
        <SubForm
          title="Add a provider"
          path={PATH}
          method="PUT"
          form={form}
          defaults={{ channel: "EMAIL", driver: "smtp", enabled: true, config: {} }}
          reload={reload}
        />
      )}
      {opened && (
        <FormDrawer
          title={opened.name}
          path={PATH}
          method="PUT"
          etag={opened.etag}
          form={editForm}
          defaults={opened.draft}
          opened
          close={() => setOpened(null)}
          reload={reload}
        />
      )}
      {list.data.items.length === 0 ? (
        <Empty title={t("No provider yet")} text={t("Without a provider, this realm sends no mail, SMS or push.")} />
      ) : (
        <ScrollArea type="auto">
          <Table className="records">
            <Table.Thead>
              <Table.Tr>
                {["Provider", "From", "Enabled", "Test"].map((title) => (
                  <Table.Th key={title}>{t(title)}</Table.Th>
                ))}
                <Table.Th w={1}>
                  <span className="visually-hidden">{t("Actions")}</span>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {list.data.items.map((provider) => (
                <Table.Tr key={provider.id}>
                  <Table.Td>
                    <Group gap="xs" wrap="nowrap">
                      <Badge variant="light">{t(wordsFor("channel", provider.channel))}</Badge>
                      {manage ? (
                        <button type="button" className="link-button" onClick={() => void edit(provider)}>
                          {t(wordsFor("driver", provider.driver))}
                        </button>
                      ) : (
                        t(wordsFor("driver", provider.driver))
                      )}
                    </Group>
                  </Table.Td>
                  <Table.Td>{provider.fromAddress ?? "–"}</Table.Td>
                  <Table.Td>
                    <OnOff on={provider.enabled} />
                  </Table.Td>
                  <Table.Td>{may("manage-realm") && <SendTest channel={provider.channel} />}</Table.Td>
                  <Table.Td>
                    {manage && (
                      <Menu position="bottom-end">
                        <Menu.Target>
                          <ActionIcon variant="subtle" color="gray" aria-label={`${t("Actions")}: ${nameOf(provider)}`}>
                            <Icon name="chevron-down" />
                          </ActionIcon>
                        </Menu.Target>
                        <Menu.Dropdown>
                          <Menu.Item onClick={() => void edit(provider)}>{t("Edit")}</Menu.Item>
                          <Menu.Item color="red" onClick={() => void remove(provider)}>
                            {t("Delete")}
                          </Menu.Item>
                        </Menu.Dropdown>
                      </Menu>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollArea>
      )}
    </Stack>
  );
}

function SendTest({ channel }: { channel: string }) {
  const t = useText();
  const { api } = useRealm();
  const [to, setTo] = useState("");
  const { busy, once } = useOnce();
  const send = async () => {
    try {
      const { data } = await api.send<Schemas["TestMessageResult"]>("POST", `/messaging/providers/${channel}/test`, { body: { to } });
      if (data.sent) succeeded(t("The test message is sent"));
      else failed(new Error(data.error ?? "It was not sent"));
    } catch (error) {
      failed(error);
    }
  };
  return (
    <Group gap={4} wrap="nowrap">
      <TextInput
        size="xs"
        aria-label={t("Send a test to")}
        placeholder={t("Send a test to")}
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
      />
      <Button size="xs" variant="default" disabled={to === ""} loading={busy} onClick={() => void once(send)}>
        {t("Send")}
      </Button>
    </Group>
  );
}
