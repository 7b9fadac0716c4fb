import { MultiSelect, TagsInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { messageOf } from "../app/api.ts";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { isRefused, refusal } from "../kit/picker.tsx";
import type { Control } from "../kit/schema-form.tsx";

interface Role {
  readonly name: string;
}
interface Group {
  readonly groupId: string;
  readonly name: string;
  readonly parentId: string | null;
}

const namesOf = (items: readonly Role[]) => items.map(({ name }) => name);

/** Edits realm roles by name. */
export const RoleNames: Control = (props) => <NamesOf {...props} path="/roles" names={namesOf} />;

/** Edits client scopes by name. */
export const ScopeNames: Control = (props) => <NamesOf {...props} path="/client-scopes" names={namesOf} />;

/** Edits roles. Roles of the realm are offered; roles of clients, such as `shop/manager`, and ids are typed. */
export const AnyRoles: Control = (props) => <NamesOf {...props} path="/roles" names={namesOf} typed />;

/** Edits groups by path. Ids are typed. */
export const AnyGroups: Control = (props) => <NamesOf {...props} path="/groups" names={pathsOf} typed />;

/**
 * Returns the paths of groups. A group has none here if one above it was not listed, or if a name contains a slash or tilde, which only the server can spell in
 * a path. Such a path has to be typed.
 */
function pathsOf(groups: readonly Group[]): readonly string[] {
  const known = new Map(groups.map((group) => [group.groupId, group]));
  const pathOf = ({ name, parentId }: Group): string | null => {
    if (/[/~]/.test(name)) return null;
    if (parentId === null) return `/${name}`;
    const parent = known.get(parentId);
    const above = parent ? pathOf(parent) : null;
    return above === null ? null : `${above}/${name}`;
  };
  return groups.flatMap((group) => pathOf(group) ?? []);
}

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
