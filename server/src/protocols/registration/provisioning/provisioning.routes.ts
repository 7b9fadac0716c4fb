import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { created, noContent, noContentAnswer, paged, pathParams, recordRoutes } from "../../../platform/http/index.ts";
import { ListQuery } from "../../../platform/paging/index.ts";
import { createToken, readToken, removeToken, searchTokens } from "./initial-tokens.service.ts";
import {
  CreatedInitialAccessToken,
  CreateInitialAccessToken,
  InitialAccessToken,
  Provisioning,
  UpdateProvisioning,
} from "./provisioning.schema.ts";
import { readProvisioning, replaceProvisioning } from "./provisioning.service.ts";

const config = { permission: "manage-realm" } as const;
const tags = ["Provisioning"];
const params = pathParams("tokenId");

/** Mounted under /admin/realms/:realm/provisioning. */
export const provisioningRoutes: FastifyPluginAsyncTypebox = async (app) => {
  recordRoutes(app, "/", {
    tags,
    params: pathParams(),
    record: Provisioning,
    read: { config, summary: "Read who may register clients, and how", run: readProvisioning },
    replace: {
      config,
      summary: "Set who may register clients, and how",
      ofPut: "Members that are left out return to their defaults.",
      description: "Counts for clients that register or change themselves from now on.",
      body: UpdateProvisioning,
      run: (ctx, _params, body) => replaceProvisioning(ctx, body),
    },
  });

  app.get(
    "/initial-access-tokens",
    {
      config,
      schema: {
        summary: "List initial access tokens",
        description: "Those that have not expired, used up or not. The tokens themselves are not kept.",
        tags,
        querystring: ListQuery,
        response: { 200: Type.Array(InitialAccessToken) },
      },
    },
    async (req, reply) => paged(reply, await req.read((ctx) => searchTokens(ctx, req.query))),
  );

  app.post(
    "/initial-access-tokens",
    {
      config,
      schema: {
        summary: "Make an initial access token",
        description: "With it, `count` clients may register at `/connect/register` while it lives. It is in the answer, and in no other.",
        tags,
        body: CreateInitialAccessToken,
        response: { 201: CreatedInitialAccessToken },
      },
    },
    async (req, reply) => {
      const token = await req.transact((ctx) => createToken(ctx, req.body));
      return created(reply, token.id, token);
    },
  );

  app.get(
    "/initial-access-tokens/:tokenId",
    { config, schema: { summary: "Read an initial access token", tags, params, response: { 200: InitialAccessToken } } },
    (req) => req.read((ctx) => readToken(ctx, req.params.tokenId)),
  );

  app.delete(
    "/initial-access-tokens/:tokenId",
    {
      config,
      schema: {
        summary: "Delete an initial access token",
        description: "Clients that were registered with it stay.",
        tags,
        params,
        response: noContentAnswer("Deleted"),
      },
    },
    async (req, reply) => noContent(reply, await req.transact((ctx) => removeToken(ctx, req.params.tokenId))),
  );
};
