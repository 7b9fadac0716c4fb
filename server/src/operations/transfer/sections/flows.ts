import Type from "typebox";
import { CreateFlow, createFlow, removeFlow, saveFlow, searchFlows } from "../../../signin/flows/index.ts";
import { bodyOf, everyRow, type Section } from "../section.ts";

const { alias, displayName, steps } = CreateFlow.properties;

/** The flows, including built-in ones, which are changed but never created. */
export const flows: Section = {
  name: "flows",
  tables: ["flows"],
  permission: { read: "manage-authorization", write: "manage-authorization" },
  schema: Type.Object(
    { alias, displayName, steps: Type.Required(Type.Object({ steps })).properties.steps },
    { additionalProperties: false },
  ),
  keyOf: (item) => String(item.alias),
  defaults: (item) => ({ displayName: item.alias }),
  read: async (ctx) =>
    (await everyRow(ctx, searchFlows)).map((flow) => ({
      key: flow.alias,
      id: flow.alias,
      item: { alias: flow.alias, displayName: flow.displayName, steps: flow.steps },
      isBuiltIn: flow.builtIn,
    })),
  create: async (ctx, _tools, item) => (await createFlow(ctx, bodyOf(item))).alias,
  async update(ctx, _tools, { id }, item) {
    await saveFlow(ctx, id, bodyOf(item));
  },
  remove: (ctx, _tools, { id }) => removeFlow(ctx, id),
};
