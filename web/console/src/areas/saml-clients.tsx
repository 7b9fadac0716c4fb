import createSchema from "virtual:schema/CreateSamlClient";
import mapperSchema from "virtual:schema/CreateSamlMapper";
import updateSchema from "virtual:schema/UpdateSamlClient";
import type { components } from "@gatehouse/api";
import { Button, Code, Group, Textarea, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { failed, succeeded } from "../kit/notify.ts";
import { useOnce } from "../kit/once.ts";
import type { Resource, TabProps } from "../kit/resource.ts";
import { SubList } from "../kit/sub-list.tsx";
import { ClaimValue } from "./claim-values.tsx";
import { OnOff } from "./users.tsx";

type Schemas = components["schemas"];
type SamlClient = Schemas["SamlClient"];

const MANAGE = ["manage-clients"] as const;

/** Registers a service provider from its metadata. */
function Import() {
  const t = useText();
  const { api, realm, may } = useRealm();
  const client = useQueryClient();
  const [text, setText] = useState("");
  const [url, setUrl] = useState("");
  const { busy, once } = useOnce();
  const send = (call: () => Promise<unknown>) =>
    once(async () => {
      try {
        await call();
        succeeded(t("The metadata is imported"));
        setText("");
        setUrl("");
        await client.invalidateQueries({ queryKey: [realm, "list"] });
      } catch (error) {
        failed(error);
      }
    });
  if (!may(...MANAGE)) return null;
  return (
    <Group align="flex-end">
      <TextInput label={t("Import metadata from an address")} value={url} onChange={(event) => setUrl(event.currentTarget.value)} w={360} />
      <Button
        variant="default"
        disabled={url === ""}
        loading={busy}
        onClick={() => void send(() => api.send("POST", "/saml-clients/import-url", { body: { url } }))}
      >
        {t("Import")}
      </Button>
      <Textarea label={t("or paste the XML")} rows={1} value={text} onChange={(event) => setText(event.currentTarget.value)} w={280} />
      <Button
        variant="default"
        disabled={text === ""}
        loading={busy}
        onClick={() => void send(() => api.send("POST", "/saml-clients/import", { body: text, contentType: "application/xml" }))}
      >
        {t("Import")}
      </Button>
    </Group>
  );
}

const Mappers = ({ path }: TabProps<SamlClient>) => (
  <SubList<Schemas["SamlMapper"]>
    path={`${path}/mappers`}
    manage={MANAGE}
    id={({ mapperId }) => mapperId}
    empty="No mappers"
    columns={[
      { title: "Name", render: ({ name }) => name },
      { title: "Attribute", render: ({ samlName, claim }) => <Code>{samlName ?? claim}</Code> },
      { title: "Source", render: ({ source, value }) => `${source}${value ? `: ${value}` : ""}` },
    ]}
    name={({ name }) => name}
    removeTitle="Delete"
    remove={({ mapperId }) => `${path}/mappers/${mapperId}`}
    form={{
      add: "Add mapper",
      path: ({ mapperId }) => `${path}/mappers/${mapperId}`,
      spec: {
        schema: mapperSchema,
        sections: [{ fields: ["name", "samlName", "samlFriendlyName", "samlNameFormat", "source", "value", "multivalued"] }],
        controls: { value: ClaimValue },
        labels: { samlName: "Attribute", samlFriendlyName: "Friendly name", samlNameFormat: "Name format" },
        only: true,
      },
    }}
  />
);

export const samlClients: Resource<SamlClient, Schemas["CreateSamlClient"], Schemas["UpdateSamlClient"]> = {
  title: "SAML applications",
  singular: "SAML application",
  description: "SAML 2.0 service providers whose users sign in at this realm.",
  path: "/saml-clients",
  search: "Search by entity ID",
  key: ({ entityId }) => entityId,
  name: ({ entityId, options }) => options.name ?? entityId,
  permission: { view: ["view-clients"], manage: MANAGE },
  columns: [
    { title: "Application", render: ({ entityId, options }) => options.name ?? entityId },
    { title: "Entity ID", wide: true, render: ({ entityId }) => <Code>{entityId}</Code> },
    { title: "Enabled", render: ({ enabled }) => <OnOff on={enabled} /> },
  ],
  Header: Import,
  create: {
    schema: createSchema,
    sections: [{ fields: ["entityId", "assertionConsumerServiceUrl", "singleLogoutServiceUrl", "signingCertificate", "enabled"] }],
    defaults: { enabled: true },
  },
  edit: {
    schema: updateSchema,
    sections: [
      { fields: ["enabled", "assertionConsumerServiceUrl", "singleLogoutServiceUrl", "signingCertificate", "defaultAuthnContextClassRef"] },
      { title: "Options", fields: ["options"] },
    ],
    hidden: ["realmId", "entityId", "applicationId", "metadata", "createdAt", "updatedAt"],
  },
  tabs: [{ id: "mappers", title: "Mappers", Component: Mappers }],
  canDelete: true,
  activity: "saml-clients",
};
