import {
  Anchor,
  Button,
  Checkbox,
  Drawer,
  Group,
  ScrollArea,
  SegmentedControl,
  Select,
  Stack,
  Table,
  Text,
  TextInput,
} from "@mantine/core";
import { useDebouncedCallback, useLocalStorage } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { CreateDrawer } from "./create-drawer.tsx";
import { Icon } from "./icon.tsx";
import { PageHead } from "./page-head.tsx";
import { Pages } from "./pages.tsx";
import { Picker } from "./picker.tsx";
import { RecordPage } from "./record-page.tsx";
import type { Filter, Resource } from "./resource.ts";
import { Empty, Failure, Rows } from "./states.tsx";

/** The state of a list is in the address, so that Back and a copied link preserve it. */
export type ListSearch = Readonly<Record<string, string | undefined>>;

export interface ListPageProps<T> {
  // biome-ignore lint/suspicious/noExplicitAny: create and edit forms differ by area
  readonly resource: Resource<T, any, any>;
  readonly area: string;
  readonly search: ListSearch;
  /** Changes the state. With `push`, Back returns to the state before. */
  setSearch(search: ListSearch, push?: boolean): void;
}

const SIZES = ["25", "50", "100", "200"];

export function ListPage<T>({ resource, area, search, setSearch }: ListPageProps<T>) {
  const t = useText();
  const { api, realm, may } = useRealm();
  const navigate = useNavigate();
  const [size, setSize] = useLocalStorage({ key: "gatehouse.page-size", defaultValue: "25" });
  const [creating, setCreating] = useState(false);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const page = Number(search.page ?? "0");
  const filters = Object.fromEntries((resource.filters ?? []).map(({ param }) => [param, search[param]]));
  const query = { page: String(page), size, search: search.search, sort: search.sort, ...filters };
  const list = useQuery({
    queryKey: [realm, "list", resource.path, query],
    queryFn: ({ signal }) => api.list<T>(resource.path, { query, signal }),
    placeholderData: keepPreviousData,
  });
  const change = (part: ListSearch) => {
    setSelected(new Set());
    setSearch({ ...search, page: undefined, open: undefined, tab: undefined, ...part });
  };
  const typed = useDebouncedCallback((text: string) => change({ search: text || undefined }), 250);
  const manage = may(...resource.permission.manage);
  const items = list.data?.items ?? [];
  const filtered = search.search !== undefined || Object.values(filters).some((value) => value !== undefined);
  const canCreate = manage && (resource.create || resource.CreatePage);
  const beginCreate = () => (resource.CreatePage ? navigate({ to: `/realms/${realm}/${area}/new` as never }) : setCreating(true));
  const createButton = canCreate && (
    <Button leftSection={<Icon name="plus" />} onClick={beginCreate}>
      {t(`Create ${resource.singular}`)}
    </Button>
  );
  const queryText = new URLSearchParams(Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)).toString();
  const shut = () => setSearch({ ...search, open: undefined, tab: undefined });
  const { Header, Toolbar, Tree } = resource;
  const asTree = Tree !== undefined && !filtered && search.view !== "list";
  return (
    <Stack gap="md">
      <PageHead title={resource.title} description={resource.description} call={{ path: `${api.url(resource.path)}?${queryText}` }}>
        {Toolbar && <Toolbar />}
        {createButton}
      </PageHead>
      {Header && <Header />}
      <Group gap="sm" align="flex-end" className="filters">
        {resource.search && (
          <TextInput
            key={search.search === undefined ? "empty" : "search"}
            leftSection={<Icon name="search" />}
            aria-label={t(resource.search)}
            placeholder={t(resource.search)}
            defaultValue={search.search ?? ""}
            onChange={(event) => typed(event.currentTarget.value)}
            autoFocus={search.search !== undefined}
            w={320}
          />
        )}
        <Filters filters={resource.filters ?? []} search={search} change={change} />
        {Tree && !filtered && (
          <SegmentedControl
            aria-label={t("Show as")}
            data={[
              { value: "tree", label: t("Tree") },
              { value: "list", label: t("List") },
            ]}
            value={asTree ? "tree" : "list"}
            onChange={(view) => setSearch({ view: view === "list" ? view : undefined })}
          />
        )}
        {filtered && (
          <Button variant="subtle" size="compact-sm" onClick={() => setSearch({})}>
            {t("Clear filters")}
          </Button>
        )}
      </Group>
      {selected.size > 0 && resource.bulk && (
        <BulkBar
          actions={resource.bulk}
          items={items.filter((item) => selected.has(resource.key(item)))}
          close={() => setSelected(new Set())}
        />
      )}
      {list.isLoadingError ? (
        <Failure
          error={list.error}
          retry={() => list.refetch()}
          instead={Object.keys(search).length > 0 ? { title: "Clear filters", run: () => setSearch({}) } : undefined}
        />
      ) : list.isPending ? (
        <Rows />
      ) : items.length === 0 ? (
        <Empty
          title={filtered ? t("Nothing matches") : t(resource.empty ?? "Nothing here yet")}
          text={filtered ? t("Try another search, or clear the filters.") : t(resource.description)}
          action={filtered ? undefined : createButton}
        />
      ) : asTree ? (
        <div className="listing">
          <Tree />
        </div>
      ) : (
        <Listing
          resource={resource}
          area={area}
          items={items}
          sort={search.sort}
          selected={resource.bulk && manage ? selected : null}
          setSelected={setSelected}
          setSort={(sort) => change({ sort })}
          open={(key) => setSearch({ ...search, open: key, tab: undefined }, true)}
        />
      )}
      {list.data && !asTree && list.data.total > Number(size) && (
        <Group justify="space-between">
          <Text size="sm" c="dimmed" aria-live="polite">
            {t(list.data.estimated ? "About {total}" : "{total} in all", { total: list.data.total.toLocaleString() })}
          </Text>
          <Group gap="xs">
            <Select
              aria-label={t("Rows per page")}
              data={SIZES}
              value={size}
              onChange={(value) => value && setSize(value)}
              w={90}
              allowDeselect={false}
            />
            <Pages
              page={page}
              size={Number(size)}
              total={list.data.total}
              onChange={(next) => change({ page: next === 0 ? undefined : String(next) })}
            />
          </Group>
        </Group>
      )}
      <Drawer opened={search.open !== undefined} onClose={shut} title={t(resource.title)} position="right" size="xl">
        {search.open !== undefined && (
          <RecordPage
            key={search.open}
            resource={resource}
            area={area}
            id={search.open}
            tab={search.tab}
            setTab={(tab) => setSearch({ ...search, tab })}
            onDeleted={shut}
            drawer
          />
        )}
      </Drawer>
      {resource.create && <CreateDrawer resource={resource} area={area} opened={creating} close={() => setCreating(false)} />}
    </Stack>
  );
}

