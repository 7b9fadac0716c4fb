import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { describePage, etag, ListQuery } from "../../platform/http/index.ts";
import { createToken, removeToken, searchTokens } from "./initial-tokens.service.ts";
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
const params = Type.Object({ realm: Type.String(), tokenId: Type.String() });

/** Mounted under /admin/realms/:realm/provisioning. */
export const provisioningRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    "/",
    { config, schema: { summary: "Read who may register clients, and how", tags, response: { 200: Provisioning } } },
    async (req, reply) => {
      const { provisioning, version } = await req.read(readProvisioning);
      reply.header("etag", etag(version));
      return provisioning;
    },
  );

  app.put(
    "/",
    {
      config,
      schema: {
        summary: "Set who may register clients, and how",
        description: "What is left out returns to its default. Counts for clients that register or change themselves from now on.",
        tags,
        body: UpdateProvisioning,
        response: { 200: Provisioning },
      },
    },
    async (req, reply) => {
      const { provisioning, version } = await req.transact((ctx) => replaceProvisioning(ctx, req.body));
      reply.header("etag", etag(version));
      return provisioning;
    },
  );

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
    async (req, reply) => {
      const page = await req.read((ctx) => searchTokens(ctx, req.query));
      describePage(req, reply, page);
      return page.rows;
    },
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
    async (req, reply) => reply.code(201).send(await req.transact((ctx) => createToken(ctx, req.body))),
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
        response: { 204: Type.Null({ description: "Deleted" }) },
      },
    },
    async (req, reply) => {
      await req.transact((ctx) => removeToken(ctx, req.params.tokenId));
      return reply.code(204).send(null);
    },
  );
};
