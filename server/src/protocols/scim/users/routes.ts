import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { sendCreated, sendResource } from "../replies.ts";
import { resourceRoutes } from "../resource.routes.ts";
import { ScimUser } from "../schema/documents.ts";
import { userType } from "../schema/resource-types.ts";
import { createUser, listUsers, patchUser, readUser, removeUser, replaceUser, type UserParts } from "./service.ts";

/** Mounted under /realms/:realm/scim/v2/Users. */
export const scimUserRoutes: FastifyPluginAsyncTypebox<UserParts & { readonly baseUrl: string }> = async (app, parts) => {
  resourceRoutes(app, {
    baseUrl: parts.baseUrl,
    type: userType,
    document: ScimUser,
    names: { one: "User", whole: "a user" },
    manage: "manage-users",
    descriptions: {
      replace: "If `active` or `externalId` is omitted, it is kept; other omitted attributes are removed.",
      delete: "Deletes the account. With the token of an organization, a user of several organizations only leaves this one.",
    },
    list: listUsers,
    create: async (reply, call, body) => sendCreated(reply, userType, await createUser(call, parts, body)),
    read: async (reply, call, id) => sendResource(reply, userType, await readUser(call, id)),
    replace: async (reply, call, id, body) => sendResource(reply, userType, await replaceUser(call, parts, id, body)),
    patch: async (reply, call, id, operations) => sendResource(reply, userType, await patchUser(call, parts, id, operations)),
    remove: removeUser,
  });
};