interface FiltersProps {
  readonly filters: readonly Filter[];
  readonly search: ListSearch;
  change(part: ListSearch): void;
}

/** Shows the filters. Those by a record search the server, so they are shown when the user asks for them, or when the address has one. */
function Filters({ filters, search, change }: FiltersProps) {
  const t = useText();
  const [asked, setAsked] = useState(false);
  const picked = filters.flatMap((filter) => ("pick" in filter ? [filter] : []));
  const open = asked || picked.some(({ param }) => search[param] !== undefined);
  return (
    <>
      {filters.map(
        (filter) =>
          "options" in filter && (
            <Select
              key={filter.param}
              aria-label={t(filter.label)}
              placeholder={t(filter.label)}
              data={filter.options.map((option) => ({ ...option, label: t(option.label) }))}
              value={search[filter.param] ?? null}
              onChange={(value) => change({ [filter.param]: value ?? undefined })}
              clearable
              w={170}
            />
          ),
      )}
      {open
        ? picked.map(({ param, pick }) => (
            <div key={param} className="filter-pick">
              <Picker {...pick} chosen={search[param] ?? null} onChoose={(value) => change({ [param]: value ?? undefined })} />
            </div>
          ))
        : picked.length > 0 && (
            <Button variant="default" onClick={() => setAsked(true)}>
              {t("More filters")}
            </Button>
          )}
    </>
  );
}

interface ListingProps<T> {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly resource: Resource<T, any, any>;
  readonly area: string;
  readonly items: readonly T[];
  readonly sort: string | undefined;
  /** The keys of the selected rows. Null if rows cannot be selected. */
  readonly selected: ReadonlySet<string> | null;
  setSelected(selected: ReadonlySet<string>): void;
  setSort(sort: string | undefined): void;
  open(key: string): void;
}

function Listing<T>({ resource, area, items, sort, selected, setSelected, setSort, open }: ListingProps<T>) {
  const t = useText();
  const { realm } = useRealm();
  const keys = items.map((item) => resource.key(item));
  const toggle = (key: string) => {
    const next = new Set(selected);
    if (!next.delete(key)) next.add(key);
    setSelected(next);
  };
  const field = sort?.replace(/^-/, "");
  const descending = sort?.startsWith("-") ?? false;
  const to = (key: string) => `/realms/${realm}/${area}/${encodeURIComponent(key)}`;
  return (
    <ScrollArea type="auto" className="listing">
      <Table highlightOnHover verticalSpacing="sm" className="records">
        <Table.Thead>
          <Table.Tr>
            {selected && (
              <Table.Th w={40}>
                <Checkbox
                  aria-label={t("Select all rows of this page")}
                  checked={selected.size === items.length}
                  indeterminate={selected.size > 0 && selected.size < items.length}
                  onChange={() => setSelected(new Set(selected.size === items.length ? [] : keys))}
                />
              </Table.Th>
            )}
            {resource.columns.map((column) => (
              <Table.Th
                key={column.title}
                {...(column.wide && { visibleFrom: "md" })}
                aria-sort={column.sort && column.sort === field ? (descending ? "descending" : "ascending") : undefined}
              >
                {column.sort ? (
                  <button
                    type="button"
                    className="sort-button"
                    onClick={() => setSort(column.sort !== field ? column.sort : descending ? undefined : `-${column.sort}`)}
                  >
                    {t(column.title)}
                    {column.sort === field && (descending ? <Icon name="arrow-down" size={14} /> : <Icon name="arrow-up" size={14} />)}
                  </button>
                ) : (
                  t(column.title)
                )}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((item, index) => {
            const key = keys[index]!;
            return (
              <Table.Tr
                key={key}
                className="clickable"
                onClick={(event) => {
                  if (!(event.target as Element).closest("a,button,input,label")) open(key);
                }}
              >
                {selected && (
                  <Table.Td>
                    <Checkbox
                      aria-label={t("Select {name}", { name: resource.name(item) })}
                      checked={selected.has(key)}
                      onChange={() => toggle(key)}
                    />
                  </Table.Td>
                )}
                {resource.columns.map((column, place) => (
                  <Table.Td key={column.title} {...(column.wide && { visibleFrom: "md" })} {...(place === 0 && { className: "name-cell" })}>
                    {place === 0 ? (
                      <Anchor component={Link} to={to(key) as never} underline="never" c="inherit" fw={600}>
                        {column.render(item)}
                      </Anchor>
                    ) : (
                      column.render(item)
                    )}
                  </Table.Td>
                ))}
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  );
}
