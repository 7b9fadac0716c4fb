import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { collectionRoutes, pathParams, recordRoutes } from "../../platform/http/index.ts";
import { CreateWorkloadCredential, UpdateWorkloadCredential, WorkloadCredential, WorkloadQuery } from "./schema.ts";
import { createCredential, readCredential, removeCredential, saveCredential, searchCredentials, type WorkloadTools } from "./service.ts";

const tags = ["Workload identity"];
const params = pathParams("id");
const read = { permission: "view-clients" } as const;
const write = { permission: "manage-clients" } as const;

/** Mounted under /admin/realms/:realm/workload-identity. */
export const workloadRoutes: FastifyPluginAsyncTypebox<WorkloadTools> = async (app, tools) => {
  collectionRoutes(app, "/", {
    tags,
    record: WorkloadCredential,
    list: {
      config: read,
      operationId: "listWorkloadCredentials",
      summary: "List workload credentials",
      query: WorkloadQuery,
      run: (ctx, _params, query) => searchCredentials(ctx, query),
    },
    create: {
      config: write,
      operationId: "createWorkloadCredential",
      summary: "Trust a workload",
      description:
        "From now on, a token of this issuer with this subject and audience is exchanged for an access token of the client. It takes the " +
        "permissions that the client's service account has.",
      body: CreateWorkloadCredential,
      id: ({ id }) => id,
      run: (ctx, _params, body) => createCredential(ctx, tools, body),
    },
  });

  recordRoutes(app, "/:id", {
    tags,
    params,
    record: WorkloadCredential,
    read: {
      config: read,
      operationId: "getWorkloadCredential",
      summary: "Read a workload credential",
      run: (ctx, { id }) => readCredential(ctx, id),
    },
    replace: {
      config: write,
      operationId: "updateWorkloadCredential",
      summary: "Update a workload credential",
      description: "Counts for the next exchange. Tokens that were got by it live on, for a few minutes.",
      body: UpdateWorkloadCredential,
      run: (ctx, { id }, body) => saveCredential(ctx, tools, id, body),
    },
    remove: {
      config: write,
      operationId: "deleteWorkloadCredential",
      summary: "Delete a workload credential",
      run: (ctx, { id }) => removeCredential(ctx, tools, id),
    },
  });
};
