import createSchema from "virtual:schema/CreateFlow";
import type { components } from "@gatehouse/api";
import { Badge, Code } from "@mantine/core";
import type { Resource } from "../kit/resource.ts";
import { FlowDiagram } from "./flows.diagram.tsx";
import { FlowEditor } from "./flows.editor.tsx";

type Schemas = components["schemas"];
type Flow = Schemas["Flow"];

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
    { title: "Flow", render: ({ displayName, alias }) => displayName || alias },
    { title: "Alias", render: ({ alias }) => <Code>{alias}</Code> },
    { title: "Kind", render: ({ builtIn }) => <Badge variant="light">{builtIn ? "built in" : "own"}</Badge> },
  ],
  create: {
    schema: createSchema,
    sections: [{ fields: ["alias", "displayName", "copyFrom"] }],
    hidden: ["steps"],
    labels: { copyFrom: "Copy from (alias of a flow)" },
  },
  tabs: [
    { id: "steps", title: "Steps", Component: FlowEditor },
    { id: "diagram", title: "Diagram", Component: FlowDiagram },
  ],
  canDelete: ({ builtIn }) => !builtIn,
};
