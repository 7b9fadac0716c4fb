import createSchema from "virtual:schema/CreateScimTarget";
import updateSchema from "virtual:schema/UpdateScimTarget";
import type { components } from "@gatehouse/api";
import { Code } from "@mantine/core";
import type { Resource } from "../kit/resource.ts";
import { Word } from "../kit/word.tsx";
import { TargetAuth, TargetGroups, TargetUsers } from "./scim-targets.controls.tsx";
import { MANAGE, Objects, STATES, Status } from "./scim-targets.status.tsx";
import { OnOff } from "./users.tsx";

type Schemas = components["schemas"];
type Target = Schemas["ScimTarget"];
const sections = [
  { fields: ["name", "preset", "url", "auth", "secret", "enabled"] },
  { title: "What it gets", fields: ["users", "groups", "mapping"] },
  { title: "Existing and removed accounts", fields: ["matchBy", "deprovision"] },
  { title: "Pace", fields: ["requestsPerSecond", "fullSyncHours"] },
] as const;

const controls = { auth: TargetAuth, users: TargetUsers, groups: TargetGroups };

export const scimTargets: Resource<Target, Schemas["CreateScimTarget"], Schemas["UpdateScimTarget"]> = {
  title: "SCIM targets",
  singular: "SCIM target",
  description: "Other systems that get the users and groups of this realm by SCIM.",
  path: "/scim-targets",
  search: "Search by name",
  key: ({ id }) => id,
  name: ({ name }) => name,
  permission: { view: ["manage-realm"], manage: MANAGE },
  columns: [
    { title: "Target", render: ({ name }) => name },
    { title: "URL", wide: true, render: ({ url }) => <Code>{url}</Code> },
    {
      title: "Status",
      render: ({ status: { state } }) => <Word of="state" value={state} color={STATES[state]} />,
    },
    { title: "Enabled", render: ({ enabled }) => <OnOff on={enabled} /> },
  ],
  create: { schema: createSchema, sections, controls, defaults: { enabled: false, preset: "standard", auth: { type: "bearer" } } },
  edit: { schema: updateSchema, sections, controls, hidden: ["id", "realmId", "secretSet", "createdAt", "status"] },
  tabs: [
    { id: "status", title: "Status", Component: Status },
    { id: "objects", title: "Users and groups", permission: MANAGE, Component: Objects },
  ],
  canDelete: true,
};
