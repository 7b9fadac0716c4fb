import { Button, Group, MultiSelect, Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { failed, succeeded } from "./notify.ts";

export interface PickerProps<T> {
  readonly label: string;
  /** The list that the server searches, below the realm. */
  readonly path: string;
  value(item: T): string;
  text(item: T): string;
  readonly chosen: string | null;
  readonly required?: boolean;
  readonly error?: string | undefined;
  onChoose(value: string | null): void;
}

/** The records of a list that match the typed text, and the properties of an input that searches them on the server. */
function useSearch<T>(path: string) {
  const t = useText();
  const { api, realm } = useRealm();
  const [typed, setTyped] = useState("");
  const [search] = useDebouncedValue(typed, 200);
  const { data, isFetching } = useQuery({
    queryKey: [realm, "pick", path, search],
    queryFn: ({ signal }) => api.list<T>(path, { query: { search, size: 20 }, signal }),
  });
  const searching = {
    placeholder: t("Type to search"),
    onSearchChange: setTyped,
    searchable: true,
    nothingFoundMessage: isFetching ? t("Searching …") : t("Nothing matches"),
  };
  return { found: data?.items ?? [], searching };
}

/** Chooses one record of a list by searching for it. */
export function Picker<T>({ label, path, value, text, chosen, required, error, onChoose }: PickerProps<T>) {
  const t = useText();
  const { found, searching } = useSearch<T>(path);
  const data = found.map((item) => ({ value: value(item), label: text(item) }));
  const known = chosen === null || data.some((one) => one.value === chosen) ? data : [{ value: chosen, label: chosen }, ...data];
  return (
    <Select
      label={t(label)}
      data={known}
      value={chosen}
      onChange={onChoose}
      {...searching}
      clearable
      required={required ?? false}
      error={error}
      filter={({ options }) => options}
    />
  );
}

interface ManyPickerProps<T> extends Omit<PickerProps<T>, "chosen" | "required" | "onChoose"> {
  readonly description?: string;
  readonly chosen: readonly string[];
  readonly disabled?: boolean;
  onChoose(values: readonly string[]): void;
}

/** Chooses several records of a list by searching; those that are chosen are shown by name. */
export function ManyPicker<T>({ label, description, path, value, text, chosen, error, disabled, onChoose }: ManyPickerProps<T>) {
  const t = useText();
  const { api, realm } = useRealm();
  const { found, searching } = useSearch<T>(path);
  const named = useQueries({
    queries: chosen.map((id) => ({
      queryKey: [realm, "named", path, id],
      queryFn: async () => (await api.get<T>(`${path}/${encodeURIComponent(id)}`)).data,
      retry: false,
    })),
  });
  const labels = new Map(chosen.map((id) => [id, id]));
  for (const item of [...named.flatMap(({ data }) => (data === undefined ? [] : [data])), ...found]) labels.set(value(item), text(item));
  return (
    <MultiSelect
      label={t(label)}
      {...(description !== undefined && { description: t(description) })}
      data={[...labels].map(([id, name]) => ({ value: id, label: name }))}
      value={[...chosen]}
      onChange={onChoose}
      {...searching}
      disabled={disabled ?? false}
      error={error}
    />
  );
}

export interface AddByPickerProps<T> extends Omit<PickerProps<T>, "chosen" | "onChoose"> {
  readonly action: string;
  add(value: string): Promise<unknown>;
  reload(): Promise<void>;
}

/** A picker with a button that adds what was chosen. */
export function AddByPicker<T>({ action, add, reload, ...picker }: AddByPickerProps<T>) {
  const t = useText();
  const [chosen, setChosen] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    if (chosen === null) return;
    setBusy(true);
    try {
      await add(chosen);
      succeeded(t("Done"));
      setChosen(null);
      await reload();
    } catch (error) {
      failed(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Group align="flex-end">
      <Picker {...picker} chosen={chosen} onChoose={setChosen} />
      <Button onClick={() => void submit()} disabled={chosen === null} loading={busy}>
        {t(action)}
      </Button>
    </Group>
  );
}

type UserItem = { readonly userId: string; readonly username: string; readonly email: string | null };
export const userPicker = {
  label: "User",
  path: "/users",
  value: ({ userId }: UserItem) => userId,
  text: ({ username, email }: UserItem) => (email ? `${username} · ${email}` : username),
};

type ClientItem = { readonly clientId: string; readonly name?: string | null };
export const clientPicker = {
  label: "Application",
  path: "/clients",
  value: ({ clientId }: ClientItem) => clientId,
  text: ({ name, clientId }: ClientItem) => (name ? `${name} · ${clientId}` : clientId),
};

type RoleItem = { readonly roleId: string; readonly name: string };
export const rolePicker = { label: "Role", path: "/roles", value: ({ roleId }: RoleItem) => roleId, text: ({ name }: RoleItem) => name };
export const roleNamePicker = { label: "Role", path: "/roles", value: ({ name }: RoleItem) => name, text: ({ name }: RoleItem) => name };

type GroupItem = { readonly groupId: string; readonly name: string };
export const groupPicker = {
  label: "Group",
  path: "/groups",
  value: ({ groupId }: GroupItem) => groupId,
  text: ({ name }: GroupItem) => name,
};

type OrganizationItem = { readonly organizationId: string; readonly name: string };
export const organizationPicker = {
  label: "Organization",
  path: "/organizations",
  value: ({ organizationId }: OrganizationItem) => organizationId,
  text: ({ name }: OrganizationItem) => name,
};
