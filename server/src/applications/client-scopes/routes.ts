import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { refuseReadOnly } from "../../platform/full-state.ts";
import { bodyAsRead, callRoute, crudRoutes, pathParams } from "../../platform/http/index.ts";
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
      description: "Refused for `openid` and `offline_access`, and while clients list it. Its claim mappers are kept.",
      run: (ctx, { scopeId }) => removeScope(ctx, scopeId),
    },
  });

  callRoute(app, "GET", "/:scopeId/claims/:claimId", {
    config: read,
    summary: "Read a claim mapper of a client scope",
    tags,
    params: claimParams,
    answer: ClientScopeClaim,
    read: (ctx, { params }) => readScopeClaim(ctx, params.scopeId, params.claimId),
  });

  callRoute(app, "PUT", "/:scopeId/claims/:claimId", {
    config: write,
    summary: "Attach a claim mapper to a client scope",
    tags,
    params: claimParams,
    body: bodyAsRead(ClientScopeClaim),
    done: "Attached",
    async transact(ctx, { params: { scopeId, claimId }, body }) {
      await addClaim(ctx, scopeId, claimId);
      if (body) refuseReadOnly(await readScopeClaim(ctx, scopeId, claimId), body, ["claimId", "name"]);
    },
  });

  callRoute(app, "DELETE", "/:scopeId/claims/:claimId", {
    config: write,
    summary: "Detach a claim mapper from a client scope",
    tags,
    params: claimParams,
    done: "Detached",
    transact: (ctx, { params }) => dropClaim(ctx, params.scopeId, params.claimId),
  });
};
