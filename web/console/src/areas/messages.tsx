import { ApiProblem, type components } from "@gatehouse/api";
import {
  Badge,
  Button,
  Code,
  Drawer,
  Group,
  ScrollArea,
  Select,
  Stack,
  Switch,
  Table,
  Tabs,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useRealm } from "../app/session.tsx";
import { useLanguage, useText } from "../i18n/index.ts";
import { discards } from "../kit/confirm.tsx";
import { MailFrame } from "../kit/mail-frame.tsx";
import { succeeded } from "../kit/notify.ts";
import { useOnce } from "../kit/once.ts";
import { PageHead } from "../kit/page-head.tsx";
import { directionOf, localeName } from "../kit/page-locales.ts";
import { Failure, Rows, WriteError } from "../kit/states.tsx";
import { useLeaveGuard } from "../kit/unsaved.tsx";
import { Providers } from "./messages.providers.tsx";
import { PushDevices } from "./push-devices.tsx";

type Schemas = components["schemas"];
type Template = Schemas["MessageTemplate"];

const MANAGE = ["manage-realm"] as const;

/** Shows the providers of the realm's messages, and the texts of these messages. */
export function Messages() {
  const t = useText();
  const { api } = useRealm();
  const { tab = "providers" } = useSearch({ strict: false }) as { tab?: string };
  const navigate = useNavigate();
  const setTab = (next: string) => void navigate({ to: ".", search: { tab: next } as never, replace: true });
  return (
    <Stack>
      <PageHead
        title="Messages"
        description="The providers and texts of this realm's mails, text messages and pushes."
        call={{ path: api.url(`/messaging/${tab}`) }}
      />
      <Tabs value={tab} onChange={(next) => setTab(next ?? "providers")} keepMounted={false}>
        <Tabs.List className="tab-row">
          <Tabs.Tab value="providers">{t("Providers")}</Tabs.Tab>
          <Tabs.Tab value="templates">{t("Templates")}</Tabs.Tab>
          <Tabs.Tab value="push-tokens">{t("Push devices")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="providers" pt="md">
          <Providers />
        </Tabs.Panel>
        <Tabs.Panel value="templates" pt="md">
          <Templates />
        </Tabs.Panel>
        <Tabs.Panel value="push-tokens" pt="md">
          <PushDevices />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

function Templates() {
  const t = useText();
  const { api, realm } = useRealm();
  const language = useLanguage();
  const [open, setOpen] = useState<Template | null>(null);
  const [locale, setLocale] = useState<string | null>(null);
  const list = useQuery({
    queryKey: [realm, "list", "/messaging/templates"],
    queryFn: () => api.list<Template>("/messaging/templates", { query: { size: 1000 } }),
  });
  if (list.isPending) return <Rows />;
  if (list.isLoadingError) return <Failure error={list.error} retry={() => list.refetch()} />;
  const spoken = [...new Set(list.data.items.flatMap((template) => template.locale ?? []))];
  return (
    <Stack>
      <Select
        label={t("Language")}
        placeholder={t("Everybody else, in English as shipped")}
        data={spoken.map((tag) => ({ value: tag, label: localeName(tag, language) }))}
        value={locale}
        onChange={setLocale}
        searchable
        clearable
        w={320}
      />
      <ScrollArea type="auto">
        <Table className="records">
          <Table.Thead>
            <Table.Tr>
              {["Template", "Channel", "Subject", "State"].map((title) => (
                <Table.Th key={title}>{t(title)}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {list.data.items
              .filter((template) => template.locale === locale)
              .map((template) => (
                <Table.Tr key={template.id ?? `${template.templateKey}-${template.locale}`}>
                  <Table.Td>
                    <button type="button" className="link-button" onClick={() => setOpen(template)}>
                      {template.templateKey}
                    </button>
                  </Table.Td>
                  <Table.Td>{template.channel}</Table.Td>
                  <Table.Td>
                    <span dir="auto">{template.subject ?? "–"}</span>
                  </Table.Td>
                  <Table.Td>
                    <Badge variant="light">{template.isDefault ? t("as shipped") : t("changed")}</Badge>
                  </Table.Td>
                </Table.Tr>
              ))}
          </Table.Tbody>
        </Table>
      </ScrollArea>
      {open && <EditTemplate key={`${open.templateKey}-${open.locale}`} template={open} close={() => setOpen(null)} />}
    </Stack>
  );
}

/** The values of a preview. */
const SAMPLE = {
  ...{ code: "123456", ttl: "10 min", user: "Ada Lovelace", link: `${location.origin}/example`, organization: "Initech" },
  ...{ agent: "Robot", browser: "Firefox, Linux", address: "192.0.2.7", time: new Date().toLocaleString() },
};

function EditTemplate({ template, close }: { template: Template; close(): void }) {
  const t = useText();
  const { api, realm, may } = useRealm();
  const client = useQueryClient();
  const [draft, setDraft] = useState(template);
  const [preview, setPreview] = useState<Schemas["RenderedMessageTemplate"] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const { busy, once } = useOnce();
  const readOnly = !may(...MANAGE);
  const dirty = JSON.stringify(draft) !== JSON.stringify(template);
  useLeaveGuard(dirty);
  const leave = async () => {
    if (!dirty || (await discards(t))) close();
  };
  const { templateKey, channel, locale, subject, body, textBody, html, enabled } = draft;
  const save = async () => {
    setError(null);
    try {
      await api.send("PUT", "/messaging/templates", { body: { templateKey, channel, locale, subject, body, textBody, html, enabled } });
      succeeded(t("Saved"));
      await client.invalidateQueries({ queryKey: [realm] });
      close();
    } catch (reason) {
      setError(reason);
    }
  };
  const show = async () => {
    setError(null);
    const text = { subject, body, html, ...(html && { textBody }) };
    await api
      .send<Schemas["RenderedMessageTemplate"]>("POST", "/messaging/templates/preview", {
        body: { templateKey, locale, ...text, sample: SAMPLE },
      })
      .then(({ data }) => setPreview(data))
      .catch(setError);
  };
  const reset = async () => {
    setError(null);
    try {
      await api.send("DELETE", `/messaging/templates/${templateKey}`, { query: { locale } });
      succeeded(t("It is as shipped"));
      await client.invalidateQueries({ queryKey: [realm] });
      close();
    } catch (reason) {
      setError(reason);
    }
  };
  // Markup is shown from left to right, whatever the language of the words in it.
  const words = locale ? { lang: locale, dir: directionOf(locale) } : {};
  const fieldError = (field: string) => (error instanceof ApiProblem ? error.fieldError(field) : undefined);
  return (
    <Drawer opened onClose={() => void leave()} position="right" size="xl" title={<Code>{templateKey}</Code>}>
      <Stack>
        <WriteError error={error} />
        {channel === "EMAIL" && (
          <TextInput
            label={t("Subject")}
            {...words}
            value={subject ?? ""}
            readOnly={readOnly}
            error={fieldError("subject")}
            onChange={(event) => setDraft({ ...draft, subject: event.currentTarget.value })}
          />
        )}
        <Textarea
          label={t("Body")}
          {...(html ? { ...words, dir: "auto" } : words)}
          autosize
          minRows={6}
          maxRows={20}
          value={body}
          readOnly={readOnly}
          error={fieldError("body")}
          onChange={(event) => setDraft({ ...draft, body: event.currentTarget.value })}
        />
        {channel === "EMAIL" && html && (
          <Textarea
            label={t("Plain text")}
            {...words}
            autosize
            minRows={3}
            maxRows={12}
            value={textBody ?? ""}
            readOnly={readOnly}
            onChange={(event) => setDraft({ ...draft, textBody: event.currentTarget.value || null })}
          />
        )}
        <Switch
          label={t("Enabled")}
          checked={enabled}
          disabled={readOnly}
          onChange={(event) => setDraft({ ...draft, enabled: event.currentTarget.checked })}
        />
        <Group justify="flex-end">
          {!readOnly && !template.isDefault && (
            <Button variant="subtle" color="red" onClick={() => void once(reset)}>
              {t("Return to what ships")}
            </Button>
          )}
          <Button variant="default" onClick={() => void once(show)}>
            {t("Preview")}
          </Button>
          {!readOnly && (
            <Button onClick={() => void once(save)} loading={busy}>
              {t("Save")}
            </Button>
          )}
        </Group>
        {preview && (
          <Stack gap="xs">
            <Text fw={600} dir="auto">
              {preview.subject}
            </Text>
            {html && <MailFrame html={preview.body} title={t("Preview of the mail")} />}
            <Code block tabIndex={0} dir="auto" className="mail-text">
              {preview.text}
            </Code>
          </Stack>
        )}
      </Stack>
    </Drawer>
  );
}
