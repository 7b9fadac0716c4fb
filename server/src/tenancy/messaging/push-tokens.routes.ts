import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { created, noContent, noContentAnswer, paged } from "../../platform/http/index.ts";
import { PushToken, PushTokenQuery, RegisterPushToken } from "./push-tokens.schema.ts";
import { type PushTokenParts, readPushToken, registerPushToken, removePushToken, searchPushTokens } from "./push-tokens.service.ts";

const tags = ["Messaging"];
const params = Type.Object({ realm: Type.String(), pushTokenId: Type.String({ description: "The push token's id" }) });
const config = { permission: "manage-realm" } as const;

/** Mounted under /admin/realms/:realm/messaging/push-tokens. */
export const pushTokenRoutes: FastifyPluginAsyncTypebox<PushTokenParts> = async (app, { vault, assertMayControl }) => {
  const parts = { vault, assertMayControl };
  app.get(
    "/",
    {
      config,
      schema: {
        summary: "List push tokens",
        description: "`search` takes an id, a user's id, or the beginning of a device's name.",
        tags,
        querystring: PushTokenQuery,
        response: { 200: Type.Array(PushToken) },
      },
    },
    async (req, reply) => paged(reply, await req.read((ctx) => searchPushTokens(ctx, req.query, parts))),
  );

  app.post(
    "/",
    {
      config,
      schema: {
        summary: "Register a device of a user for push messages",
        description: "A token that is known already is moved to this user. Needs the permissions that the user holds.",
        tags,
        body: RegisterPushToken,
        response: { 201: PushToken },
      },
    },
    async (req, reply) => {
      const pushToken = await req.transact((ctx) => registerPushToken(ctx, req.body, parts));
      return created(reply, pushToken.id, pushToken);
    },
  );

  app.get("/:pushTokenId", { config, schema: { summary: "Read a push token", tags, params, response: { 200: PushToken } } }, (req) =>
    req.read((ctx) => readPushToken(ctx, req.params.pushTokenId, parts)),
  );

  app.delete(
    "/:pushTokenId",
    {
      config,
      schema: {
        summary: "Remove a device",
        tags,
        params,
        response: noContentAnswer(),
      },
    },
    async (req, reply) => {
      await req.transact((ctx) => removePushToken(ctx, req.params.pushTokenId, parts));
      return noContent(reply);
    },
  );
};
