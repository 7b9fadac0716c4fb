import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { crudRoutes, noContent, noContentAnswer, pathParams } from "../../platform/http/index.ts";
import { ListQuery } from "../../platform/paging/index.ts";
import { ClientScope, ClientScopeClaim, CreateClientScope, UpdateClientScope } from "./schema.ts";
import { addClaim, createScope, dropClaim, readScope, readScopeClaim, removeScope, saveScope, searchScopes } from "./service.ts";

const claimParams = pathParams("scopeId", "claimId");
const read = { permission: ["manage-authorization", "view-clients"] } as const;
const write = { permission: "manage-authorization" } as const;
const tags = ["Client scopes"];

/** Mounted under /admin/realms/:realm/client-scopes. */
export const clientScopeRoutes: FastifyPluginAsyncTypebox = async (app) => {
  crudRoutes(app, ["/", "/:scopeId"], {
    ...{ tags, names: ["a client scope", "client scopes"], readers: read, writers: write },
    itemParams: pathParams("scopeId"),
    record: ClientScope,
    list: { query: ListQuery, run: (ctx, _params, query) => searchScopes(ctx, query) },
    create: { body: CreateClientScope, id: ({ scopeId }) => scopeId, run: (ctx, _params, body) => createScope(ctx, body) },
    read: { run: (ctx, { scopeId }) => readScope(ctx, scopeId) },
    replace: { body: UpdateClientScope, run: (ctx, { scopeId }, body) => saveScope(ctx, scopeId, body) },
    remove: {
      description: "Refused for `openid` and `offline_access`, and while clients list it. Its claim mappers stay.",
      run: (ctx, { scopeId }) => removeScope(ctx, scopeId),
    },
  });

  app.get(
    "/:scopeId/claims/:claimId",
    {
      config: read,
      schema: {
        summary: "Read a claim mapper of a client scope",
        tags,
        params: claimParams,
        response: { 200: ClientScopeClaim },
      },
    },
    (req) => req.read((ctx) => readScopeClaim(ctx, req.params.scopeId, req.params.claimId)),
  );

  app.put(
    "/:scopeId/claims/:claimId",
    {
      config: write,
      schema: {
        summary: "Attach a claim mapper to a client scope",
        tags,
        params: claimParams,
        response: noContentAnswer("Attached"),
      },
    },
    async (req, reply) => noContent(reply, await req.transact((ctx) => addClaim(ctx, req.params.scopeId, req.params.claimId))),
  );

  app.delete(
    "/:scopeId/claims/:claimId",
    {
      config: write,
      schema: {
        summary: "Detach a claim mapper from a client scope",
        tags,
        params: claimParams,
        response: noContentAnswer("Detached"),
      },
    },
    async (req, reply) => noContent(reply, await req.transact((ctx) => dropClaim(ctx, req.params.scopeId, req.params.claimId))),
  );
};
