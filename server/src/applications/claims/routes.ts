import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { collectionRoutes, pathParams, recordRoutes } from "../../platform/http/index.ts";
import { ListQuery } from "../../platform/paging/index.ts";
import { ClaimMapper, ClaimMapperInput, UpdateClaimMapper } from "./schema.ts";
import { createClaim, readClaim, removeClaim, saveClaim, searchClaims } from "./service.ts";

const params = pathParams("claimId");
const read = { permission: ["manage-authorization", "view-clients"] } as const;
const write = { permission: "manage-authorization" } as const;
const tags = ["Claims"];

/** Mounted under /admin/realms/:realm/claims. */
export const claimRoutes: FastifyPluginAsyncTypebox = async (app) => {
  collectionRoutes(app, "/", {
    tags,
    record: ClaimMapper,
    list: { config: read, summary: "List claim mappers", query: ListQuery, run: (ctx, _params, query) => searchClaims(ctx, query) },
    create: {
      config: write,
      summary: "Create a claim mapper",
      description: "It applies once a client scope includes it: `PUT /client-scopes/{scopeId}/claims/{claimId}`.",
      body: ClaimMapperInput,
      id: ({ claimId }) => claimId,
      run: (ctx, _params, body) => createClaim(ctx, body),
    },
  });

  recordRoutes(app, "/:claimId", {
    tags,
    params,
    record: ClaimMapper,
    read: { config: read, summary: "Read a claim mapper", run: (ctx, { claimId }) => readClaim(ctx, claimId) },
    replace: {
      config: write,
      summary: "Update a claim mapper",
      description: "Counts for the next token, on every node.",
      body: UpdateClaimMapper,
      run: (ctx, { claimId }, body) => saveClaim(ctx, claimId, body),
    },
    remove: {
      config: write,
      summary: "Delete a claim mapper",
      description: "Scopes that brought it no longer do.",
      run: (ctx, { claimId }) => removeClaim(ctx, claimId),
    },
  });
};
