import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { crudRoutes, pathParams } from "../../platform/http/index.ts";
import { ListQuery } from "../../platform/paging/index.ts";
import type { ClientTools } from "../clients/index.ts";
import { Application, CreateApplication, CreatedApplication, UpdateApplication } from "./schema.ts";
import { createApplication, readApplication, removeApplication, saveApplication, searchApplications } from "./service.ts";

/** Mounted under /admin/realms/:realm/applications. */
export const applicationRoutes: FastifyPluginAsyncTypebox<ClientTools> = async (app, tools) => {
  crudRoutes(app, ["/", "/:name"], {
    tags: ["Applications"],
    names: ["an application", "applications"],
    readers: { permission: "view-clients" },
    writers: { permission: "manage-clients" },
    itemParams: pathParams("name"),
    record: Application,
    list: { query: ListQuery, run: (ctx, _params, query) => searchApplications(ctx, query) },
    create: {
      description:
        "Creates a client from the template, or with `saml` a SAML client, which needs `entityId` and `assertionConsumerServiceUrl`. If the client has a secret, only this response contains it.",
      body: CreateApplication,
      answer: CreatedApplication,
      id: ({ name }) => name,
      run: (ctx, _params, body) => createApplication(ctx, tools, body),
    },
    read: { run: (ctx, { name }) => readApplication(ctx, name) },
    replace: {
      description: "The other settings of its client are unchanged.",
      body: UpdateApplication,
      run: (ctx, { name }, body) => saveApplication(ctx, tools, name, body),
    },
    remove: {
      description: "Also deletes its client and every token of the client.",
      run: (ctx, { name }) => removeApplication(ctx, tools, name),
    },
  });
};
