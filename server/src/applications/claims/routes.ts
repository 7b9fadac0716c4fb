import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { crudRoutes, pathParams } from "../../platform/http/index.ts";
import { ListQuery } from "../../platform/paging/index.ts";
import { ClaimMapper, ClaimMapperInput, UpdateClaimMapper } from "./schema.ts";
import { createClaim, readClaim, removeClaim, saveClaim, searchClaims } from "./service.ts";

/** Mounted under /admin/realms/:realm/claims. */
export const claimRoutes: FastifyPluginAsyncTypebox = async (app) => {
  crudRoutes(app, ["/", "/:claimId"], {
    tags: ["Claims"],
    names: ["a claim mapper", "claim mappers"],
    readers: { permission: ["manage-authorization", "view-clients"] },
    writers: { permission: "manage-authorization" },
    itemParams: pathParams("claimId"),
    record: ClaimMapper,
    list: { query: ListQuery, run: (ctx, _params, query) => searchClaims(ctx, query) },
    create: {
      description: "A mapper has no effect until a client scope includes it: `PUT /client-scopes/{scopeId}/claims/{claimId}`.",
      body: ClaimMapperInput,
      id: ({ claimId }) => claimId,
      run: (ctx, _params, body) => createClaim(ctx, body),
    },
    read: { run: (ctx, { claimId }) => readClaim(ctx, claimId) },
    replace: {
      description: "Applies from the next token on, on every node.",
      body: UpdateClaimMapper,
      run: (ctx, { claimId }, body) => saveClaim(ctx, claimId, body),
    },
    remove: { description: "Client scopes that included it no longer do.", run: (ctx, { claimId }) => removeClaim(ctx, claimId) },
  });
};
