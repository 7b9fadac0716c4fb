import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import {
  CreateShare,
  OwnResource,
  OwnResourceDetails,
  readOwnResource,
  readOwnResources,
  readSharedResources,
  refuseRequest,
  Share,
  SharedResource,
  shareResource,
  unshareResource,
} from "../../../applications/authorization/index.ts";
import { created, noContent, noContentAnswer, paged, pathParams } from "../../../platform/http/index.ts";
import { ListQuery } from "../../../platform/paging/index.ts";

const read = { impersonated: true } as const;

/** Mounted under /realms/:realm/account/resources: what a user owns at applications with authorization services, and shares. */
export const ownResourceRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    "/",
    {
      config: read,
      schema: {
        operationId: "listAccountResources",
        summary: "List what you own at applications, and may share",
        description: "`search` is a whole name.",
        querystring: ListQuery,
        response: { 200: Type.Array(OwnResource) },
      },
    },
    async (req, reply) => paged(reply, await req.read((ctx) => readOwnResources(ctx, req.query))),
  );

  app.get(
    "/shared",
    {
      config: read,
      schema: {
        operationId: "listAccountSharedResources",
        summary: "List what others shared with you",
        querystring: ListQuery,
        response: { 200: Type.Array(SharedResource) },
      },
    },
    async (req, reply) => paged(reply, await req.read((ctx) => readSharedResources(ctx, req.query))),
  );

  app.get(
    "/:resourceId",
    {
      config: read,
      schema: {
        summary: "Read what you own, with whom you share it, and who asked for it",
        params: pathParams("resourceId"),
        response: { 200: OwnResourceDetails },
      },
    },
    (req) => req.read((ctx) => readOwnResource(ctx, req.params.resourceId)),
  );

  app.post(
    "/:resourceId/shares",
    {
      config: { limit: "account-shares", versioned: false },
      schema: {
        summary: "Share what you own with another user",
        description:
          "By username or mail address; a second time, with other scopes, it replaces the first. The answer, and your list, are the same for " +
          "people who do not exist.",
        params: pathParams("resourceId"),
        body: CreateShare,
        response: { 201: Share },
      },
    },
    async (req, reply) => {
      const share = await req.transact((ctx) => shareResource(ctx, req.params.resourceId, req.body));
      return created(reply, share.shareId, share);
    },
  );

  app.delete(
    "/:resourceId/shares/:shareId",
    {
      schema: {
        summary: "Stop sharing with a user",
        description: "Counts for the next decision. Tokens that hold the permission already keep it until they expire.",
        params: pathParams("resourceId", "shareId"),
        response: noContentAnswer("Not shared any more"),
      },
    },
    async (req, reply) => noContent(reply, await req.transact((ctx) => unshareResource(ctx, req.params.resourceId, req.params.shareId))),
  );

  app.delete(
    "/:resourceId/requests/:userId",
    {
      schema: {
        summary: "Refuse what a user asked you to share",
        params: pathParams("resourceId", "userId"),
        response: noContentAnswer("Refused"),
      },
    },
    async (req, reply) => noContent(reply, await req.transact((ctx) => refuseRequest(ctx, req.params.resourceId, req.params.userId))),
  );
};
