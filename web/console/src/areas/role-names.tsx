import { MultiSelect, Group as Row, TagsInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../app/api.ts";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { AddByPicker, clientPicker, isRefused, Picker, refusal } from "../kit/picker.tsx";
import type { Control } from "../kit/schema-form.tsx";

interface Role {
  readonly name: string;
}
interface Group {
  readonly path: string;
}

const namesOf = (items: readonly Role[]) => items.map(({ name }) => name);
const pathsOf = (groups: readonly Group[]) => groups.map(({ path }) => path);

/** Edits realm roles by name. */
export const RoleNames: Control = (props) => <NamesOf {...props} path="/roles" names={namesOf} />;

/** Edits client scopes by name. */
export const ScopeNames: Control = (props) => <NamesOf {...props} path="/client-scopes" names={namesOf} />;

/** Edits roles. Roles of the realm are offered; roles of clients, such as `shop/manager`, and ids are typed. */
export const AnyRoles: Control = (props) => <NamesOf {...props} path="/roles" names={namesOf} typed />;

/** Edits groups by path. Ids are typed. */
export const AnyGroups: Control = (props) => <NamesOf {...props} path="/groups" names={pathsOf} typed />;

type NamesProps<T> = Parameters<Control>[0] & {
  readonly path: string;
  /** True to accept values that the list does not offer. */
  readonly typed?: boolean;
  names(items: readonly T[]): readonly string[];
};

function NamesOf<T>({ value, label, description, error, readOnly, bare, path, typed = false, names, onChange }: NamesProps<T>) {
  const t = useText();
  const { api, realm } = useRealm();
  const found = useQuery({
    queryKey: [realm, "names", path],
    queryFn: ({ signal }) => api.list<T>(path, { query: { size: 1000 }, signal }),
  });
  const chosen = (value as string[] | undefined) ?? [];
  const offered = names(found.data?.items ?? []);
  const shared = {
    ...(bare ? { "aria-label": label } : { label }),
    description,
    value: chosen,
    onChange,
    clearable: true,
    disabled: readOnly,
    error,
  };
  if (isRefused(found.error)) return <TagsInput {...shared} description={refusal(t)} splitChars={[]} acceptValueOnBlur />;
  if (typed) return <TagsInput {...shared} data={[...new Set(offered)].sort()} splitChars={[]} acceptValueOnBlur />;
  return (
    <MultiSelect
      {...shared}
      data={[...new Set([...offered, ...chosen])].sort()}
      searchable
      nothingFoundMessage={t(found.error ? messageOf(found.error) : "Nothing matches")}
    />
  );
}

interface Application {
  readonly id: string;
  readonly clientId: string;
}
interface NamedRole {
  readonly roleId: string;
  readonly name: string;
}
interface AddRoleProps {
  readonly action: string;
  /** `clientId` names the application of the role. It is null for a role of the realm. */
  add(role: NamedRole & { readonly clientId: string | null }): Promise<unknown>;
  reload(): Promise<void>;
}

/** Gives a role of the realm or, once an application is chosen, one of the application's roles. */
export function AddRole({ action, add, reload }: AddRoleProps) {
  const { may } = useRealm();
  const [application, setApplication] = useState<Application | null>(null);
  return (
    <Row align="flex-end">
      {may("view-clients") && (
        <Picker<Application & { readonly name?: string | null }>
          label="Application, for one of its own roles"
          path="/clients"
          value={({ id }) => id}
          text={clientPicker.text}
          chosen={application?.id ?? null}
          onChoose={(_id, chosen) => setApplication(chosen ?? null)}
        />
      )}
      <AddByPicker<NamedRole>
        key={application?.id}
        label="Role"
        path={application === null ? "/roles" : `/clients/${application.id}/roles`}
        value={({ roleId }) => roleId}
        text={({ name }) => name}
        action={action}
        add={(typed, role) => add({ roleId: typed, name: typed, ...role, clientId: application?.clientId ?? null })}
        reload={reload}
      />
    </Row>
  );
}
