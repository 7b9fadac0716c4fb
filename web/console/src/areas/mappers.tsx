import createSchema from "virtual:schema/CreateClientMapper";
import type { components } from "@gatehouse/api";
import { Badge, Code } from "@mantine/core";
import type { TabProps } from "../kit/resource.ts";
import { SubList } from "../kit/sub-list.tsx";
import { ClaimValue } from "./claim-values.tsx";

type Schemas = components["schemas"];
type Mapper = Schemas["ClientMapper"];

/** Edits the claim mappers of a client. */
export const ClientMappers = ({ path }: TabProps<Schemas["Client"]>) => (
  <SubList<Mapper>
    path={`${path}/mappers`}
    manage={["manage-clients"]}
    id={({ mapperId }) => mapperId}
    empty="No mappers"
    emptyText="Claims come from the client's scopes. A mapper adds a claim for this client only."
    columns={[
      { title: "Name", render: ({ name }) => name },
      { title: "Claim", render: ({ claim }) => <Code>{claim}</Code> },
      { title: "Source", render: ({ source, value }) => `${source}${value ? `: ${value}` : ""}` },
      {
        title: "In",
        wide: true,
        render: ({ targets }) =>
          targets.map((target) => (
            <Badge key={target} variant="light" mr={4}>
              {target}
            </Badge>
          )),
      },
    ]}
    name={({ name }) => name}
    removeTitle="Delete"
    remove={({ mapperId }) => `${path}/mappers/${mapperId}`}
    form={{
      add: "Add mapper",
      path: ({ mapperId }) => `${path}/mappers/${mapperId}`,
      spec: {
        schema: createSchema,
        sections: [{ fields: ["name", "claim", "source", "value", "type", "multivalued", "targets"] }],
        controls: { value: ClaimValue },
      },
    }}
  />
);
