import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { crudRoutes, paged, pathParams, recordRoutes, route, versioned } from "../../platform/http/index.ts";
import { ListQuery, pageInMemory, type ShortList } from "../../platform/paging/index.ts";
import { AuthenticatorInfo, CreateFlow, Flow, RenameFlow, UpdateFlow } from "./schema.ts";
import { BROWSER_FLOW, createFlow, listAuthenticators, readFlow, removeFlow, renameFlow, saveFlow, searchFlows } from "./service.ts";

const tags = ["Flows"];
const params = pathParams("alias");
const config = { permission: "manage-authorization" } as const;
const saving =
  "Refused with the step and the reason if no user could pass, or if a user could pass without proof. Sign-ins in progress start again.";

/** Mounted under /admin/realms/:realm/flows. */
export const flowRoutes: FastifyPluginAsyncTypebox = async (app) => {
  crudRoutes(app, ["/", "/:alias"], {
    ...{ tags, names: ["a flow", "flows"], readers: config, writers: config },
    itemParams: params,
    record: Flow,
    list: { query: ListQuery, run: (ctx, _params, query) => searchFlows(ctx, query) },
    create: {
      description: "Needs `steps`, or copies another flow. Clients use it through their `browserFlow` or `directGrantFlow`.",
      body: CreateFlow,
      id: ({ alias }) => alias,
      run: (ctx, _params, body) => createFlow(ctx, body),
    },
    read: { run: (ctx, { alias }) => readFlow(ctx, alias) },
    replace: {
      summary: "Save a flow",
      ofPut: "The full state.",
      description: saving,
      body: UpdateFlow,
      run: (ctx, { alias }, body) => saveFlow(ctx, alias, body),
      // PATCH renames a flow.
      methods: ["PUT"],
    },
    remove: { description: "Refused for a built-in flow, and while clients use it.", run: (ctx, { alias }) => removeFlow(ctx, alias) },
  });

  route(app, "PATCH", "/:alias", {
    config,
    summary: "Rename a flow",
    description: "Clients that use the flow keep using it. Built-in flows cannot be renamed.",
    tags,
    params,
    body: RenameFlow,
    response: { 200: Flow },
    handler: async (req, reply) => versioned(reply, await req.transact((ctx) => renameFlow(ctx, req.params.alias, req.body.alias))),
  });
};

/** Mounted under /admin/realms/:realm/flow. This is the browser flow, which clients may override. */
export const browserFlowRoutes: FastifyPluginAsyncTypebox = async (app) => {
  recordRoutes(app, "/", {
    tags,
    params: pathParams(),
    record: Flow,
    read: {
      config,
      operationId: "getBrowserFlow",
      summary: "Read the browser sign-in flow",
      run: (ctx) => readFlow(ctx, BROWSER_FLOW),
    },
    replace: {
      config,
      operationId: "updateBrowserFlow",
      summary: "Save the browser sign-in flow",
      ofPut: "The full state.",
      description: saving,
      body: UpdateFlow,
      run: (ctx, _params, body) => saveFlow(ctx, BROWSER_FLOW, body),
    },
  });
};

const authenticatorList: ShortList<AuthenticatorInfo> = {
  sorts: { name: ({ name }) => name },
  names: ({ name, displayName }) => [name, displayName],
};

/** Mounted under /admin/realms/:realm/authenticators. */
export const authenticatorRoutes: FastifyPluginAsyncTypebox = async (app) => {
  route(app, "GET", "/", {
    config,
    summary: "List the authenticators that steps of a flow can use",
    tags,
    querystring: ListQuery,
    response: { 200: Type.Array(AuthenticatorInfo) },
    handler: async (req, reply) => paged(reply, pageInMemory(listAuthenticators(), authenticatorList, req.query)),
  });
};
