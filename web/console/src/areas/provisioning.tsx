import schema from "virtual:schema/UpdateProvisioning";
import type { components } from "@gatehouse/api";
import { Stack, Title } from "@mantine/core";
import { useText } from "../i18n/index.ts";
import { SingletonPage } from "../kit/singleton-page.tsx";
import { SubList } from "../kit/sub-list.tsx";
import { When } from "../kit/when.tsx";

type InitialAccessToken = components["schemas"]["InitialAccessToken"];

/** Dynamic client registration and SCIM. */
export function Provisioning() {
  const t = useText();
  return (
    <SingletonPage
      title="Provisioning"
      description="How applications register themselves, and how other systems provision people."
      path="/provisioning"
      manage={["manage-realm"]}
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
          {t("Initial access tokens")}
        </Title>
        <SubList<InitialAccessToken>
          path="/provisioning/initial-access-tokens"
          manage={["manage-realm"]}
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
        />
      </Stack>
    </SingletonPage>
  );
}
