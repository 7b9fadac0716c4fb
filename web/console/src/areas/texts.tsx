import { ApiProblem, type components } from "@gatehouse/api";
import { Anchor, Button, Code, Group, SegmentedControl, Select, Stack, Table, Text, Textarea, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useRealm } from "../app/session.tsx";
import { useLanguage, useText } from "../i18n/index.ts";
import { Icon } from "../kit/icon.tsx";
import { succeeded } from "../kit/notify.ts";
import { PageHead } from "../kit/page-head.tsx";
import { localeName, pageLocales } from "../kit/page-locales.ts";
import { Pages } from "../kit/pages.tsx";
import { Empty, Failure, Rows } from "../kit/states.tsx";
import { undoable } from "../kit/undo.tsx";
import { UnsavedBar } from "../kit/unsaved.tsx";

type PageText = components["schemas"]["PageText"];
/** The typed texts, by language and name. An empty text restores the shipped one. */
type Edits = Readonly<Record<string, Readonly<Record<string, string>>>>;

const SIZE = 25;
const VALUES = /\{(\w+)\}/g;

/** Shows every text of the pages, with the realm's own version beside the shipped one. */
export function Texts() {
  const t = useText();
  const language = useLanguage();
  const { api, realm } = useRealm();
  const navigate = useNavigate();
  const client = useQueryClient();
  const state = useSearch({ strict: false }) as Record<string, string | undefined>;
  const locale = state.locale !== undefined && pageLocales.includes(state.locale) ? state.locale : language;
  // A search or another language does not discard edits: typed text stays until it is saved.
  const set = (part: Record<string, string | undefined>) =>
    void navigate({ to: ".", search: { ...state, page: undefined, ...part } as never, replace: true, ignoreBlocker: true });
  const typed = useDebouncedCallback((search: string) => set({ search: search || undefined }), 200);
  const [edits, setEdits] = useState<Edits>({});
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const path = `/settings/texts/${locale}`;
  const list = useQuery({
    queryKey: [realm, "texts", locale],
    queryFn: ({ signal }) => api.list<PageText>(path, { query: { size: 1000 }, signal }),
  });

  const change = (name: string, text: string | undefined) => {
    setError(null);
    const { [name]: _, ...others } = edits[locale] ?? {};
    setEdits({ ...edits, [locale]: text === undefined ? others : { ...others, [name]: text } });
  };
  const discard = () => {
    setEdits({});
    setError(null);
  };
  const patch = async (texts: Record<string, Record<string, string | null>>) => {
    await api.send("PATCH", "/settings", { body: { texts } });
    await client.invalidateQueries({ queryKey: [realm] });
  };
  const save = async () => {
    setSaving(true);
    setError(null);
    try {
      const { data: before } = await api.get<{ texts: Edits }>("/settings");
      const each = (make: (tag: string, name: string, text: string) => string | null) =>
        Object.fromEntries(
          Object.entries(edits).map(([tag, texts]) => [
            tag,
            Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, make(tag, name, text)])),
          ]),
        );
      await patch(each((_tag, _name, text) => text.trim() || null));
      const earlier = each((tag, name) => before.texts[tag]?.[name] ?? null);
      undoable(t("Saved"), async () => {
        await patch(earlier);
        succeeded(t("It is as it was"));
      });
      discard();
    } catch (reason) {
      setError(reason);
    } finally {
      setSaving(false);
    }
  };

  const words = (state.search ?? "").toLocaleLowerCase();
  const current = ({ name, own }: PageText) => edits[locale]?.[name] ?? own ?? "";
  const matches = (text: PageText) =>
    (state.show !== "own" || text.own !== null || edits[locale]?.[text.name] !== undefined) &&
    [text.name, text.shipped, current(text)].some((one) => one.toLocaleLowerCase().includes(words));
  const found = list.data?.items.filter(matches) ?? [];
  const page = Math.min(Number(state.page ?? "0") || 0, Math.max(0, Math.ceil(found.length / SIZE) - 1));
  const dirty = Object.values(edits).some((texts) => Object.keys(texts).length > 0);
  const errorOf = (name: string) => (error instanceof ApiProblem ? error.fieldError(`texts.${locale}.${name}`) : undefined);
  return (
    <Stack gap="md">
      <PageHead
        title="Texts"
        description="All texts of the sign-in and account pages, in your own words. Mails have their own templates."
        call={{ path: api.url(path) }}
      />
      <Group gap="sm" className="filters">
        <Select
          aria-label={t("Language")}
          data={pageLocales.map((tag) => ({ value: tag, label: localeName(tag, language) }))}
          value={locale}
          allowDeselect={false}
          searchable
          onChange={(next) => next && set({ locale: next })}
          w={180}
        />
        <TextInput
          leftSection={<Icon name="search" />}
          aria-label={t("Search by words or name")}
          placeholder={t("Search by words or name")}
          defaultValue={state.search ?? ""}
          onChange={(event) => typed(event.currentTarget.value)}
          w={280}
        />
        <SegmentedControl
          aria-label={t("Show")}
          data={[
            { value: "all", label: t("All") },
            { value: "own", label: t("Own words") },
          ]}
          value={state.show ?? "all"}
          onChange={(show) => set({ show: show === "all" ? undefined : show })}
        />
        <Anchor size="sm" href={`/realms/${realm}/login?lang=${locale}`} target="_blank" rel="noreferrer">
          {t("Open the sign-in page")}
        </Anchor>
      </Group>
      {list.isPending ? (
        <Rows />
      ) : list.isLoadingError ? (
        <Failure error={list.error} retry={() => list.refetch()} />
      ) : found.length === 0 ? (
        <Empty title={t("Nothing matches")} text={t("Try another search, or clear the filters.")} />
      ) : (
        <>
          <div className="listing">
            <Table verticalSpacing="sm" className="texts">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t("As shipped")}</Table.Th>
                  <Table.Th>{t("Own words")}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {found.slice(page * SIZE, (page + 1) * SIZE).map((text) => (
                  <TextRow
                    key={`${locale}.${text.name}`}
                    text={text}
                    locale={locale}
                    value={current(text)}
                    error={errorOf(text.name)}
                    onChange={(next) => change(text.name, next === (text.own ?? "") ? undefined : next)}
                  />
                ))}
              </Table.Tbody>
            </Table>
          </div>
          {found.length > SIZE && (
            <Group justify="space-between">
              <Text size="sm" c="dimmed" aria-live="polite">
                {t("{total} in all", { total: found.length.toLocaleString() })}
              </Text>
              <Pages
                page={page}
                size={SIZE}
                total={found.length}
                onChange={(next) => set({ page: next === 0 ? undefined : String(next) })}
              />
            </Group>
          )}
        </>
      )}
      <UnsavedBar dirty={dirty} saving={saving} error={error} onSave={() => void save()} onDiscard={discard} />
    </Stack>
  );
}

