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
    read: { config, summary: "Read the rules of client registration", run: readProvisioning },
    replace: {
      config,
      summary: "Set the rules of client registration",
      ofPut: "Omitted members return to their defaults.",
      description: "Applies to clients that register or update their registration from now on.",
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
      description: "Returns the tokens that have not expired, including used ones. The tokens themselves are not stored.",
      query: ListQuery,
      run: (ctx, _params, query) => searchTokens(ctx, query),
    },
    create: {
      config,
      summary: "Create an initial access token",
      description: "`count` clients may register with it at `/connect/register` until it expires. Only this response contains the token.",
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
    description: "Clients that were registered with it are kept.",
    tags,
    params,
    done: "Deleted",
    transact: (ctx, { params }) => removeToken(ctx, params.tokenId),
  });
};
