import { MultiSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import type { Control } from "../kit/schema-form.tsx";

/** Realm roles by name. */
export const RoleNames: Control = (props) => (
  <NamesOf {...props} path="/roles" label="Roles" name={(role: { name: string }) => role.name} />
);

/** Client scopes by name. */
export const ScopeNames: Control = (props) => (
  <NamesOf {...props} path="/client-scopes" label="Scopes" name={(scope: { name: string }) => scope.name} />
);

interface NamesProps<T> {
  readonly value: unknown;
  readonly error: string | undefined;
  readonly readOnly: boolean;
  readonly path: string;
  readonly label: string;
  name(item: T): string;
  onChange(value: unknown): void;
}

function NamesOf<T>({ value, error, readOnly, path, label, name, onChange }: NamesProps<T>) {
  const t = useText();
  const { api, realm } = useRealm();
  const found = useQuery({
    queryKey: [realm, "names", path],
    queryFn: ({ signal }) => api.list<T>(path, { query: { size: 1000 }, signal }),
  });
  const chosen = (value as string[] | undefined) ?? [];
  const data = [...new Set([...(found.data?.items.map(name) ?? []), ...chosen])].sort();
  return (
    <MultiSelect label={t(label)} data={data} value={chosen} onChange={onChange} searchable clearable disabled={readOnly} error={error} />
  );
}
