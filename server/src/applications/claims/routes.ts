import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { describePage, etag, ListQuery } from "../../platform/http/index.ts";
import { ClaimMapper, ClaimMapperInput, UpdateClaimMapper } from "./schema.ts";
import { createClaim, readClaim, removeClaim, saveClaim, searchClaims } from "./service.ts";

const params = Type.Object({ realm: Type.String(), claimId: Type.String() });
const read = { permission: ["manage-authorization", "view-clients"] } as const;
const write = { permission: "manage-authorization" } as const;
const tags = ["Claims"];

/** Mounted under /admin/realms/:realm/claims. */
export const claimRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    "/",
    { config: read, schema: { summary: "List claim mappers", tags, querystring: ListQuery, response: { 200: Type.Array(ClaimMapper) } } },
    async (req, reply) => {
      const page = await req.read((ctx) => searchClaims(ctx, req.query));
      describePage(req, reply, page);
      return page.rows;
    },
  );

  app.post(
    "/",
    {
      config: write,
      schema: {
        summary: "Create a claim mapper",
        description: "It counts once a client scope brings it: `PUT /client-scopes/{scopeId}/claims/{claimId}`.",
        tags,
        body: ClaimMapperInput,
        response: { 201: ClaimMapper },
      },
    },
    async (req, reply) => {
      const claim = await req.transact((ctx) => createClaim(ctx, req.body));
      return reply.code(201).header("etag", etag(claim.version)).send(claim);
    },
  );

  app.get(
    "/:claimId",
    { config: read, schema: { summary: "Read a claim mapper", tags, params, response: { 200: ClaimMapper } } },
    async (req, reply) => {
      const claim = await req.read((ctx) => readClaim(ctx, req.params.claimId));
      reply.header("etag", etag(claim.version));
      return claim;
    },
  );

  app.put(
    "/:claimId",
    {
      config: write,
      schema: {
        summary: "Update a claim mapper",
        description: "Counts for the next token, on every node.",
        tags,
        params,
        body: UpdateClaimMapper,
        response: { 200: ClaimMapper },
      },
    },
    async (req, reply) => {
      const claim = await req.transact((ctx) => saveClaim(ctx, req.params.claimId, req.body));
      reply.header("etag", etag(claim.version));
      return claim;
    },
  );

  app.delete(
    "/:claimId",
    {
      config: write,
      schema: {
        summary: "Delete a claim mapper",
        description: "Scopes that brought it no longer do.",
        tags,
        params,
        response: { 204: Type.Null({ description: "Deleted" }) },
      },
    },
    async (req, reply) => {
      await req.transact((ctx) => removeClaim(ctx, req.params.claimId));
      return reply.code(204).send(null);
    },
  );
};
