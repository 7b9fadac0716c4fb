import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { callRoute, collectionRoutes } from "../../platform/http/index.ts";
import { PushToken, PushTokenQuery, RegisterPushToken } from "./push-tokens.schema.ts";
import { type PushTokenParts, readPushToken, registerPushToken, removePushToken, searchPushTokens } from "./push-tokens.service.ts";

const tags = ["Messaging"];
const params = Type.Object({ realm: Type.String(), pushTokenId: Type.String({ description: "The push token's id" }) });
const config = { permission: "manage-realm" } as const;

/** Mounted under /admin/realms/:realm/messaging/push-tokens. */
export const pushTokenRoutes: FastifyPluginAsyncTypebox<PushTokenParts> = async (app, { vault, assertMayControl }) => {
  const parts = { vault, assertMayControl };
  collectionRoutes(app, "/", {
    tags,
    record: PushToken,
    list: {
      config,
      summary: "List push tokens",
      description: "`search` takes an id, a user's id, or the beginning of a device's name.",
      query: PushTokenQuery,
      run: (ctx, _params, query) => searchPushTokens(ctx, query, parts),
    },
    create: {
      config,
      summary: "Register a device of a user for push messages",
      description: "A token that is already known is moved to this user. Needs every permission of the user.",
      body: RegisterPushToken,
      id: ({ id }) => id,
      run: (ctx, _params, body) => registerPushToken(ctx, body, parts),
    },
  });

  callRoute(app, "GET", "/:pushTokenId", {
    config,
    summary: "Read a push token",
    tags,
    params,
    answer: PushToken,
    read: (ctx, { params }) => readPushToken(ctx, params.pushTokenId, parts),
  });

  callRoute(app, "DELETE", "/:pushTokenId", {
    config,
    summary: "Remove a device",
    tags,
    params,
    transact: (ctx, { params }) => removePushToken(ctx, params.pushTokenId, parts),
  });
};
