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
  /** `item` is the chosen record. */
  onChoose(value: string | null, item?: T): void;
}

/** Tells whether the caller may not see the list, so that the value has to be typed. */
export const isRefused = (error: unknown): boolean => error instanceof ApiProblem && error.status === 403;
export const refusal = (t: Translate) => t("You may not list these. Type the ID, or the name if names are stored.");

/** Returns the records of a list that match the typed text, and the properties of an input that searches them on the server. */
function useSearch<T>(path: string, shown: string | null = null) {
  const t = useText();
  const { api, realm } = useRealm();
  const [typed, setTyped] = useState("");
  // The field holds the name of the chosen record until another is typed. All of them are offered then.
  const [search] = useDebouncedValue(typed === shown ? "" : typed, 200);
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

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns the records with these ids, as far as they are read. A value that is no id is a name already. */
function useChosen<T>(path: string, values: readonly string[], refused = false): readonly T[] {
  const { api, realm } = useRealm();
  const records = useQueries({
    queries: (refused ? [] : values.filter((value) => ID.test(value))).map((id) => ({
      queryKey: [realm, "named", path, id],
      queryFn: async () => (await api.get<T>(`${path.split("?")[0]}/${id}`)).data,
      retry: false,
    })),
  });
  return records.flatMap(({ data }) => (data === undefined ? [] : [data]));
}

/** Chooses one record of a list by searching for it. The chosen one is shown by name. */
export function Picker<T>({ label, path, value, text, chosen, required = false, disabled = false, error, onChoose }: PickerProps<T>) {
  const t = useText();
  const [picked, setPicked] = useState<T>();
  const isPicked = picked !== undefined && value(picked) === chosen;
  const [named] = useChosen<T>(path, chosen === null || isPicked ? [] : [chosen]);
  const item = isPicked ? picked : named;
  const { found, searching, refused } = useSearch<T>(path, item === undefined ? chosen : text(item));
  const shared = { label: t(label), required, disabled, error };
  if (refused) {
    const typed = (next: string) => onChoose(next === "" ? null : next);
    return <TextInput {...shared} description={refusal(t)} value={chosen ?? ""} onChange={(event) => typed(event.currentTarget.value)} />;
  }
  const choose = (next: string | null) => {
    const one = found.find((each) => value(each) === next);
    setPicked(() => one);
    onChoose(next, one);
  };
  const labels = labelsOf(chosen === null ? [] : [chosen], item === undefined ? found : [item, ...found], value, text);
  return <Select {...shared} data={labels} value={chosen} onChange={choose} {...searching} clearable filter={({ options }) => options} />;
}

/** Returns what a picker offers. A chosen value whose record is not known is its own label. */
function labelsOf<T>(chosen: readonly string[], items: readonly T[], value: (item: T) => string, text: (item: T) => string) {
  const labels = new Map(chosen.map((one) => [one, one]));
  for (const item of items) labels.set(value(item), text(item));
  return [...labels].map(([one, label]) => ({ value: one, label }));
}

interface ManyPickerProps<T> extends Omit<PickerProps<T>, "chosen" | "required" | "onChoose"> {
  readonly description?: string;
  readonly chosen: readonly string[];
  onChoose(values: readonly string[]): void;
}

/** Chooses several records of a list by searching. The chosen ones are shown by name. */
export function ManyPicker<T>({ label, description, path, value, text, chosen, error, disabled = false, onChoose }: ManyPickerProps<T>) {
  const t = useText();
  const { found, searching, refused } = useSearch<T>(path);
  const named = useChosen<T>(path, chosen, refused);
  const shared = { label: t(label), value: [...chosen], disabled, error };
  if (refused) return <TagsInput {...shared} description={refusal(t)} onChange={onChoose} splitChars={[]} acceptValueOnBlur />;
  return (
    <MultiSelect
      {...shared}
      {...(description !== undefined && { description: t(description) })}
      data={labelsOf(chosen, [...named, ...found], value, text)}
      onChange={onChoose}
      {...searching}
    />
  );
}

export interface AddByPickerProps<T> extends Omit<PickerProps<T>, "chosen" | "onChoose"> {
  readonly action: string;
  add(value: string, item: T | undefined): Promise<unknown>;
  reload(): Promise<void>;
}

/** A picker with a button that adds the chosen record. */
export function AddByPicker<T>({ action, add, reload, ...picker }: AddByPickerProps<T>) {
  const t = useText();
  const [{ chosen, item }, setChosen] = useState<{ readonly chosen: string | null; readonly item?: T | undefined }>({ chosen: null });
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    if (chosen === null) return;
    setBusy(true);
    try {
      await add(chosen, item);
      succeeded(t("Done"));
      setChosen({ chosen: null });
      await reload();
    } catch (error) {
      failed(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Group align="flex-end">
      <Picker {...picker} chosen={chosen} onChoose={(next, one) => setChosen({ chosen: next, item: one })} />
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

/** A client that can prove that it is itself, and so can act in its own name. */
export const confidentialClientPicker = { ...clientPicker, path: "/clients?publicClient=false" };

type RoleItem = { readonly roleId: string; readonly name: string };
export const rolePicker = { label: "Role", path: "/roles", value: ({ roleId }: RoleItem) => roleId, text: ({ name }: RoleItem) => name };
export const roleNamePicker = { label: "Role", path: "/roles", value: ({ name }: RoleItem) => name, text: ({ name }: RoleItem) => name };

type GroupItem = { readonly groupId: string; readonly path: string };
export const groupPicker = {
  label: "Group",
  path: "/groups",
  value: ({ groupId }: GroupItem) => groupId,
  text: ({ path }: GroupItem) => path,
};

type ProviderItem = { readonly alias: string; readonly displayName: string | null };
export const identityProviderPicker = {
  label: "Identity provider",
  path: "/identity-providers",
  value: ({ alias }: ProviderItem) => alias,
  text: ({ displayName, alias }: ProviderItem) => displayName ?? alias,
};

type OrganizationItem = { readonly organizationId: string; readonly name: string };
export const organizationPicker = {
  label: "Organization",
  path: "/organizations",
  value: ({ organizationId }: OrganizationItem) => organizationId,
  text: ({ name }: OrganizationItem) => name,
};
