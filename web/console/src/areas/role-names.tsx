import { Input, MultiSelect, Pill, Group as Row, Stack, TagsInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../app/api.ts";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { AddByPicker, clientPicker, isRefused, Picker, refusal } from "../kit/picker.tsx";
import type { Control } from "../kit/schema-form.tsx";

interface Group {
  readonly path: string;
}

const namesOf = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);
const pathsOf = (groups: readonly Group[]) => groups.map(({ path }) => path);

/** Edits realm roles by name. */
export const RoleNames: Control = (props) => <NamesOf {...props} path="/roles" names={namesOf} />;

/** Edits client scopes by name. */
export const ScopeNames: Control = (props) => <NamesOf {...props} path="/client-scopes" names={namesOf} />;

/** Edits roles. Roles of the realm are offered; roles of clients, such as `shop/manager`, and ids are typed. */
export const AnyRoles: Control = (props) => <NamesOf {...props} path="/roles" names={namesOf} typed />;

/** Edits groups by path. Ids are typed. */
export const AnyGroups: Control = (props) => <NamesOf {...props} path="/groups" names={pathsOf} typed />;

/** Edits the names of records of a list, such as the scopes of an API. */
export const namesAt =
  (path: string): Control =>
  (props) => <NamesOf {...props} path={path} names={namesOf} />;

/** Returns a control for names of which some are flagged. A flagged one is stored as an object. */
export const flaggedNames =
  (Names: Control, key: "name" | "path", flag: string, title: string): Control =>
  (props) => <Flagged {...props} Names={Names} of={key} flag={flag} title={title} />;

type FlaggedProps = Parameters<Control>[0] & {
  readonly Names: Control;
  readonly of: string;
  readonly flag: string;
  readonly title: string;
};

function Flagged({ Names, of, flag, title, ...props }: FlaggedProps) {
  const t = useText();
  const stored = (props.value ?? []) as readonly (string | Readonly<Record<string, unknown>>)[];
  const nameIn = (one: (typeof stored)[number]) => (typeof one === "string" ? one : String(one[of]));
  const chosen = stored.map(nameIn);
  const flagged = stored.filter((one) => typeof one === "object" && one[flag] === true).map(nameIn);
  const change = (names: readonly string[], marked: readonly string[]) =>
    props.onChange(names.map((name) => (marked.includes(name) ? { [of]: name, [flag]: true } : name)));
  return (
    <Stack gap="sm">
      {Names({ ...props, value: chosen, onChange: (next) => change(next as string[], flagged) })}
      {chosen.length > 0 && (
        <MultiSelect
          label={t(title)}
          data={chosen}
          value={flagged}
          disabled={props.readOnly}
          clearable
          onChange={(next) => change(chosen, next)}
        />
      )}
    </Stack>
  );
}

interface ClientRole {
  readonly clientId: string;
  readonly name: string;
}

/** Edits roles of clients, each with its client. */
export const ClientRoleNames: Control = (props) => <RolesOfClients {...props} />;

function RolesOfClients({ value, label, description, error, readOnly, onChange }: Parameters<Control>[0]) {
  const t = useText();
  const chosen = (value ?? []) as readonly ClientRole[];
  const isIn = ({ clientId, name }: ClientRole) => chosen.some((one) => one.clientId === clientId && one.name === name);
  return (
    <Stack gap="xs">
      <Input.Wrapper label={label} description={description} error={error} labelElement="div">
        <Pill.Group mt={4}>
          {chosen.map((one) => (
            <Pill
              key={`${one.clientId}/${one.name}`}
              withRemoveButton={!readOnly}
              removeButtonProps={{ "aria-hidden": false, tabIndex: 0, "aria-label": `${t("Remove")}: ${one.clientId}/${one.name}` }}
              onRemove={() => onChange(chosen.filter((other) => other !== one))}
            >
              {one.clientId}/{one.name}
            </Pill>
          ))}
        </Pill.Group>
      </Input.Wrapper>
      {!readOnly && <RoleOfClient choose={(role) => isIn(role) || onChange([...chosen, role])} />}
    </Stack>
  );
}

/** The controls of the roles that a role includes. */
export const inclusion = { compositeRoles: RoleNames, compositeClientRoles: ClientRoleNames };

/** Their labels. */
export const inclusionLabels = { compositeRoles: "Roles of the realm", compositeClientRoles: "Roles of applications" };

interface Including {
  readonly compositeRoles: readonly string[];
  readonly compositeClientRoles: readonly ClientRole[];
}

/** Returns the names of the roles that a role includes, those of clients as in `shop/order`. */
export const includedBy = ({ compositeRoles, compositeClientRoles }: Including): string[] => [
  ...compositeRoles,
  ...compositeClientRoles.map(({ clientId, name }) => `${clientId}/${name}`),
];

/** Finds a role of a client: first the client, then the role. */
function RoleOfClient({ choose }: { choose(role: ClientRole): void }) {
  const { may } = useRealm();
  const [application, setApplication] = useState<Application | null>(null);
  if (!may("view-clients")) return null;
  return (
    <Row align="flex-end">
      <ApplicationPicker label="Application" chosen={application} choose={setApplication} />
      {application && (
        <Picker<NamedRole>
          key={application.id}
          label="Role"
          path={`/clients/${application.id}/roles`}
          value={({ name }) => name}
          text={({ name }) => name}
          chosen={null}
          onChoose={(name) => name !== null && choose({ clientId: application.clientId, name })}
        />
      )}
    </Row>
  );
}

interface ApplicationPickerProps {
  readonly label: string;
  readonly chosen: Application | null;
  choose(application: Application | null): void;
}

const ApplicationPicker = ({ label, chosen, choose }: ApplicationPickerProps) => (
  <Picker<Application & { readonly name?: string | null }>
    label={label}
    path="/clients"
    value={({ id }) => id}
    text={clientPicker.text}
    chosen={chosen?.id ?? null}
    onChoose={(_id, application) => choose(application ?? null)}
  />
);

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
        <ApplicationPicker label="Application, for one of its own roles" chosen={application} choose={setApplication} />
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
