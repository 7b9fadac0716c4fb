import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
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
import { callRoute, collectionRoutes, pathParams } from "../../../platform/http/index.ts";
import { ListQuery } from "../../../platform/paging/index.ts";

const read = { impersonated: true } as const;

/** Mounted under /realms/:realm/account/resources: resources that a user owns and shares at applications with authorization services. */
export const ownResourceRoutes: FastifyPluginAsyncTypebox = async (app) => {
  collectionRoutes(app, "/", {
    record: OwnResource,
    list: {
      config: read,
      operationId: "listAccountResources",
      summary: "List the resources that you own at applications and may share",
      description: "`search` compares the whole name.",
      query: ListQuery,
      run: (ctx, _params, query) => readOwnResources(ctx, query),
    },
  });

  collectionRoutes(app, "/shared", {
    record: SharedResource,
    list: {
      config: read,
      operationId: "listAccountSharedResources",
      summary: "List the resources that others shared with you",
      query: ListQuery,
      run: (ctx, _params, query) => readSharedResources(ctx, query),
    },
  });

  callRoute(app, "GET", "/:resourceId", {
    config: read,
    summary: "Read a resource that you own, with its shares and the requests for it",
    params: pathParams("resourceId"),
    answer: OwnResourceDetails,
    read: (ctx, { params }) => readOwnResource(ctx, params.resourceId),
  });

  collectionRoutes(app, "/:resourceId/shares", {
    params: pathParams("resourceId"),
    record: Share,
    create: {
      config: { limit: "account-shares", versioned: false },
      summary: "Share a resource with another user",
      description:
        "Names the user by username or email address. Sharing again with other scopes replaces the first share. The response, and your list, are the same for " +
        "people who do not exist.",
      body: CreateShare,
      id: ({ shareId }) => shareId,
      run: (ctx, { resourceId }, body) => shareResource(ctx, resourceId, body),
    },
  });

  callRoute(app, "DELETE", "/:resourceId/shares/:shareId", {
    summary: "Stop sharing with a user",
    description: "Applies from the next decision on. Tokens that already contain the permission keep it until they expire.",
    params: pathParams("resourceId", "shareId"),
    done: "No longer shared",
    transact: (ctx, { params }) => unshareResource(ctx, params.resourceId, params.shareId),
  });

  callRoute(app, "DELETE", "/:resourceId/requests/:userId", {
    summary: "Refuse a user's request to share a resource",
    params: pathParams("resourceId", "userId"),
    done: "Refused",
    transact: (ctx, { params }) => refuseRequest(ctx, params.resourceId, params.userId),
  });
};
