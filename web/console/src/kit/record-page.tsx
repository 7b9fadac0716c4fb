import { ApiProblem } from "@gatehouse/api";
import { Button, Code, CopyButton, Group, Menu, Stack, Tabs, Text, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useNamed } from "../app/record-name.ts";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { Activity } from "./activity.tsx";
import { confirmed } from "./confirm.tsx";
import { CopyAsCurl } from "./curl.tsx";
import { EditForm } from "./edit-form.tsx";
import { Icon } from "./icon.tsx";
import { failed, succeeded } from "./notify.ts";
import type { Action, Resource } from "./resource.ts";
import { Failure, Rows } from "./states.tsx";

export interface RecordPageProps<T> {
  // biome-ignore lint/suspicious/noExplicitAny: create and edit forms differ by area
  readonly resource: Resource<T, any, any>;
  readonly area: string;
  readonly id: string;
  readonly tab: string | undefined;
  setTab(tab: string): void;
  /** True to show it in a drawer over the list. */
  readonly drawer?: boolean;
  /** Called after the record was deleted, to leave the page. */
  onDeleted?(): void;
}

/** Brings the chosen tab into view, because a phone has no room for all of them. */
function showChosen(row: HTMLElement | null): void {
  row?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** Shows one record: its form, its tabs, its actions, its activity. */
export function RecordPage<T>({ resource, area, id, tab, setTab, drawer = false, onDeleted }: RecordPageProps<T>) {
  const t = useText();
  const session = useRealm();
  const { api, realm, may } = session;
  const client = useQueryClient();
  const navigate = useNavigate();
  const path = `${resource.path}/${encodeURIComponent(id)}`;
  const record = useQuery({
    queryKey: [realm, "record", path],
    queryFn: async ({ signal }) => {
      if (!resource.listOnly) return api.get<T>(path, { signal });
      const { items } = await api.list<T>(resource.path, { query: { size: 1000 }, signal });
      const data = items.find((item) => resource.key(item) === id);
      if (data === undefined) throw new ApiProblem({ status: 404, title: "There is nothing at this address" });
      return { data, etag: null };
    },
  });
  useNamed(record.data && !drawer ? resource.name(record.data.data) : null);
  if (record.isPending) return <Rows />;
  const leave = () => (onDeleted ? onDeleted() : void navigate({ to: `/realms/${realm}/${area}` as never, ignoreBlocker: true }));
  if (record.isLoadingError)
    return <Failure error={record.error} retry={() => record.refetch()} instead={{ title: "Back to the list", run: leave }} />;
  const { data: item, etag } = record.data;
  const manage = may(...resource.permission.manage);
  const reload = () => client.invalidateQueries({ queryKey: [realm] });
  const deletable = manage && (typeof resource.canDelete === "function" ? resource.canDelete(item) : resource.canDelete);

  const remove = async () => {
    const name = resource.name(item);
    const question = {
      title: t(`Delete ${resource.singular}`),
      text: t("{name} is deleted. This cannot be undone.", { name }),
      action: t("Delete"),
      danger: true,
    };
    if (!(await confirmed({ ...question, typed: name }))) return;
    try {
      await api.send("DELETE", path, { ifMatch: etag });
      leave();
      succeeded(t("{name} was deleted", { name }));
      await client.invalidateQueries({ queryKey: [realm, "list"] });
    } catch (error) {
      failed(error);
    }
  };
  const act = async (action: Action<T>) => {
    const question = action.confirm?.(item, t);
    if (question && !(await confirmed({ title: t(action.title), action: t(action.title), danger: action.danger ?? false, ...question })))
      return;
    try {
      const message = await action.run(session, item, path);
      succeeded(message ?? t("Done"));
      await reload();
    } catch (error) {
      failed(error);
    }
  };
  const actions = (resource.actions ?? []).filter(
    ({ permission, when }) => (permission ? may(...permission) : manage) && (when?.(item, session) ?? true),
  );
  const tabs = (resource.tabs ?? []).filter(({ permission, when }) => (permission ? may(...permission) : true) && (when?.(item) ?? true));
  const hasActivity = resource.activity !== false && may("view-events");
  const first = resource.edit ? "settings" : (tabs[0]?.id ?? "activity");
  const known = [resource.edit && "settings", ...tabs.map((one) => one.id), hasActivity && "activity"];
  const current = tab !== undefined && known.includes(tab) ? tab : first;
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <div className="page-head">
          <Title order={drawer ? 3 : 1} size="h2">
            {resource.name(item)}
          </Title>
          <Group gap={6}>
            <Text size="sm" c="dimmed">
              {t(resource.singular)}
            </Text>
            <CopyButton value={id}>
              {({ copied, copy }) => (
                <button type="button" className="id-button" onClick={copy}>
                  <span className="visually-hidden">{t("Copy the ID")}</span>
                  <Code>{id}</Code>
                  {copied ? <Text size="xs">{t("Copied")}</Text> : <Icon name="copy" size={14} />}
                </button>
              )}
            </CopyButton>
          </Group>
        </div>
        <Group gap="xs">
          {drawer && (
            <Button component={Link} variant="default" to={`/realms/${realm}/${area}/${encodeURIComponent(id)}` as never}>
              {t("Open the page")}
            </Button>
          )}
          <CopyAsCurl path={api.url(resource.listOnly ? resource.path : path)} />
          {(actions.length > 0 || deletable) && (
            <Menu position="bottom-end">
              <Menu.Target>
                <Button variant="default" rightSection={<Icon name="chevron-down" />}>
                  {t("Actions")}
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                {actions.map((action) => (
                  <Menu.Item key={action.title} onClick={() => void act(action)} {...(action.danger && { color: "red" })}>
                    {t(action.title)}
                  </Menu.Item>
                ))}
                {deletable && (
                  <Menu.Item color="red" onClick={() => void remove()}>
                    {t("Delete")}
                  </Menu.Item>
                )}
              </Menu.Dropdown>
            </Menu>
          )}
        </Group>
      </Group>
      <Tabs value={current} onChange={(next) => next && setTab(next)} keepMounted={false}>
        <Tabs.List className="tab-row" ref={showChosen}>
          {resource.edit && <Tabs.Tab value="settings">{t("Settings")}</Tabs.Tab>}
          {tabs.map(({ id: value, title }) => (
            <Tabs.Tab key={value} value={value}>
              {t(title)}
            </Tabs.Tab>
          ))}
          {hasActivity && <Tabs.Tab value="activity">{t("Activity")}</Tabs.Tab>}
        </Tabs.List>
        {resource.edit && (
          <Tabs.Panel value="settings" pt="md">
            <EditForm
              form={resource.edit}
              value={item as Record<string, unknown>}
              etag={etag}
              path={path}
              readOnly={!manage}
              before={resource.Before && <resource.Before item={item} />}
              onSaved={() => void reload()}
            />
          </Tabs.Panel>
        )}
        {tabs.map(({ id: value, Component }) => (
          <Tabs.Panel key={value} value={value} pt="md">
            <Component item={item} path={path} session={session} reload={reload} />
          </Tabs.Panel>
        ))}
        {hasActivity && (
          <Tabs.Panel value="activity" pt="md">
            <Activity resourceType={resource.activity || resource.path.slice(1)} resourceId={id} />
          </Tabs.Panel>
        )}
      </Tabs>
    </Stack>
  );
}
