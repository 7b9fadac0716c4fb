import createSchema from "virtual:schema/CreateFlow";
import type { components } from "@gatehouse/api";
import { Badge, Code } from "@mantine/core";
import { translate } from "../i18n/index.ts";
import { Picker } from "../kit/picker.tsx";
import type { Resource } from "../kit/resource.ts";
import type { Control } from "../kit/schema-form.tsx";
import { FlowDiagram } from "./flows.diagram.tsx";
import { FlowEditor } from "./flows.editor.tsx";

type Schemas = components["schemas"];
type Flow = Schemas["Flow"];

/** A new flow begins as a copy of another one, whose steps are then changed. */
const CopyFrom: Control = ({ value, error, readOnly, onChange }) => (
  <Picker
    label="Begin with the steps of"
    path="/flows"
    value={({ alias }: Flow) => alias}
    text={({ displayName, alias }: Flow) => (displayName ? `${displayName} · ${alias}` : alias)}
    chosen={(value as string | undefined) ?? null}
    error={error}
    disabled={readOnly}
    required
    onChoose={(alias) => onChange(alias ?? undefined)}
  />
);

export const flows: Resource<Flow, Schemas["CreateFlow"]> = {
  title: "Sign-in flows",
  singular: "flow",
  description: "The steps of the sign-in, for the realm or for one application.",
  path: "/flows",
  search: "Search by name",
  key: ({ alias }) => alias,
  name: ({ displayName, alias }) => displayName || alias,
  permission: { view: ["manage-authorization"], manage: ["manage-authorization"] },
  columns: [
    { title: "Flow", render: ({ displayName, alias, builtIn }) => (builtIn ? translate(displayName || alias) : displayName || alias) },
    { title: "Alias", render: ({ alias }) => <Code>{alias}</Code> },
    { title: "Kind", render: ({ builtIn }) => <Badge variant="light">{builtIn ? "built in" : "own"}</Badge> },
  ],
  create: {
    schema: createSchema,
    sections: [{ fields: ["alias", "displayName", "copyFrom"] }],
    controls: { copyFrom: CopyFrom },
    hidden: ["steps"],
    defaults: { copyFrom: "browser" },
  },
  tabs: [
    { id: "steps", title: "Steps", Component: FlowEditor },
    { id: "diagram", title: "Diagram", Component: FlowDiagram },
  ],
  canDelete: ({ builtIn }) => !builtIn,
};
