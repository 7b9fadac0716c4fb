import { ApiProblem, type components } from "@gatehouse/api";
import { ActionIcon, Anchor, Button, Drawer, Group, Stack, Table, Text, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { serverApi } from "../app/api.ts";
import { useText } from "../i18n/index.ts";
import { confirmed, discards } from "../kit/confirm.tsx";
import { Icon } from "../kit/icon.tsx";
import { failed, succeeded } from "../kit/notify.ts";
import { useOnce } from "../kit/once.ts";
import { PageHead } from "../kit/page-head.tsx";
import { Pages } from "../kit/pages.tsx";
import { Secret } from "../kit/secret.tsx";
import { Empty, Failure, Rows, WriteError } from "../kit/states.tsx";
import { useLeaveGuard } from "../kit/unsaved.tsx";
import { When } from "../kit/when.tsx";

type Schemas = components["schemas"];

const SIZE = 50;

/** Shows every realm of the server, to administrators of master. */
export function Realms() {
  const t = useText();
  const navigate = useNavigate();
  // The state of the list is in the address.
  const { search = "", page: shown = "0" } = useSearch({ strict: false }) as { search?: string; page?: string };
  const page = Number(shown);
  const show = (next: { search?: string; page?: string }) => void navigate({ to: ".", search: next as never, replace: true });
  const typed = useDebouncedCallback((text: string) => show({ search: text }), 250);
  const [creating, setCreating] = useState(false);
  const client = useQueryClient();
  const realms = useQuery({
    queryKey: ["realms", "list", search, page],
    queryFn: ({ signal }) => serverApi.list<Schemas["Realm"]>("/admin/realms", { query: { search, page, size: SIZE }, signal }),
    placeholderData: keepPreviousData,
  });
  const remove = async (realmId: string) => {
    const question = {
      title: t("Delete realm"),
      text: t(
        "{name} is deleted with all its users, applications, keys and events. Its addresses stop working at once. This cannot be undone.",
        {
          name: realmId,
        },
      ),
      action: t("Delete"),
      danger: true,
    };
    if (!(await confirmed({ ...question, typed: realmId }))) return;
    try {
      await serverApi.send("DELETE", `/admin/realms/${realmId}`);
      succeeded(t("{name} was deleted", { name: realmId }));
      await client.invalidateQueries({ queryKey: ["realms"] });
    } catch (error) {
      failed(error);
    }
  };
  return (
    <Stack>
      <PageHead
        title="Realms"
        description="Each has its own users, applications, keys and sign-in pages."
        call={{ path: `/admin/realms?${new URLSearchParams({ page: String(page), size: String(SIZE), ...(search && { search }) })}` }}
      >
        <Button leftSection={<Icon name="plus" />} onClick={() => setCreating(true)}>
          {t("Create realm")}
        </Button>
      </PageHead>
      <TextInput
        leftSection={<Icon name="search" />}
        aria-label={t("Search realms")}
        placeholder={t("Search realms")}
        defaultValue={search}
        onChange={(event) => typed(event.currentTarget.value)}
        w={320}
      />
      {realms.isPending ? (
        <Rows />
      ) : realms.isLoadingError ? (
        <Failure error={realms.error} retry={() => realms.refetch()} />
      ) : (
        <>
          <div className="listing">
            <Table highlightOnHover verticalSpacing="sm" className="records">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t("Realm")}</Table.Th>
                  <Table.Th>{t("Display name")}</Table.Th>
                  <Table.Th>{t("Created")}</Table.Th>
                  <Table.Th w={1}>
                    <span className="visually-hidden">{t("Actions")}</span>
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {realms.data.items.map(({ realmId, displayName, createdAt }) => (
                  <Table.Tr
                    key={realmId}
                    className="clickable"
                    onClick={(event) => {
                      if (!(event.target as Element).closest("a, button")) void navigate({ to: `/realms/${realmId}/overview` as never });
                    }}
                  >
                    <Table.Td>
                      <Anchor component={Link} to={`/realms/${realmId}/overview` as never} underline="never" c="inherit" fw={600}>
                        {realmId}
                      </Anchor>
                    </Table.Td>
                    <Table.Td>{displayName ?? "–"}</Table.Td>
                    <Table.Td>
                      <When time={createdAt} />
                    </Table.Td>
                    <Table.Td>
                      {realmId !== "master" && (
                        <ActionIcon
                          variant="subtle"
                          color="red"
                          aria-label={`${t("Delete realm")}: ${realmId}`}
                          onClick={() => void remove(realmId)}
                        >
                          <Icon name="trash" />
                        </ActionIcon>
                      )}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </div>
          {realms.data.items.length === 0 && <Empty title={t("Nothing matches")} />}
          {realms.data.total > SIZE && (
            <Group justify="space-between">
              <Text size="sm" c="dimmed">
                {t(realms.data.estimated ? "About {total}" : "{total} in all", { total: realms.data.total.toLocaleString() })}
              </Text>
              <Pages
                page={page}
                size={SIZE}
                total={realms.data.total}
                onChange={(next) => show({ search, page: next === 0 ? "" : String(next) })}
              />
            </Group>
          )}
        </>
      )}
      <CreateRealm opened={creating} close={() => setCreating(false)} />
    </Stack>
  );
}

function CreateRealm({ opened, close }: { opened: boolean; close(): void }) {
  const t = useText();
  const client = useQueryClient();
  const [realm, setRealm] = useState("");
  const [displayName, setDisplayName] = useState("");
  const [error, setError] = useState<unknown>(null);
  const [created, setCreated] = useState<Schemas["CreatedRealm"] | null>(null);
  const { busy, once } = useOnce();
  const fieldError = (field: string) => (error instanceof ApiProblem ? error.fieldError(field) : undefined);
  const dirty = opened && created === null && (realm !== "" || displayName !== "");
  useLeaveGuard(dirty);
  const leave = async () => {
    if (dirty && !(await discards(t))) return;
    close();
    setRealm("");
    setDisplayName("");
    setError(null);
    setCreated(null);
  };
  const create = async () => {
    setError(null);
    try {
      const { data } = await serverApi.send<Schemas["CreatedRealm"]>("POST", "/admin/realms", {
        body: { realm, ...(displayName && { displayName }) },
      });
      setCreated(data);
      await client.invalidateQueries({ queryKey: ["realms"] });
    } catch (reason) {
      setError(reason);
    }
  };
  return (
    <Drawer
      opened={opened}
      onClose={() => void leave()}
      // The password is shown once, and must not go by a click beside it, nor by Escape.
      closeOnClickOutside={created === null}
      closeOnEscape={created === null}
      title={t("Create realm")}
      position="right"
    >
      {created ? (
        <Stack>
          {created.adminPassword && <Secret title="Password of the user admin" value={created.adminPassword} />}
          <Button component={Link} to={`/realms/${created.realmId}/overview` as never}>
            {t("Open the realm")}
          </Button>
        </Stack>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void once(create);
          }}
        >
          <Stack>
            <WriteError error={error} />
            <TextInput
              label={t("Name")}
              description={t("Lower-case letters, digits and hyphens. It is part of every address and cannot be changed.")}
              value={realm}
              onChange={(event) => setRealm(event.currentTarget.value)}
              error={fieldError("realm")}
              required
              data-autofocus
            />
            <TextInput
              label={t("Display name")}
              value={displayName}
              onChange={(event) => setDisplayName(event.currentTarget.value)}
              error={fieldError("displayName")}
            />
            <Text size="sm" c="dimmed">
              {t("The realm gets a user admin with a generated password.")}
            </Text>
            <Group justify="flex-end">
              <Button variant="default" onClick={() => void leave()}>
                {t("Cancel")}
              </Button>
              <Button type="submit" loading={busy}>
                {t("Create")}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Drawer>
  );
}
