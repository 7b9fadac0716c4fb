import { ApiProblem } from "@gatehouse/api";
import { Button, Group, MultiSelect, Select, TagsInput, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../app/api.ts";
import { useRealm } from "../app/session.tsx";
import { type Translate, useText } from "../i18n/index.ts";
import { failed, succeeded } from "./notify.ts";

export interface PickerProps<T> {
  readonly label: string;
  /** The path of the list below the realm, which the server searches. */
  readonly path: string;
  value(item: T): string;
  text(item: T): string;
  readonly chosen: string | null;
  readonly required?: boolean;
  readonly disabled?: boolean;
  readonly error?: string | undefined;
  onChoose(value: string | null): void;
}

/** Tells whether the caller may not see the list, so that the value has to be typed. */
export const isRefused = (error: unknown): boolean => error instanceof ApiProblem && error.status === 403;
export const refusal = (t: Translate) => t("You may not list these. Type the ID, or the name if names are stored.");

/** Returns the records of a list that match the typed text, and the properties of an input that searches them on the server. */
function useSearch<T>(path: string) {
  const t = useText();
  const { api, realm } = useRealm();
  const [typed, setTyped] = useState("");
  const [search] = useDebouncedValue(typed, 200);
  const { data, error, isFetching } = useQuery({
    queryKey: [realm, "pick", path, search],
    queryFn: ({ signal }) => api.list<T>(path, { query: { search, size: 20 }, signal }),
  });
  const searching = {
    placeholder: t("Type to search"),
    onSearchChange: setTyped,
    searchable: true,
    nothingFoundMessage: isFetching ? t("Searching …") : error ? t(messageOf(error)) : t("Nothing matches"),
  };
  return { found: data?.items ?? [], searching, refused: isRefused(error) };
}

/** Chooses one record of a list by searching for it. */
export function Picker<T>({ label, path, value, text, chosen, required = false, disabled = false, error, onChoose }: PickerProps<T>) {
  const t = useText();
  const { found, searching, refused } = useSearch<T>(path);
  const shared = { label: t(label), required, disabled, error };
  if (refused) {
    const typed = (next: string) => onChoose(next === "" ? null : next);
    return <TextInput {...shared} description={refusal(t)} value={chosen ?? ""} onChange={(event) => typed(event.currentTarget.value)} />;
  }
  const data = found.map((item) => ({ value: value(item), label: text(item) }));
  const known = chosen === null || data.some((one) => one.value === chosen) ? data : [{ value: chosen, label: chosen }, ...data];
  return <Select {...shared} data={known} value={chosen} onChange={onChoose} {...searching} clearable filter={({ options }) => options} />;
}

interface ManyPickerProps<T> extends Omit<PickerProps<T>, "chosen" | "required" | "onChoose"> {
  readonly description?: string;
  readonly chosen: readonly string[];
  onChoose(values: readonly string[]): void;
}

/** Chooses several records of a list by searching. The chosen ones are shown by name. */
export function ManyPicker<T>({ label, description, path, value, text, chosen, error, disabled = false, onChoose }: ManyPickerProps<T>) {
  const t = useText();
  const { api, realm } = useRealm();
  const { found, searching, refused } = useSearch<T>(path);
  const named = useQueries({
    queries: (refused ? [] : chosen).map((id) => ({
      queryKey: [realm, "named", path, id],
      queryFn: async () => (await api.get<T>(`${path}/${encodeURIComponent(id)}`)).data,
      retry: false,
    })),
  });
  const shared = { label: t(label), value: [...chosen], disabled, error };
  if (refused) return <TagsInput {...shared} description={refusal(t)} onChange={onChoose} splitChars={[]} acceptValueOnBlur />;
  const labels = new Map(chosen.map((id) => [id, id]));
  for (const item of [...named.flatMap(({ data }) => (data === undefined ? [] : [data])), ...found]) labels.set(value(item), text(item));
  return (
    <MultiSelect
      {...shared}
      {...(description !== undefined && { description: t(description) })}
      data={[...labels].map(([id, name]) => ({ value: id, label: name }))}
      onChange={onChoose}
      {...searching}
    />
  );
}

export interface AddByPickerProps<T> extends Omit<PickerProps<T>, "chosen" | "onChoose"> {
  readonly action: string;
  add(value: string): Promise<unknown>;
  reload(): Promise<void>;
}

/** A picker with a button that adds the chosen record. */
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
