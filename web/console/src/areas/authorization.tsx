import permissionSchema from "virtual:schema/CreateAuthzPermission";
import policySchema from "virtual:schema/CreateAuthzPolicy";
import resourceSchema from "virtual:schema/CreateAuthzResource";
import scopeSchema from "virtual:schema/CreateAuthzScope";
import settingsSchema from "virtual:schema/UpdateAuthzSettings";
import type { components } from "@gatehouse/api";
import { Badge, Group, SegmentedControl, Stack, TagsInput, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useText } from "../i18n/index.ts";
import { EditForm } from "../kit/edit-form.tsx";
import { manyPicked } from "../kit/picked.tsx";
import { clientPicker, userPicker } from "../kit/picker.tsx";
import type { FormSpec, TabProps } from "../kit/resource.ts";
import type { Draft } from "../kit/schema.ts";
import type { Control } from "../kit/schema-form.tsx";
import { Failure, Rows } from "../kit/states.tsx";
import { SubList } from "../kit/sub-list.tsx";
import { Word } from "../kit/word.tsx";
import { Evaluate } from "./authorization.evaluate.tsx";
import { ownZone, TIME, TimeFields } from "./policy-time.tsx";
import { AnyGroups, AnyRoles, flaggedNames, namesAt, ScopeNames } from "./role-names.tsx";

type Schemas = components["schemas"];
type Props = TabProps<Schemas["Client"]>;

const MANAGE = ["manage-clients", "manage-authorization"] as const;

/** The resources that a client protects, the policies that decide, and the reasons of a decision. */
export function Authorization(props: Props) {
  const { path, session, reload } = props;
  const t = useText();
  const target = `${path}/authz/settings`;
  const [part, setPart] = useState("resources");
  const settings = useQuery({
    queryKey: [session.realm, "record", target],
    queryFn: ({ signal }) => session.api.get<Schemas["AuthzSettings"]>(target, { signal }),
  });
  if (settings.isLoadingError) return <Failure error={settings.error} retry={() => settings.refetch()} />;
  if (settings.isPending) return <Rows count={3} />;
  const { data, etag } = settings.data;
  const parts = [
    { value: "resources", label: t("Resources") },
    { value: "scopes", label: t("Scopes") },
    { value: "policies", label: t("Policies") },
    { value: "permissions", label: t("Permissions") },
    ...(session.may("view-users") ? [{ value: "evaluate", label: t("Evaluate") }] : []),
    { value: "settings", label: t("Settings") },
  ];
  const Part = { resources: Resources, scopes: Scopes, policies: Policies, permissions: Permissions, evaluate: Evaluate }[part];
  if (!data.enabled || !Part)
    return (
      <Stack>
        {data.enabled && <Choice parts={parts} part={part} setPart={setPart} />}
        <Text size="sm">{t("With authorization services the application asks this server what a user may do with its resources.")}</Text>
        <EditForm
          form={{
            schema: settingsSchema,
            sections: [{ fields: ["enabled", "policyEnforcementMode", "decisionStrategy", "delegation"] }],
            hidden: ["realmId", "clientId"],
            only: true,
          }}
          value={data}
          etag={etag}
          path={target}
          readOnly={!session.may(...MANAGE)}
          onSaved={() => void reload()}
        />
      </Stack>
    );
  return (
    <Stack>
      <Choice parts={parts} part={part} setPart={setPart} />
      <Part {...props} />
    </Stack>
  );
}

interface ChoiceProps {
  readonly parts: { value: string; label: string }[];
  readonly part: string;
  setPart(part: string): void;
}

const Choice = ({ parts, part, setPart }: ChoiceProps) => (
  // A phone has no room for all of them.
  <div className="table-scroll">
    <SegmentedControl data={parts} value={part} onChange={setPart} className="as-wide" />
  </div>
);

const Names = ({ names }: { names: readonly string[] }) => (
  <Group gap={4}>
    {names.map((name) => (
      <Badge key={name} variant="default" radius="sm">
        {name}
      </Badge>
    ))}
  </Group>
);

const at = (path: string, list: string, name?: string) =>
  `${path}/authz/${list}${name === undefined ? "" : `/${encodeURIComponent(name)}`}`;

const Resources = ({ path }: Props) => (
  <SubList<Schemas["AuthzResource"]>
    path={at(path, "resources")}
    manage={MANAGE}
    id={({ resourceId }) => resourceId}
    empty="No resources"
    emptyText="A resource is what the application protects: a document, an account, an API path."
    columns={[
      { title: "Resource", render: ({ displayName, name }) => displayName ?? name },
      { title: "Type", render: ({ type }) => type ?? "–" },
      { title: "Scopes", render: ({ scopes }) => <Names names={scopes} /> },
      { title: "Owner", wide: true, render: ({ owner }) => owner ?? "–" },
    ]}
    name={({ name }) => name}
    removeTitle="Delete"
    remove={({ name }) => at(path, "resources", name)}
    form={{
      add: "Add resource",
      path: ({ name }) => at(path, "resources", name),
      spec: {
        schema: resourceSchema,
        sections: [{ fields: ["name", "displayName", "type", "uris", "scopes", "owner", "ownerManagedAccess"] }],
        controls: { scopes: namesAt(at(path, "scopes")) },
      },
    }}
  />
);

