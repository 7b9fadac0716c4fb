import Type from "typebox";
import { pathsOfGroups } from "../../../directory/groups/index.ts";
import type { ReadCtx } from "../../../platform/context.ts";
import {
  type AuthenticatorStep,
  authenticatorSteps,
  CreateFlow,
  createFlow,
  mapSteps,
  removeFlow,
  type Step,
  saveFlow,
  searchFlows,
} from "../../../signin/flows/index.ts";
import { bodyOf, everyRow, type Item, type Section } from "../section.ts";
import { groupNamed } from "./groups.ts";

const { alias, displayName, steps } = CreateFlow.properties;

// A document may lack the list: saving the flow refuses it.
const groupsOf = ({ authenticator, config }: AuthenticatorStep): string[] =>
  authenticator === "condition-group" && Array.isArray(config?.groups) ? config.groups : [];

/** Replaces the groups in conditions. */
const withGroups = (steps: readonly Step[], known: ReadonlyMap<string, string>): Step[] =>
  mapSteps(steps, (step) => {
    const groups = groupsOf(step).map((group) => known.get(group) ?? group);
    return groups.length > 0 ? { ...step, config: { ...step.config, groups } } : step;
  });

/** Conditions name groups by their paths in a document. */
async function withIds(ctx: ReadCtx, item: Item): Promise<Item> {
  const steps = item.steps as readonly Step[];
  const ids = new Map<string, string>();
  for (const path of authenticatorSteps(steps).flatMap(groupsOf)) ids.set(path, await groupNamed(ctx, "steps", path));
  return { ...item, steps: withGroups(steps, ids) };
}

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
  async read(ctx) {
    const rows = (await everyRow(ctx, searchFlows)).map((flow) => ({ ...flow, steps: flow.steps as readonly Step[] }));
    const ids = rows.flatMap((flow) => authenticatorSteps(flow.steps).flatMap(groupsOf));
    const found = await pathsOfGroups(ctx.tx, ctx.realm, ids);
    const paths = new Map(ids.map((id) => [id, found.get(id.toLowerCase()) ?? id]));
    return rows.map(({ alias, displayName, builtIn, steps }) => ({
      ...{ key: alias, id: alias, isBuiltIn: builtIn },
      item: { alias, displayName, steps: withGroups(steps, paths) },
    }));
  },
  create: async (ctx, _tools, item) => (await createFlow(ctx, bodyOf(await withIds(ctx, item)))).alias,
  async update(ctx, _tools, { id }, item) {
    await saveFlow(ctx, id, bodyOf(await withIds(ctx, item)));
  },
  remove: (ctx, _tools, { id }) => removeFlow(ctx, id),
};
