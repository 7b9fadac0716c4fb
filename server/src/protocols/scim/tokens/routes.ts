import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { callRoute, collectionRoutes, pathParams } from "../../../platform/http/index.ts";
import { ListQuery } from "../../../platform/paging/index.ts";
import { CreatedScimToken, CreateScimToken, ScimToken } from "./schema.ts";
import { createToken, readToken, removeToken, searchTokens } from "./service.ts";

const config = { permission: "manage-realm" } as const;
const tags = ["Provisioning"];
const params = pathParams("scimTokenId");

/** Mounted under /admin/realms/:realm/provisioning/scim-tokens. */
export const scimTokenRoutes: FastifyPluginAsyncTypebox<{ baseUrl: string }> = async (app, { baseUrl }) => {
  collectionRoutes(app, "/", {
    tags,
    record: ScimToken,
    list: {
      config,
      operationId: "listScimTokens",
      summary: "List SCIM tokens",
      description: "Returns the tokens that have not expired. The tokens themselves are not stored.",
      query: ListQuery,
      run: (ctx, _params, query) => searchTokens(ctx, baseUrl, query),
    },
    create: {
      config,
      operationId: "createScimToken",
      summary: "Create a SCIM token",
      description:
        "For a provisioning client (Microsoft Entra, Okta, …) at `/realms/{realm}/scim/v2`. You must hold each of its permissions (403), which are " +
        "by default `view-users`, `manage-users` and `manage-organizations`. Only this response contains the token.",
      body: CreateScimToken,
      answer: CreatedScimToken,
      id: ({ id }) => id,
      run: (ctx, _params, body) => createToken(ctx, baseUrl, body),
    },
  });

  callRoute(app, "GET", "/:scimTokenId", {
    config,
    operationId: "getScimToken",
    summary: "Read a SCIM token",
    tags,
    params,
    answer: ScimToken,
    read: (ctx, { params }) => readToken(ctx, baseUrl, params.scimTokenId),
  });

  callRoute(app, "DELETE", "/:scimTokenId", {
    config,
    operationId: "deleteScimToken",
    summary: "Revoke a SCIM token",
    description: "The next request with it is refused. Users and groups that it provisioned are kept.",
    tags,
    params,
    done: "Revoked",
    transact: (ctx, { params }) => removeToken(ctx, params.scimTokenId),
  });
};
