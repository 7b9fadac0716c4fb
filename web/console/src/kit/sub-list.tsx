import { ActionIcon, Group, Stack, Table, Text } from "@mantine/core";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { confirmed } from "./confirm.tsx";
import { Icon } from "./icon.tsx";
import { failed, succeeded } from "./notify.ts";
import { Pages } from "./pages.tsx";
import type { Column, FormSpec } from "./resource.ts";
import type { Draft } from "./schema.ts";
import { Empty, Failure, Rows } from "./states.tsx";
import { FormDrawer, SubForm } from "./sub-form.tsx";
import { undoable } from "./undo.tsx";

/** The form of an item, new or changed. */
export interface ItemForm<T> {
  /** The title of the button that adds one. Without it, items are only changed here. */
  readonly add?: string;
  // biome-ignore lint/suspicious/noExplicitAny: forms differ by list
  readonly spec: FormSpec<any>;
  readonly defaults?: Draft;
  /** Returns the path of an item, which GET answers and PUT replaces. */
  path(item: T): string;
}

/** An item that is changed, as it was read. */
interface Opened {
  readonly name: string;
  readonly path: string;
  readonly draft: Draft;
  readonly etag: string | null;
}

export interface SubListProps<T> {
  /** The path of the list, below the realm. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly columns: readonly Column<T>[];
  /** Returns the key of a row. */
  id(item: T): string;
  readonly empty: string;
  readonly emptyText?: string;
  readonly manage: readonly string[];
  /** Returns the path of an item for DELETE, or null if it cannot be removed. */
  remove?(item: T): string | null;
  readonly removeTitle?: string;
  /** Restores a removed item. With it, no question comes first: the message has a button that undoes the removal. */
  restore?(item: T): Promise<unknown>;
  /** Returns the name in the question. */
  name?(item: T): string;
  /** The milliseconds after which a list that the server changes by itself is read again, while it is seen. */
  readonly refresh?: number;
  /** The form by which items are added and changed. */
  readonly form?: ItemForm<T>;
  /** Returns content above the list: a picker or a button that adds. */
  add?(reload: () => Promise<void>): ReactNode;
  /** Returns content beside each row. */
  actions?(item: T, reload: () => Promise<void>): ReactNode;
}

const SIZE = 100;

/** Shows a list that belongs to a record: members, roles, sessions. */
export function SubList<T>(props: SubListProps<T>) {
  const {
    path,
    query,
    columns,
    id,
    empty,
    emptyText,
    manage,
    remove,
    removeTitle = "Remove",
    restore,
    name,
    form,
    add,
    actions,
    refresh,
  } = props;
  const t = useText();
  const { api, realm, may } = useRealm();
  const client = useQueryClient();
  const [page, setPage] = useState(0);
  const [opened, setOpened] = useState<Opened | null>(null);
  const asked = { size: SIZE, ...(page > 0 && { page }), ...query };
  const list = useQuery({
    queryKey: [realm, "sub", path, asked],
    queryFn: ({ signal }) => api.list<T>(path, { query: asked, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: refresh ?? false,
  });
  const reload = () => client.invalidateQueries({ queryKey: [realm] });
  const allowed = may(...manage);
  const drop = async (item: T, target: string) => {
    const question = {
      title: t(removeTitle),
      text: t("{name}: this counts at once.", { name: name?.(item) ?? id(item) }),
      action: t(removeTitle),
      danger: true,
    };
    if (!restore && !(await confirmed(question))) return;
    try {
      await api.send("DELETE", target);
      if (restore)
        undoable(t("{name} was removed", { name: name?.(item) ?? id(item) }), async () => {
          await restore(item);
          await reload();
        });
      else succeeded(t("Done"));
      await reload();
    } catch (error) {
      failed(error);
    }
  };
  const edit = async (item: T, { spec, path: pathOf }: ItemForm<T>) => {
    const target = pathOf(item);
    try {
      const { data, etag } = await api.get<Draft>(target);
      // Other members are read-only, so a PUT may leave them out.
      const draft = Object.fromEntries(Object.entries(data).filter(([member]) => member in (spec.schema.properties ?? {})));
      setOpened({ name: name?.(item) ?? id(item), path: target, draft, etag });
    } catch (error) {
      failed(error);
    }
  };
  return (
    <Stack>
      {allowed && form?.add !== undefined && (
        <SubForm title={form.add} path={path} form={form.spec} {...(form.defaults && { defaults: form.defaults })} reload={reload} />
      )}
      {opened && form && (
        <FormDrawer
          title={opened.name}
          path={opened.path}
          method="PUT"
          etag={opened.etag}
          form={form.spec}
          defaults={opened.draft}
          opened
          close={() => setOpened(null)}
          reload={reload}
        />
      )}
      {allowed && add?.(reload)}
      {list.isPending ? (
        <Rows count={3} />
      ) : list.isLoadingError ? (
        <Failure error={list.error} retry={() => list.refetch()} />
      ) : list.data.items.length === 0 ? (
        <Empty title={t(empty)} {...(emptyText && { text: t(emptyText) })} />
      ) : (
        <>
          <div className="table-scroll">
            <Table verticalSpacing="sm" className="records">
              <Table.Thead>
                <Table.Tr>
                  {columns.map(({ title, wide }) => (
                    <Table.Th key={title} {...(wide && { visibleFrom: "md" })}>
                      {t(title)}
                    </Table.Th>
                  ))}
                  <Table.Th w={1}>
                    <span className="visually-hidden">{t("Actions")}</span>
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {list.data.items.map((item) => {
                  const target = remove?.(item) ?? null;
                  return (
                    <Table.Tr key={id(item)}>
                      {columns.map(({ title, wide, render }) => (
                        <Table.Td key={title} {...(wide && { visibleFrom: "md" })}>
                          {render(item)}
                        </Table.Td>
                      ))}
                      <Table.Td>
                        <Group gap={4} wrap="nowrap" justify="flex-end">
                          {allowed && actions?.(item, reload)}
                          {allowed && form && (
                            <ActionIcon
                              variant="subtle"
                              color="gray"
                              aria-label={`${t("Edit")}: ${name?.(item) ?? id(item)}`}
                              onClick={() => void edit(item, form)}
                            >
                              <Icon name="pencil" />
                            </ActionIcon>
                          )}
                          {allowed && target !== null && (
                            <ActionIcon
                              variant="subtle"
                              color="red"
                              aria-label={`${t(removeTitle)}: ${name?.(item) ?? id(item)}`}
                              onClick={() => void drop(item, target)}
                            >
                              <Icon name="trash" />
                            </ActionIcon>
                          )}
                        </Group>
                      </Table.Td>
                    </Table.Tr>
                  );
                })}
              </Table.Tbody>
            </Table>
          </div>
          {list.data.total > SIZE && (
            <Group justify="space-between">
              <Text size="sm" c="dimmed">
                {t("{total} in all", { total: list.data.total.toLocaleString() })}
              </Text>
              <Pages page={page} size={SIZE} total={list.data.total} onChange={setPage} />
            </Group>
          )}
        </>
      )}
    </Stack>
  );
}
