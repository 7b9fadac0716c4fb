import createSchema from "virtual:schema/CreateClaimMapper";
import updateSchema from "virtual:schema/UpdateClaimMapper";
import type { components } from "@gatehouse/api";
import { Badge, Code, Group } from "@mantine/core";
import type { Resource } from "../kit/resource.ts";
import { ClaimValue } from "./claim-values.tsx";
import { SubjectClaim } from "./subject-claim.tsx";

type Schemas = components["schemas"];
type Claim = Schemas["ClaimMapper"];

const sections = [{ fields: ["name", "claim", "source", "value", "type", "multivalued", "targets"] as const }];

export const claims: Resource<Claim, Schemas["CreateClaimMapper"], Schemas["UpdateClaimMapper"]> = {
  title: "Claims",
  singular: "claim mapper",
  description: "The contents of tokens, userinfo and introspection about a user.",
  path: "/claims",
  search: "Search by name",
  key: ({ claimId }) => claimId,
  name: ({ name }) => name,
  permission: { view: ["manage-authorization", "view-clients"], manage: ["manage-authorization"] },
  columns: [
    { title: "Name", render: ({ name }) => name },
    { title: "Claim", render: ({ claim }) => <Code>{claim}</Code> },
    { title: "Source", render: ({ source, value }) => `${source}${value ? `: ${value}` : ""}` },
    {
      title: "Scopes",
      wide: true,
      render: ({ scopes }) => (
        <Group gap={4}>
          {scopes.map((scope) => (
            <Badge key={scope} variant="light">
              {scope}
            </Badge>
          ))}
        </Group>
      ),
    },
  ],
  create: { schema: createSchema, sections, controls: { value: ClaimValue } },
  edit: { schema: updateSchema, sections, controls: { value: ClaimValue }, hidden: ["realmId", "claimId", "scopes", "createdAt"] },
  Header: SubjectClaim,
  canDelete: true,
  listOnly: true,
};
