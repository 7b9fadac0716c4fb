import allowedSchema from "virtual:schema/AllowedResources";
import createRoleSchema from "virtual:schema/CreateRole";
import updateSchema from "virtual:schema/UpdateClient";
import type { components } from "@gatehouse/api";
import { Badge, Button, Code, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useText } from "../i18n/index.ts";
import { confirmed } from "../kit/confirm.tsx";
import { EditForm } from "../kit/edit-form.tsx";
import { failed } from "../kit/notify.ts";
import { useOnce } from "../kit/once.ts";
import type { FormSpec, Resource, TabProps } from "../kit/resource.ts";
import { Secret } from "../kit/secret.tsx";
import { Failure, Rows } from "../kit/states.tsx";
import { SubList } from "../kit/sub-list.tsx";
import { Authorization } from "./authorization.tsx";
import { CreateClientPage } from "./clients.create.tsx";
import { ClientMappers } from "./mappers.tsx";
import { AddRole, AnyGroups, AnyRoles, includedBy, inclusion, inclusionLabels, ScopeNames } from "./role-names.tsx";
import { Snippets } from "./snippets.tsx";
import { TokenPreview } from "./token-preview.tsx";
import { OnOff, RoleBadges } from "./users.tsx";

type Schemas = components["schemas"];
type Client = Schemas["Client"];

const MANAGE = ["manage-clients"] as const;

