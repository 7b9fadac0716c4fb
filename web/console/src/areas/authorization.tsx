import permissionSchema from "virtual:schema/CreateAuthzPermission";
import policySchema from "virtual:schema/CreateAuthzPolicy";
import resourceSchema from "virtual:schema/CreateAuthzResource";
import scopeSchema from "virtual:schema/CreateAuthzScope";
import settingsSchema from "virtual:schema/UpdateAuthzSettings";
import type { components } from "@gatehouse/api";
import { Badge, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useText } from "../i18n/index.ts";
import { EditForm } from "../kit/edit-form.tsx";
import type { TabProps } from "../kit/resource.ts";
import { Failure, Rows } from "../kit/states.tsx";
import { SubForm } from "../kit/sub-form.tsx";
import { SubList } from "../kit/sub-list.tsx";
import { Evaluate } from "./authorization.evaluate.tsx";

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
  <Group>
    <SegmentedControl data={parts} value={part} onChange={setPart} />
  </Group>
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
    add={(reload) => (
      <SubForm
        title="Add resource"
        path={at(path, "resources")}
        form={{
          schema: resourceSchema,
          sections: [{ fields: ["name", "displayName", "type", "uris", "scopes", "owner", "ownerManagedAccess"] }],
        }}
        reload={reload}
      />
    )}
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
    add={(reload) => (
      <SubForm
        title="Add scope"
        path={at(path, "scopes")}
        form={{ schema: scopeSchema, sections: [{ fields: ["name", "displayName", "iconUri"] }] }}
        reload={reload}
      />
    )}
  />
);

const Policies = ({ path }: Props) => (
  <SubList<Schemas["AuthzPolicy"]>
    path={at(path, "policies")}
    manage={MANAGE}
    id={({ name }) => name}
    empty="No policies"
    emptyText="A policy is a condition: a role, a group, a time, an attribute."
    columns={[
      { title: "Policy", render: ({ name }) => name },
      { title: "Type", render: ({ type }) => <Badge variant="light">{type}</Badge> },
      { title: "Logic", wide: true, render: ({ logic }) => logic },
      { title: "Description", wide: true, render: ({ description }) => description ?? "–" },
    ]}
    name={({ name }) => name}
    removeTitle="Delete"
    remove={({ name }) => at(path, "policies", name)}
    add={(reload) => (
      <SubForm
        title="Add policy"
        path={at(path, "policies")}
        form={{
          schema: policySchema,
          sections: [
            { fields: ["name", "type", "description", "logic"] },
            { title: "Roles", fields: ["roles"], when: ({ type }) => type === "role" },
            { title: "Users", fields: ["users"], when: ({ type }) => type === "user" },
            { title: "Applications", fields: ["clients"], when: ({ type }) => type === "client" },
            { title: "Groups", fields: ["groups"], when: ({ type }) => type === "group" },
            { title: "Scopes", fields: ["clientScopes"], when: ({ type }) => type === "client-scope" },
            { title: "Time", fields: ["timeZone", "notBefore", "notOnOrAfter"], when: ({ type }) => type === "time" },
          ],
        }}
        defaults={{ type: "role", logic: "POSITIVE" }}
        reload={reload}
      />
    )}
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
      { title: "Strategy", wide: true, render: ({ decisionStrategy }) => decisionStrategy },
    ]}
    name={({ name }) => name}
    removeTitle="Delete"
    remove={({ name }) => at(path, "permissions", name)}
    add={(reload) => (
      <SubForm
        title="Add permission"
        path={at(path, "permissions")}
        form={{
          schema: permissionSchema,
          sections: [{ fields: ["name", "type", "resources", "resourceType", "scopes", "policies", "decisionStrategy", "description"] }],
        }}
        defaults={{ type: "resource", decisionStrategy: "UNANIMOUS" }}
        reload={reload}
      />
    )}
  />
);
