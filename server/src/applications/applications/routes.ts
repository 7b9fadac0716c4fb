import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { describePage, etag, ListQuery } from "../../platform/http/index.ts";
import type { ClientTools } from "../clients/index.ts";
import { Application, CreateApplication, CreatedApplication, UpdateApplication } from "./schema.ts";
import { createApplication, readApplication, refuseSaml, removeApplication, saveApplication, searchApplications } from "./service.ts";

const params = Type.Object({ realm: Type.String(), name: Type.String() });
const read = { permission: "view-clients" } as const;
const write = { permission: "manage-clients" } as const;
const tags = ["Applications"];

/** Mounted under /admin/realms/:realm/applications. */
export const applicationRoutes: FastifyPluginAsyncTypebox<ClientTools> = async (app, tools) => {
  app.get(
    "/",
    { config: read, schema: { summary: "List applications", tags, querystring: ListQuery, response: { 200: Type.Array(Application) } } },
    async (req, reply) => {
      const page = await req.read((ctx) => searchApplications(ctx, req.query));
      describePage(req, reply, page);
      return page.rows;
    },
  );

  app.post(
    "/",
    {
      config: write,
      preValidation: async ({ body }) => refuseSaml(body),
      schema: {
        summary: "Create an application",
        description: "Makes a client by the template. If that has a secret, it is in the answer, and in no other.",
        tags,
        body: CreateApplication,
        response: { 201: CreatedApplication },
      },
    },
    async (req, reply) => {
      const { application, secret } = await req.transact((ctx) => createApplication(ctx, tools, req.body));
      return reply
        .code(201)
        .header("etag", etag(application.version))
        .send({ ...application, ...(secret !== null && { secret }) });
    },
  );

  app.get(
    "/:name",
    { config: read, schema: { summary: "Read an application", tags, params, response: { 200: Application } } },
    async (req, reply) => {
      const application = await req.read((ctx) => readApplication(ctx, req.params.name));
      reply.header("etag", etag(application.version));
      return application;
    },
  );

  app.put(
    "/:name",
    {
      config: write,
      schema: {
        summary: "Update an application",
        description: "What its client has besides stays as it is.",
        tags,
        params,
        body: UpdateApplication,
        response: { 200: Application },
      },
    },
    async (req, reply) => {
      const application = await req.transact((ctx) => saveApplication(ctx, tools, req.params.name, req.body));
      reply.header("etag", etag(application.version));
      return application;
    },
  );

  app.delete(
    "/:name",
    {
      config: write,
      schema: {
        summary: "Delete an application",
        description: "Its client goes with it, and every token of that.",
        tags,
        params,
        response: { 204: Type.Null({ description: "Deleted" }) },
      },
    },
    async (req, reply) => {
      await req.transact((ctx) => removeApplication(ctx, tools, req.params.name));
      return reply.code(204).send(null);
    },
  );
};
