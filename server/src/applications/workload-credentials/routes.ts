import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { crudRoutes, pathParams } from "../../platform/http/index.ts";
import { CreateWorkloadCredential, UpdateWorkloadCredential, WorkloadCredential, WorkloadQuery } from "./schema.ts";
import { createCredential, readCredential, removeCredential, saveCredential, searchCredentials, type WorkloadTools } from "./service.ts";

/** Mounted under /admin/realms/:realm/workload-identity. */
export const workloadRoutes: FastifyPluginAsyncTypebox<WorkloadTools> = async (app, tools) => {
  crudRoutes(app, ["/", "/:id"], {
    tags: ["Workload identity"],
    names: ["a workload credential", "workload credentials"],
    readers: { permission: "view-clients" },
    writers: { permission: "manage-clients" },
    itemParams: pathParams("id"),
    record: WorkloadCredential,
    list: {
      operationId: "listWorkloadCredentials",
      query: WorkloadQuery,
      run: (ctx, _params, query) => searchCredentials(ctx, query),
    },
    create: {
      operationId: "createWorkloadCredential",
      summary: "Trust a workload",
      description:
        "A token of this issuer with this subject and audience can be exchanged for an access token of the client. Needs every " +
        "permission of the client's service account.",
      body: CreateWorkloadCredential,
      id: ({ id }) => id,
      run: (ctx, _params, body) => createCredential(ctx, tools, body),
    },
    read: { operationId: "getWorkloadCredential", run: (ctx, { id }) => readCredential(ctx, id) },
    replace: {
      operationId: "updateWorkloadCredential",
      description:
        "Applies from the next exchange on. Tokens that were issued through it remain valid until they expire, for a few minutes.",
      body: UpdateWorkloadCredential,
      run: (ctx, { id }, body) => saveCredential(ctx, tools, id, body),
    },
    remove: { operationId: "deleteWorkloadCredential", run: (ctx, { id }) => removeCredential(ctx, tools, id) },
  });
};