function Credentials({ item, path, session }: TabProps<Client>) {
  const t = useText();
  const [secret, setSecret] = useState<string | null>(null);
  const { busy, once } = useOnce();
  const ask = async (method: "GET" | "POST") => {
    try {
      if (method === "POST") {
        const question = {
          title: t("New secret"),
          text: t("The present secret stops working at once."),
          action: t("Make a new secret"),
          danger: true,
        };
        if (!(await confirmed(question))) return;
      }
      const target = `${path}/secret`;
      const { data } =
        method === "GET" ? await session.api.get<{ secret: string }>(target) : await session.api.send<{ secret: string }>("POST", target);
      setSecret(data.secret);
    } catch (error) {
      failed(error);
    }
  };
  if (item.publicClient) return <Text>{t("A public client has no secret. It uses PKCE.")}</Text>;
  return (
    <Stack maw={640}>
      <Text>
        {t("It authenticates by")} <Code>{item.authMethod}</Code>
      </Text>
      {secret && <Secret title="Client secret" value={secret} text="Keep it out of browsers and mobile apps." />}
      {session.may(...MANAGE) && (
        <Group>
          <Button variant="default" loading={busy} onClick={() => void once(() => ask("GET"))}>
            {t("Reveal the secret")}
          </Button>
          <Button variant="default" color="red" loading={busy} onClick={() => void once(() => ask("POST"))}>
            {t("Make a new secret")}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

const ClientRoles = ({ path }: TabProps<Client>) => (
  <SubList<Schemas["Role"]>
    path={`${path}/roles`}
    manage={["manage-roles", ...MANAGE]}
    id={({ name }) => name}
    empty="No client roles"
    columns={[
      { title: "Role", render: ({ name }) => name },
      { title: "Description", render: ({ description }) => description ?? "–" },
      { title: "Includes", wide: true, render: (role) => <RoleBadges names={includedBy(role)} /> },
    ]}
    name={({ name }) => name}
    removeTitle="Delete"
    remove={({ name }) => `${path}/roles/${encodeURIComponent(name)}`}
    form={{
      add: "Create role",
      path: ({ name }) => `${path}/roles/${encodeURIComponent(name)}`,
      spec: {
        schema: createRoleSchema,
        sections: [{ fields: ["name", "description"] }, { title: "Includes", fields: ["compositeRoles", "compositeClientRoles"] }],
        controls: inclusion,
        labels: inclusionLabels,
      },
    }}
  />
);

const ServiceAccount = ({ path, session }: TabProps<Client>) => (
  <SubList<Schemas["ServiceAccountRole"]>
    path={`${path}/service-account/roles`}
    manage={MANAGE}
    id={({ roleId }) => roleId}
    empty="The service account has no roles"
    emptyText="Tokens of the client credentials grant carry these roles."
    columns={[
      { title: "Role", render: ({ name }) => name },
      { title: "Client", render: ({ clientId }) => clientId ?? "–" },
    ]}
    name={({ name }) => name}
    remove={({ name, clientId }) =>
      `${path}/service-account/roles?${new URLSearchParams({ name, ...(clientId !== null && { clientId }) })}`
    }
    add={(reload) => (
      <AddRole
        action="Assign"
        add={({ name, clientId }) => session.api.send("POST", `${path}/service-account/roles`, { body: { name, clientId } })}
        reload={reload}
      />
    )}
  />
);

function AllowedResources({ path, session, reload }: TabProps<Client>) {
  const { api, realm, may } = session;
  const target = `${path}/allowed-resources`;
  const stored = useQuery({
    queryKey: [realm, "record", target],
    queryFn: ({ signal }) => api.get<Record<string, unknown>>(target, { signal }),
  });
  if (stored.isLoadingError) return <Failure error={stored.error} retry={() => void stored.refetch()} />;
  if (stored.isPending) return <Rows count={2} />;
  const { data, etag } = stored.data;
  return <EditForm form={allowedForm} value={data} etag={etag} path={target} readOnly={!may(...MANAGE)} onSaved={() => void reload()} />;
}

const allowedForm = {
  schema: allowedSchema,
  sections: [{ fields: ["allowedResources"] }],
  hidden: ["clientId"],
} satisfies FormSpec<Schemas["AllowedResources"]>;

export const clients: Resource<Client, Schemas["CreateClient"], Schemas["UpdateClient"]> = {
  title: "Applications",
  singular: "application",
  description: "OAuth and OpenID Connect clients: web and mobile apps, single-page apps, machines and APIs.",
  path: "/clients",
  search: "Search by client ID, name or ID",
  key: ({ id }) => id,
  name: ({ name, clientId }) => name ?? clientId,
  permission: { view: ["view-clients"], manage: MANAGE },
  columns: [
    { title: "Application", sort: "clientId", render: ({ name, clientId }) => name ?? clientId },
    { title: "Client ID", render: ({ clientId }) => <Code>{clientId}</Code> },
    { title: "Kind", wide: true, render: (client) => <Badge variant="light">{kindOf(client)}</Badge> },
    { title: "Enabled", render: ({ enabled }) => <OnOff on={enabled} /> },
  ],
  CreatePage: CreateClientPage,
  edit: {
    schema: updateSchema,
    sections: [
      { fields: ["name", "description", "enabled", "publicClient"] },
      { title: "Addresses", fields: ["redirectUris", "postLogoutRedirectUris", "webOrigins", "initiateLoginUri"] },
      { title: "What it may do", fields: ["grantTypes", "scopes", "firstParty", "consentRequired"] },
      { title: "Who may use it", fields: ["allowedRoles", "allowedGroups"] },
      { title: "Security", fields: ["authMethod", "requirePkce", "requireDpop", "certificateBoundTokens", "requirePar", "profile"] },
      { title: "As an API", fields: ["resourceIndicators", "resourceScopes", "resourceAccess"] },
      { title: "Tokens", fields: ["accessTokenLifetime", "refreshTokenLifetime", "rotateRefreshTokens", "claimsInIdToken"] },
    ],
    controls: { scopes: ScopeNames, resourceScopes: ScopeNames, allowedRoles: AnyRoles, allowedGroups: AnyGroups },
    hidden: ["id", "realmId", "clientId", "createdAt", "updatedAt", "secret"],
  },
  tabs: [
    { id: "quickstart", title: "Quickstart", Component: ({ item }) => <Snippets client={item} /> },
    { id: "credentials", title: "Credentials", Component: Credentials },
    { id: "roles", title: "Roles", Component: ClientRoles },
    { id: "mappers", title: "Mappers", Component: ClientMappers },
    { id: "preview", title: "Token preview", permission: ["view-users"], Component: TokenPreview },
    { id: "authorization", title: "Authorization", permission: ["view-clients", "manage-authorization"], Component: Authorization },
    {
      id: "service-account",
      title: "Service account",
      when: ({ grantTypes }) => grantTypes.includes("client_credentials"),
      Component: ServiceAccount,
    },
    { id: "resources", title: "Allowed resources", Component: AllowedResources },
  ],
  canDelete: true,
};

export function kindOf({
  publicClient,
  grantTypes,
  applicationType,
  resourceIndicators,
}: Pick<Client, "publicClient" | "grantTypes" | "applicationType" | "resourceIndicators">): string {
  if (grantTypes.length === 0 && resourceIndicators.length > 0) return "API";
  if (applicationType === "native") return "native";
  if (publicClient) return "single-page";
  return grantTypes.includes("authorization_code") ? "web" : "machine";
}
