import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { callRoute, collectionRoutes, pathParams, recordRoutes } from "../../../platform/http/index.ts";
import { ListQuery } from "../../../platform/paging/index.ts";
import * as schemas from "./provisioning.schema.ts";
import { createToken, readProvisioning, readToken, removeToken, replaceProvisioning, searchTokens } from "./provisioning.service.ts";

const config = { permission: "manage-realm" } as const;
const tags = ["Provisioning"];
const params = pathParams("tokenId");

/** Mounted under /admin/realms/:realm/provisioning. */
export const provisioningRoutes: FastifyPluginAsyncTypebox = async (app) => {
  recordRoutes(app, "/", {
    tags,
    params: pathParams(),
    record: schemas.Provisioning,
    read: { config, summary: "Read who may register clients, and how", run: readProvisioning },
    replace: {
      config,
      summary: "Set who may register clients, and how",
      ofPut: "Members that are left out return to their defaults.",
      description: "Counts for clients that register or change themselves from now on.",
      body: schemas.UpdateProvisioning,
      run: (ctx, _params, body) => replaceProvisioning(ctx, body),
    },
  });

  collectionRoutes(app, "/initial-access-tokens", {
    tags,
    record: schemas.InitialAccessToken,
    list: {
      config,
      summary: "List initial access tokens",
      description: "Lists tokens that have not expired, used up or not. The tokens themselves are not kept.",
      query: ListQuery,
      run: (ctx, _params, query) => searchTokens(ctx, query),
    },
    create: {
      config,
      summary: "Make an initial access token",
      description: "With it, `count` clients may register at `/connect/register` while it lives. It is in the answer, and in no other.",
      body: schemas.CreateInitialAccessToken,
      answer: schemas.CreatedInitialAccessToken,
      id: ({ id }) => id,
      run: (ctx, _params, body) => createToken(ctx, body),
    },
  });

  callRoute(app, "GET", "/initial-access-tokens/:tokenId", {
    config,
    summary: "Read an initial access token",
    tags,
    params,
    answer: schemas.InitialAccessToken,
    read: (ctx, { params }) => readToken(ctx, params.tokenId),
  });

  callRoute(app, "DELETE", "/initial-access-tokens/:tokenId", {
    config,
    summary: "Delete an initial access token",
    description: "Clients that were registered with it stay.",
    tags,
    params,
    done: "Deleted",
    transact: (ctx, { params }) => removeToken(ctx, params.tokenId),
  });
};
