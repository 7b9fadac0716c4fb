import initialTokenSchema from "virtual:schema/CreateInitialAccessToken";
import scimTokenSchema from "virtual:schema/CreateScimToken";
import schema from "virtual:schema/UpdateProvisioning";
import type { components } from "@gatehouse/api";
import { Alert, Code, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { Icon } from "../kit/icon.tsx";
import { onePicked } from "../kit/picked.tsx";
import { identityProviderPicker, organizationPicker } from "../kit/picker.tsx";
import { Secret } from "../kit/secret.tsx";
import { SingletonPage } from "../kit/singleton-page.tsx";
import { SubForm } from "../kit/sub-form.tsx";
import { SubList } from "../kit/sub-list.tsx";
import { When } from "../kit/when.tsx";

type Schemas = components["schemas"];

const MANAGE = ["manage-realm"] as const;

/** Shows dynamic client registration and SCIM. */
export function Provisioning() {
  const t = useText();
  return (
    <SingletonPage
      title="Provisioning"
      description="Registration by applications, and provisioning by other systems."
      path="/provisioning"
      manage={MANAGE}
      form={{
        schema,
        sections: [
          { title: "Client registration", fields: ["registration"] },
          { title: "SCIM", fields: ["scim"] },
        ],
      }}
    >
      <Stack>
        <Title order={2} size="h4">
          {t("SCIM tokens")}
        </Title>
        <Text size="sm" c="dimmed">
          {t("Microsoft Entra, Okta and other systems create and change users with such a token.")}
        </Text>
        <ScimOff />
        <ScimTokens />
        <Title order={2} size="h4">
          {t("Initial access tokens")}
        </Title>
        <InitialAccessTokens />
      </Stack>
    </SingletonPage>
  );
}

/** Warns that the tokens open nothing while SCIM is off. */
function ScimOff() {
  const t = useText();
  const { api, realm } = useRealm();
  const { data } = useQuery({
    queryKey: [realm, "record", "/provisioning"],
    queryFn: ({ signal }) => api.get<Schemas["Provisioning"]>("/provisioning", { signal }),
  });
  if (!data || data.data.scim.enabled) return null;
  return (
    <Alert color="orange" icon={<Icon name="alert" />} p="xs">
      {t("SCIM is off in this realm, so its tokens open nothing yet. Turn it on above.")}
    </Alert>
  );
}

/** The permissions that another system needs. Nobody can give one that they do not hold. */
const NEEDED = ["view-users", "manage-users", "manage-organizations"];

function ScimTokens() {
  const { may } = useRealm();
  const permissions = NEEDED.filter((permission) => may(permission));
  return (
    <SubList<Schemas["ScimToken"]>
      path="/provisioning/scim-tokens"
      manage={MANAGE}
      id={({ id }) => id}
      empty="No SCIM tokens"
      columns={[
        { title: "Name", render: ({ name }) => name },
        { title: "Connection", wide: true, render: ({ connection }) => connection },
        { title: "Base address", wide: true, render: ({ url }) => <Code className="secret">{url}</Code> },
        { title: "Last used", render: ({ lastUsedAt }) => <When time={lastUsedAt} /> },
        { title: "Expires", render: ({ expiresAt }) => <When time={expiresAt} /> },
      ]}
      name={({ name }) => name}
      removeTitle="Revoke"
      remove={({ id }) => `/provisioning/scim-tokens/${id}`}
      add={(reload) =>
        permissions.length > 0 && (
          <SubForm
            title="Create SCIM token"
            path="/provisioning/scim-tokens"
            form={{
              schema: scimTokenSchema,
              sections: [
                { fields: ["name", "connection", "expiresAt", "permissions", "organizationId", "identityProvider", "trustEmails"] },
              ],
              controls: {
                organizationId: onePicked(organizationPicker),
                identityProvider: onePicked(identityProviderPicker),
              },
            }}
            defaults={{ permissions }}
            after={(created) => <CreatedScimToken token={String(created.token)} url={String(created.url)} />}
            reload={reload}
          />
        )
      }
    />
  );
}

function CreatedScimToken({ token, url }: { token: string; url: string }) {
  const t = useText();
  return (
    <Stack>
      <Secret title="SCIM token" value={token} />
      <Group gap="xs">
        <Text size="sm">{t("Base address")}</Text>
        <Code className="secret">{url}</Code>
      </Group>
    </Stack>
  );
}

const InitialAccessTokens = () => (
  <SubList<Schemas["InitialAccessToken"]>
    path="/provisioning/initial-access-tokens"
    manage={MANAGE}
    id={({ id }) => id}
    empty="No initial access tokens"
    columns={[
      { title: "Name", render: ({ name }) => name ?? "–" },
      { title: "Registrations left", render: ({ remaining }) => remaining },
      { title: "Expires", render: ({ expiresAt }) => <When time={expiresAt} /> },
    ]}
    name={({ name, id }) => name ?? id}
    removeTitle="Revoke"
    remove={({ id }) => `/provisioning/initial-access-tokens/${id}`}
    add={(reload) => (
      <SubForm
        title="Create initial access token"
        path="/provisioning/initial-access-tokens"
        form={{ schema: initialTokenSchema.anyOf![0]!, sections: [{ fields: ["name", "count", "lifetime"] }] }}
        defaults={{ count: 1, lifetime: 86_400 }}
        after={({ token }) => <Secret title="Initial access token" value={String(token)} />}
        reload={reload}
      />
    )}
  />
);
