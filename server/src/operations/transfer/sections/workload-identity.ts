import {
  CreateWorkloadCredential,
  createCredential,
  removeCredential,
  saveCredential,
  searchCredentials,
} from "../../../applications/workload-credentials/index.ts";
import { bodyOf, everyRow, type Section, without } from "../section.ts";

export const workloadIdentity: Section = {
  name: "workloadIdentity",
  tables: ["workload_credentials"],
  permission: { read: "view-clients", write: "manage-clients" },
  schema: CreateWorkloadCredential,
  keyOf: (item) => String(item.name),
  ignoresCase: true,
  defaults: () => ({
    ...{ jwksUri: null, jwks: null, subjectClaim: "sub", conditions: {}, scopes: "" },
    ...{ maxTokenSeconds: 3_600, singleUse: false, enabled: true },
  }),
  read: async (ctx) =>
    (await everyRow(ctx, searchCredentials)).map((row) => ({
      key: row.name,
      id: row.id,
      item: without(row, "id", "realmId", "createdAt", "version"),
    })),
  create: async (ctx, tools, item) => (await createCredential(ctx, tools, bodyOf(item))).id,
  async update(ctx, tools, { id }, item) {
    await saveCredential(ctx, tools, id, bodyOf(item));
  },
  remove: (ctx, tools, { id }) => removeCredential(ctx, tools, id),
};
