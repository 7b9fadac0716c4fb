import createSchema from "virtual:schema/CreateClientScope";
import updateSchema from "virtual:schema/UpdateClientScope";
import type { components } from "@gatehouse/api";
import { Button, Code, Group, Stack, Text } from "@mantine/core";
import { translate, useText } from "../i18n/index.ts";
import { failed } from "../kit/notify.ts";
import { AddByPicker } from "../kit/picker.tsx";
import type { Resource, TabProps } from "../kit/resource.ts";
import { Empty } from "../kit/states.tsx";
import { Word } from "../kit/word.tsx";

type Schemas = components["schemas"];
type Scope = Schemas["ClientScope"];
type Claim = Schemas["ClaimMapper"];

const MANAGE = ["manage-authorization"] as const;

/** Edits the claims that a scope releases. */
function Claims({ item, path, session, reload }: TabProps<Scope>) {
  const t = useText();
  const manage = session.may(...MANAGE);
  const again = async () => void (await reload());
  const detach = async (claimId: string) => {
    await session.api.send("DELETE", `${path}/claims/${claimId}`).catch(failed);
    await reload();
  };
  return (
    <Stack maw={640}>
      {manage && (
        <AddByPicker
          label="Claim mapper"
          path="/claims"
          value={({ claimId }: Claim) => claimId}
          text={({ name, claim }: Claim) => `${name} (${claim})`}
          action="Attach"
          add={(claimId) => session.api.send("PUT", `${path}/claims/${claimId}`)}
          reload={again}
        />
      )}
      {item.claims.length === 0 && <Empty title={t("No claims")} />}
      {item.claims.map(({ claimId, name }) => (
        <Group key={claimId} justify="space-between">
          <Text>{name}</Text>
          {manage && (
            <Button size="xs" variant="subtle" color="red" onClick={() => void detach(claimId)} aria-label={`${t("Detach")}: ${name}`}>
              {t("Detach")}
            </Button>
          )}
        </Group>
      ))}
    </Stack>
  );
}

export const scopes: Resource<Scope, Schemas["CreateClientScope"], Schemas["UpdateClientScope"]> = {
  title: "Scopes",
  singular: "scope",
  description: "The scopes that applications may request, and the claims of each.",
  path: "/client-scopes",
  search: "Search by name",
  key: ({ scopeId }) => scopeId,
  name: ({ name }) => name,
  permission: { view: ["manage-authorization", "view-clients"], manage: MANAGE },
  columns: [
    { title: "Scope", render: ({ name }) => <Code>{name}</Code> },
    { title: "Description", render: ({ description }) => translate(description ?? "–") },
    { title: "Assignment", render: ({ assignment }) => <Word of="assignment" value={assignment} /> },
    { title: "Claims", wide: true, render: ({ claims }) => claims.map(({ name }) => name).join(", ") || "–" },
  ],
  create: { schema: createSchema, sections: [{ fields: ["name", "description", "consentText", "assignment"] }] },
  edit: {
    schema: updateSchema,
    sections: [{ fields: ["name", "description", "consentText", "assignment"] }],
    hidden: ["realmId", "scopeId", "builtIn", "claims", "createdAt"],
  },
  tabs: [{ id: "claims", title: "Claims", Component: Claims }],
  canDelete: ({ builtIn }) => !builtIn,
};
