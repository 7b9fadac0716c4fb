import createSchema from "virtual:schema/CreateWorkloadCredential";
import updateSchema from "virtual:schema/UpdateWorkloadCredential";
import type { components } from "@gatehouse/api";
import { Code } from "@mantine/core";
import { confidentialClientPicker, Picker } from "../kit/picker.tsx";
import type { Resource } from "../kit/resource.ts";
import type { Control } from "../kit/schema-form.tsx";
import { OnOff } from "./users.tsx";

type Schemas = components["schemas"];
type Workload = Schemas["WorkloadCredential"];

const MANAGE = ["manage-clients"] as const;

const ActsAs: Control = ({ value, error, readOnly, onChange }) => (
  <Picker
    {...confidentialClientPicker}
    label="Acts as the application"
    chosen={(value as string | undefined) ?? null}
    error={error}
    disabled={readOnly}
    required
    onChoose={onChange}
  />
);

const fields = [
  { fields: ["name", "clientId", "enabled"] },
  { title: "Whose tokens it takes", fields: ["issuer", "subject", "audience", "subjectClaim", "conditions"] },
  { title: "What it gets", fields: ["scopes", "maxTokenSeconds", "singleUse"] },
  { title: "Keys of the issuer", fields: ["jwksUri", "jwks"] },
] as const;

export const workloads: Resource<Workload, Schemas["CreateWorkloadCredential"], Schemas["UpdateWorkloadCredential"]> = {
  title: "Workload identity",
  singular: "workload credential",
  description: "Machines without secrets: tokens of Kubernetes, GitHub, GitLab and clouds act for an application.",
  path: "/workload-identity",
  search: "Search by name",
  key: ({ id }) => id,
  name: ({ name }) => name,
  permission: { view: ["view-clients"], manage: MANAGE },
  columns: [
    { title: "Name", render: ({ name }) => name },
    { title: "Application", render: ({ clientId }) => <Code>{clientId}</Code> },
    { title: "Issuer", wide: true, render: ({ issuer }) => <Code>{issuer}</Code> },
    { title: "Subject", wide: true, render: ({ subject }) => <Code className="secret">{subject}</Code> },
    { title: "Enabled", render: ({ enabled }) => <OnOff on={enabled} /> },
  ],
  create: {
    schema: createSchema,
    sections: fields,
    controls: { clientId: ActsAs },
    defaults: { enabled: true, audience: `${location.origin}/realms/${location.pathname.split("/")[3] ?? ""}` },
  },
  edit: { schema: updateSchema, sections: fields, controls: { clientId: ActsAs }, hidden: ["id", "realmId", "createdAt"] },
  canDelete: true,
};
