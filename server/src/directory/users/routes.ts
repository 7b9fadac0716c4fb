import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { callRoute, collectionRoutes, created, pathParams, recordRoutes, route } from "../../platform/http/index.ts";
import { ListQuery, pageInMemory } from "../../platform/paging/index.ts";
import { readUserProfile, UserProfilePolicy } from "../../tenancy/settings/index.ts";
import { AssignRole, givenRoles, RoleMapping } from "../roles/index.ts";
import { createUserToSignIn, prepareFirstPassword } from "./creation.service.ts";
import type { UserCredentialParts } from "./credentials.routes.ts";
import { UserQuery } from "./list.schema.ts";
import { assignRole, readMapping, readMappings, unassignRole } from "./roles.service.ts";
import { CreateUserToSignIn, UpdateUser, User } from "./schema.ts";
import { readUser, removeUser, saveUser, searchUsers } from "./service.ts";

const tags = ["Users"];
const params = pathParams("userId");
const read = { permission: "view-users" } as const;
const write = { permission: "manage-users" } as const;

/** Mounted under /admin/realms/:realm/users. */
export const userRoutes: FastifyPluginAsyncTypebox<Omit<UserCredentialParts, "directoryPasswords">> = async (
  app,
  { realms, hasher, breaches },
) => {
  collectionRoutes(app, "/", {
    tags,
    record: User,
    list: { config: read, summary: "List users", query: UserQuery, run: (ctx, _params, query) => searchUsers(ctx, query) },
  });

  route(app, "POST", "/", {
    config: write,
    summary: "Create a user",
    description:
      "Sets the `password` and `requiredActions`, too, if they are sent. If the password is refused (400 `password.policy`, " +
      "`password.breached`), no user is created.",
    tags,
    body: CreateUserToSignIn,
    response: { 201: User },
    handler: async (req, reply) => {
      const { passwordPolicy } = (await realms.get(req.realmId))!.settings;
      const hash = await req.read((ctx) => prepareFirstPassword(ctx, { hasher, breaches }, passwordPolicy, req.body));
      const user = await req.transact(async (ctx) => readUser(ctx, (await createUserToSignIn(ctx, req.body, hash)).userId));
      return created(reply, user.userId, user);
    },
  });

  callRoute(app, "GET", "/profile", {
    config: read,
    summary: "Read the attributes that the realm declares",
    description: "Returns the member `userProfile` of the realm's settings, for callers who may read users but not the settings.",
    operationId: "getUserProfile",
    tags,
    params: pathParams(),
    answer: UserProfilePolicy,
    read: readUserProfile,
  });

  recordRoutes(app, "/:userId", {
    tags,
    params,
    record: User,
    read: { config: read, summary: "Read a user", run: (ctx, { userId }) => readUser(ctx, userId) },
    replace: {
      config: write,
      summary: "Replace a user's state",
      body: UpdateUser,
      run: (ctx, { userId }, body, _query, patched) => saveUser(ctx, userId, body, { ...(patched && { sets: patched }) }),
    },
    remove: { config: write, summary: "Delete a user", run: (ctx, { userId }) => removeUser(ctx, userId) },
  });

  collectionRoutes(app, "/:userId/roles", {
    tags,
    params,
    record: RoleMapping,
    list: {
      config: { permission: ["view-users", "manage-users", "manage-roles"] },
      summary: "List a user's roles, including those from groups and other roles",
      query: ListQuery,
      run: async (ctx, { userId }, query) => pageInMemory(await readMappings(ctx, userId), givenRoles, query),
    },
  });

  const assign = { permission: ["manage-users", "manage-roles"] } as const;
  callRoute(app, "POST", "/:userId/roles", {
    config: assign,
    summary: "Give a user a role",
    tags,
    params,
    body: AssignRole,
    answer: Type.Array(RoleMapping),
    transact: (ctx, req) => assignRole(ctx, req.params.userId, req.body),
  });

  callRoute(app, "GET", "/:userId/roles/:roleId", {
    config: { permission: ["view-users", "manage-users", "manage-roles"] },
    summary: "Read a role of a user",
    tags,
    params: pathParams("userId", "roleId"),
    answer: RoleMapping,
    read: (ctx, { params }) => readMapping(ctx, params.userId, params.roleId),
  });

  callRoute(app, "DELETE", "/:userId/roles/:roleId", {
    config: assign,
    summary: "Take a role from a user",
    tags,
    params: pathParams("userId", "roleId"),
    transact: (ctx, { params }) => unassignRole(ctx, params.userId, params.roleId),
  });
};
