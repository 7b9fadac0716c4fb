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
      summary: "List what you own at applications, and may share",
      description: "`search` is a whole name.",
      query: ListQuery,
      run: (ctx, _params, query) => readOwnResources(ctx, query),
    },
  });

  collectionRoutes(app, "/shared", {
    record: SharedResource,
    list: {
      config: read,
      operationId: "listAccountSharedResources",
      summary: "List what others shared with you",
      query: ListQuery,
      run: (ctx, _params, query) => readSharedResources(ctx, query),
    },
  });

  callRoute(app, "GET", "/:resourceId", {
    config: read,
    summary: "Read what you own, with whom you share it, and who asked for it",
    params: pathParams("resourceId"),
    answer: OwnResourceDetails,
    read: (ctx, { params }) => readOwnResource(ctx, params.resourceId),
  });

  collectionRoutes(app, "/:resourceId/shares", {
    params: pathParams("resourceId"),
    record: Share,
    create: {
      config: { limit: "account-shares", versioned: false },
      summary: "Share what you own with another user",
      description:
        "By username or mail address; a second time, with other scopes, it replaces the first. The answer, and your list, are the same for " +
        "people who do not exist.",
      body: CreateShare,
      id: ({ shareId }) => shareId,
      run: (ctx, { resourceId }, body) => shareResource(ctx, resourceId, body),
    },
  });

  callRoute(app, "DELETE", "/:resourceId/shares/:shareId", {
    summary: "Stop sharing with a user",
    description: "Counts for the next decision. Tokens that hold the permission already keep it until they expire.",
    params: pathParams("resourceId", "shareId"),
    done: "Not shared any more",
    transact: (ctx, { params }) => unshareResource(ctx, params.resourceId, params.shareId),
  });

  callRoute(app, "DELETE", "/:resourceId/requests/:userId", {
    summary: "Refuse what a user asked you to share",
    params: pathParams("resourceId", "userId"),
    done: "Refused",
    transact: (ctx, { params }) => refuseRequest(ctx, params.resourceId, params.userId),
  });
};
