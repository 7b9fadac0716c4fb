import Type from "typebox";
import { CreateAgent, createAgent, readAgent, removeAgent, saveAgent, searchAgents } from "../../../applications/agents/index.ts";
import { bodyOf, everyRow, type Section, without } from "../section.ts";

/** Owner and status are not exported: an imported agent waits for an owner of this realm, and for an administrator who activates it. */
export const agents: Section = {
  name: "agents",
  tables: ["agents"],
  permission: { read: "view-clients", write: "manage-clients" },
  schema: Type.Omit(CreateAgent, ["ownerUserId"], { additionalProperties: false }),
  keyOf: (item) => String(item.name),
  ignoresCase: true,
  defaults: () => ({ description: null, clientId: null, scopes: [], expiresAt: null }),
  // Revoked agents are left out: they mean nothing in another realm.
  read: async (ctx) =>
    (await everyRow(ctx, searchAgents))
      .filter(({ status }) => status !== "REVOKED")
      .map(({ id, name, description, clientId, scopes, expiresAt }) => ({
        key: name,
        id,
        item: { name, description, clientId, scopes, expiresAt },
      })),
  create: async (ctx, tools, item) => (await createAgent(ctx, tools, bodyOf(item))).id,
  async update(ctx, tools, { id }, item) {
    const { ownerUserId } = await readAgent(ctx, id);
    await saveAgent(ctx, tools, id, bodyOf({ ...without(item), ownerUserId }));
  },
  remove: (ctx, tools, { id }) => removeAgent(ctx, tools, id),
};