const Scopes = ({ path }: Props) => (
  <SubList<Schemas["AuthzScope"]>
    path={at(path, "scopes")}
    manage={MANAGE}
    id={({ name }) => name}
    empty="No authorization scopes"
    emptyText="A scope is what can be done with a resource: view, edit, share."
    columns={[
      { title: "Scope", render: ({ name }) => name },
      { title: "Display name", render: ({ displayName }) => displayName ?? "–" },
    ]}
    name={({ name }) => name}
    removeTitle="Delete"
    remove={({ name }) => at(path, "scopes", name)}
    form={{
      add: "Add scope",
      path: ({ name }) => at(path, "scopes", name),
      spec: { schema: scopeSchema, sections: [{ fields: ["name", "displayName", "iconUri"] }] },
    }}
  />
);

type Policy = Schemas["CreateAuthzPolicy"];

/** The members of each type of policy, beside those of all. */
const DECIDED: Readonly<Record<string, readonly (keyof Policy)[]>> = {
  role: ["roles"],
  user: ["users"],
  client: ["clients"],
  group: ["groups"],
  "client-scope": ["clientScopes"],
  time: TIME,
  regex: ["targetClaim", "pattern", "targetContextAttributes"],
  attribute: ["path", "operator", "value", "valuePath"],
  aggregate: ["policies", "decisionStrategy"],
};
const COMMON: readonly string[] = ["name", "type", "description", "logic"];

const policyForm = (path: string): FormSpec<Policy> => ({
  // The API knows `js` only to refuse it.
  schema: { ...policySchema, properties: { ...policySchema.properties, type: { enum: Object.keys(DECIDED) } } },
  sections: [
    { fields: ["name", "type"] },
    ...Object.entries(DECIDED).map(([type, fields]) => ({
      fields,
      when: (draft: Draft) => draft.type === type,
      ...(type === "time" && { Fields: TimeFields }),
    })),
    { fields: ["logic", "description"] },
  ],
  controls: {
    roles: flaggedNames(AnyRoles, "name", "required", "Of these, the user must have"),
    groups: flaggedNames(AnyGroups, "path", "extendChildren", "Of these, with the groups below"),
    clientScopes: flaggedNames(ScopeNames, "name", "required", "Of these, the token must have"),
    users: manyPicked({ ...userPicker, label: "Users", value: ({ username }: Schemas["User"]) => username }),
    clients: manyPicked({ ...clientPicker, label: "Applications" }),
    policies: namesAt(path),
    value: ComparedValue,
  },
  settled: (next, { type }) =>
    next.type === type
      ? next
      : {
          ...Object.fromEntries(Object.entries(next).filter(([name]) => COMMON.includes(name))),
          ...(next.type === "time" && { timeZone: ownZone() }),
        },
});

/** Edits the value that an attribute is compared with: one or several. What reads as a number or as true or false is one. */
const ComparedValue: Control = ({ value, label, description, error, readOnly, onChange }) => (
  <TagsInput
    label={label}
    description={description}
    error={error}
    disabled={readOnly}
    value={(Array.isArray(value) ? value : value === undefined ? [] : [value]).map(spelled)}
    onChange={(next) => onChange(next.length > 1 ? next.map(meant) : next.map(meant)[0])}
    splitChars={[]}
    acceptValueOnBlur
  />
);

const LITERAL = /^(-?\d+([.]\d+)?|true|false|".*")$/;
const meant = (text: string): unknown => (LITERAL.test(text) ? JSON.parse(text) : text);
const spelled = (value: unknown): string => (typeof value === "string" && !LITERAL.test(value) ? value : JSON.stringify(value));

const Policies = ({ path }: Props) => (
  <SubList<Schemas["AuthzPolicy"]>
    path={at(path, "policies")}
    manage={MANAGE}
    id={({ name }) => name}
    empty="No policies"
    emptyText="A policy is a condition: a role, a group, a time, an attribute."
    columns={[
      { title: "Policy", render: ({ name }) => name },
      { title: "Type", render: ({ type }) => <Word of="type" value={type} /> },
      { title: "Logic", wide: true, render: ({ logic }) => <Word of="logic" value={logic} /> },
      { title: "Description", wide: true, render: ({ description }) => description ?? "–" },
    ]}
    name={({ name }) => name}
    removeTitle="Delete"
    remove={({ name }) => at(path, "policies", name)}
    form={{
      add: "Add policy",
      path: ({ name }) => at(path, "policies", name),
      spec: policyForm(at(path, "policies")),
      defaults: { type: "role", logic: "POSITIVE" },
    }}
  />
);

const Permissions = ({ path }: Props) => (
  <SubList<Schemas["AuthzPermission"]>
    path={at(path, "permissions")}
    manage={MANAGE}
    id={({ name }) => name}
    empty="No permissions"
    emptyText="A permission joins resources or scopes to the policies that decide about them."
    columns={[
      { title: "Permission", render: ({ name }) => name },
      {
        title: "On",
        render: ({ resources, resourceType, scopes }) => (
          <Names names={[...resources, ...(resourceType ? [resourceType] : []), ...scopes]} />
        ),
      },
      { title: "Policies", render: ({ policies }) => <Names names={policies} /> },
      { title: "Strategy", wide: true, render: ({ decisionStrategy }) => <Word of="decisionStrategy" value={decisionStrategy} /> },
    ]}
    name={({ name }) => name}
    removeTitle="Delete"
    remove={({ name }) => at(path, "permissions", name)}
    form={{
      add: "Add permission",
      path: ({ name }) => at(path, "permissions", name),
      spec: {
        schema: permissionSchema,
        sections: [{ fields: ["name", "type", "resources", "resourceType", "scopes", "policies", "decisionStrategy", "description"] }],
        controls: {
          resources: namesAt(at(path, "resources")),
          scopes: namesAt(at(path, "scopes")),
          policies: namesAt(at(path, "policies")),
        },
      },
      defaults: { type: "resource", decisionStrategy: "UNANIMOUS" },
    }}
  />
);
