import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { describePage, etag, ListQuery } from "../../platform/http/index.ts";
import { AuthenticatorInfo, CreateFlow, Flow, RenameFlow, UpdateFlow } from "./schema.ts";
import { BROWSER_FLOW, createFlow, listAuthenticators, readFlow, removeFlow, renameFlow, saveFlow, searchFlows } from "./service.ts";

const tags = ["Flows"];
const params = Type.Object({ realm: Type.String(), alias: Type.String() });
const config = { permission: "manage-authorization" } as const;
const saving =
  "The full state. Refused with the step and the reason where nobody could pass, or somebody without proving who they are. Sign-ins under way begin again.";

/** Mounted under /admin/realms/:realm/flows. */
export const flowRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    "/",
    { config, schema: { summary: "List flows", tags, querystring: ListQuery, response: { 200: Type.Array(Flow) } } },
    async (req, reply) => {
      const page = await req.read((ctx) => searchFlows(ctx, req.query));
      describePage(req, reply, page);
      return page.rows;
    },
  );

  app.post(
    "/",
    {
      config,
      schema: {
        summary: "Create a flow",
        description: "Of `steps`, or as a copy of another flow. Clients use it by their `browserFlow` or `directGrantFlow`.",
        tags,
        body: CreateFlow,
        response: { 201: Flow },
      },
    },
    async (req, reply) => {
      const flow = await req.transact((ctx) => createFlow(ctx, req.body));
      return reply.code(201).header("etag", etag(flow.version)).send(flow);
    },
  );

  app.get("/:alias", { config, schema: { summary: "Read a flow", tags, params, response: { 200: Flow } } }, async (req, reply) => {
    const flow = await req.read((ctx) => readFlow(ctx, req.params.alias));
    reply.header("etag", etag(flow.version));
    return flow;
  });

  app.put(
    "/:alias",
    { config, schema: { summary: "Save a flow", description: saving, tags, params, body: UpdateFlow, response: { 200: Flow } } },
    async (req, reply) => {
      const flow = await req.transact((ctx) => saveFlow(ctx, req.params.alias, req.body));
      reply.header("etag", etag(flow.version));
      return flow;
    },
  );

  app.patch(
    "/:alias",
    {
      config,
      schema: {
        summary: "Rename a flow",
        description: "Clients that use it follow. Built-in flows keep their alias.",
        tags,
        params,
        body: RenameFlow,
        response: { 200: Flow },
      },
    },
    async (req, reply) => {
      const flow = await req.transact((ctx) => renameFlow(ctx, req.params.alias, req.body.alias));
      reply.header("etag", etag(flow.version));
      return flow;
    },
  );

  app.delete(
    "/:alias",
    {
      config,
      schema: {
        summary: "Delete a flow",
        description: "Refused for a built-in one, and while clients use it.",
        tags,
        params,
        response: { 204: Type.Null({ description: "Deleted" }) },
      },
    },
    async (req, reply) => {
      await req.transact((ctx) => removeFlow(ctx, req.params.alias));
      return reply.code(204).send(null);
    },
  );
};

/** Mounted under /admin/realms/:realm/flow: the flow by which people sign in, unless their client has another. */
export const browserFlowRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    "/",
    { config, schema: { operationId: "getBrowserFlow", summary: "Read the browser sign-in flow", tags, response: { 200: Flow } } },
    async (req, reply) => {
      const flow = await req.read((ctx) => readFlow(ctx, BROWSER_FLOW));
      reply.header("etag", etag(flow.version));
      return flow;
    },
  );

  app.put(
    "/",
    {
      config,
      schema: {
        operationId: "updateBrowserFlow",
        summary: "Save the browser sign-in flow",
        description: saving,
        tags,
        body: UpdateFlow,
        response: { 200: Flow },
      },
    },
    async (req, reply) => {
      const flow = await req.transact((ctx) => saveFlow(ctx, BROWSER_FLOW, req.body));
      reply.header("etag", etag(flow.version));
      return flow;
    },
  );
};

/** Mounted under /admin/realms/:realm/authenticators. */
export const authenticatorRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    "/",
    {
      config,
      schema: { summary: "List what steps of a flow can ask", tags, response: { 200: Type.Array(AuthenticatorInfo) } },
    },
    async () => listAuthenticators(),
  );
};