interface TextRowProps {
  readonly text: PageText;
  readonly locale: string;
  readonly value: string;
  readonly error: string | undefined;
  onChange(text: string): void;
}

function TextRow({ text: { name, shipped }, locale, value, error, onChange }: TextRowProps) {
  const t = useText();
  const values = [...new Set(Array.from(shipped.matchAll(VALUES), ([whole]) => whole))];
  return (
    <Table.Tr>
      <Table.Td>
        <Text lang={locale} dir="auto" size="sm">
          {shipped}
        </Text>
        <Text size="xs" c="dimmed" className="mono">
          {name}
        </Text>
      </Table.Td>
      <Table.Td>
        <Group gap="xs" align="flex-start" wrap="nowrap">
          <Textarea
            className="grow"
            aria-label={t("Own words for {name}", { name })}
            lang={locale}
            dir="auto"
            autosize
            minRows={1}
            maxRows={8}
            value={value}
            placeholder={shipped}
            error={error}
            onChange={(event) => onChange(event.currentTarget.value.replaceAll(/\s*\n\s*/g, " "))}
          />
          {value !== "" && (
            <Button size="sm" variant="subtle" aria-label={t("Reset {name}", { name })} onClick={() => onChange("")}>
              {t("Reset")}
            </Button>
          )}
        </Group>
        {values.length > 0 && (
          <Text size="xs" c="dimmed" mt={4}>
            {t("It may hold")} {values.map((one) => [<Code key={one}>{one}</Code>, " "])}
          </Text>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
