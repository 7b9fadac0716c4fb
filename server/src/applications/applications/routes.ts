import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { collectionRoutes, created, pathParams, recordRoutes } from "../../platform/http/index.ts";
import { ListQuery } from "../../platform/paging/index.ts";
import type { ClientTools } from "../clients/index.ts";
import { Application, CreateApplication, CreatedApplication, UpdateApplication } from "./schema.ts";
import { createApplication, readApplication, removeApplication, saveApplication, searchApplications } from "./service.ts";

const params = pathParams("name");
const read = { permission: "view-clients" } as const;
const write = { permission: "manage-clients" } as const;
const tags = ["Applications"];

/** Mounted under /admin/realms/:realm/applications. */
export const applicationRoutes: FastifyPluginAsyncTypebox<ClientTools> = async (app, tools) => {
  collectionRoutes(app, "/", {
    tags,
    record: Application,
    list: { config: read, summary: "List applications", query: ListQuery, run: (ctx, _params, query) => searchApplications(ctx, query) },
  });

  app.post(
    "/",
    {
      config: write,
      schema: {
        summary: "Create an application",
        description:
          "Makes a client by the template, or with `saml` a SAML client, which needs `entityId` and `assertionConsumerServiceUrl`. If it has a secret, that is in the answer, and in no other.",
        tags,
        body: CreateApplication,
        response: { 201: CreatedApplication },
      },
    },
    async (req, reply) => {
      const { application, secret } = await req.transact((ctx) => createApplication(ctx, tools, req.body));
      return created(reply, application.name, { ...application, ...(secret !== null && { secret }) });
    },
  );

  recordRoutes(app, "/:name", {
    tags,
    params,
    record: Application,
    read: { config: read, summary: "Read an application", run: (ctx, { name }) => readApplication(ctx, name) },
    replace: {
      config: write,
      summary: "Update an application",
      description: "Other settings of its client stay as they are.",
      body: UpdateApplication,
      run: (ctx, { name }, body) => saveApplication(ctx, tools, name, body),
    },
    remove: {
      config: write,
      summary: "Delete an application",
      description: "Its client goes with it, and every token of that.",
      run: (ctx, { name }) => removeApplication(ctx, tools, name),
    },
  });
};
