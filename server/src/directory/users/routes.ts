import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { describePage, etag } from "../../platform/http/index.ts";
import { AssignRole, RoleMapping } from "../roles/index.ts";
import { createUserToSignIn, prepareFirstPassword } from "./creation.service.ts";
import type { UserCredentialParts } from "./credentials.routes.ts";
import { UserQuery } from "./list.schema.ts";
import { assignRole, readMappings, unassignRole } from "./roles.service.ts";
import { CreateUserToSignIn, UpdateUser, User } from "./schema.ts";
import { readUser, removeUser, saveUser, searchUsers } from "./service.ts";

const tags = ["Users"];
const params = Type.Object({ realm: Type.String(), userId: Type.String() });
const read = { permission: "view-users" } as const;
const write = { permission: "manage-users" } as const;
const done = Type.Null({ description: "Done" });

/** Mounted under /admin/realms/:realm/users. */
export const userRoutes: FastifyPluginAsyncTypebox<UserCredentialParts> = async (app, { realms, hasher, breaches }) => {
  app.get(
    "/",
    { config: read, schema: { summary: "List users", tags, querystring: UserQuery, response: { 200: Type.Array(User) } } },
    async (req, reply) => {
      const page = await req.read((ctx) => searchUsers(ctx, req.query));
      describePage(req, reply, page);
      return page.rows;
    },
  );

  app.post(
    "/",
    {
      config: write,
      schema: {
        summary: "Create a user",
        description:
          "With a `password` and `requiredActions`, if they are sent: all of it, or nothing. A password that is refused is a 400 " +
          "(`password.policy`, `password.breached`) and makes no user.",
        tags,
        body: CreateUserToSignIn,
        response: { 201: User },
      },
    },
    async (req, reply) => {
      const { passwordPolicy } = (await realms.get(req.realmId))!.settings;
      const hash = await req.read((ctx) => prepareFirstPassword(ctx, { hasher, breaches }, passwordPolicy, req.body));
      const user = await req.transact((ctx) => createUserToSignIn(ctx, req.body, hash));
      return reply.code(201).header("etag", etag(user.version)).send(user);
    },
  );

  app.get("/:userId", { config: read, schema: { summary: "Read a user", tags, params, response: { 200: User } } }, async (req, reply) => {
    const user = await req.read((ctx) => readUser(ctx, req.params.userId));
    reply.header("etag", etag(user.version));
    return user;
  });

  app.put(
    "/:userId",
    { config: write, schema: { summary: "Replace a user's state", tags, params, body: UpdateUser, response: { 200: User } } },
    async (req, reply) => {
      const user = await req.transact((ctx) => saveUser(ctx, req.params.userId, req.body));
      reply.header("etag", etag(user.version));
      return user;
    },
  );

  app.delete(
    "/:userId",
    { config: write, schema: { summary: "Delete a user", tags, params, response: { 204: done } } },
    async (req, reply) => {
      await req.transact((ctx) => removeUser(ctx, req.params.userId));
      return reply.code(204).send(null);
    },
  );

  app.get(
    "/:userId/roles",
    {
      config: { permission: ["view-users", "manage-users", "manage-roles"] },
      schema: {
        summary: "List a user's roles, also those by groups and other roles",
        tags,
        params,
        response: { 200: Type.Array(RoleMapping) },
      },
    },
    (req) => req.read((ctx) => readMappings(ctx, req.params.userId)),
  );

  const assign = { permission: ["manage-users", "manage-roles"] } as const;
  app.post(
    "/:userId/roles",
    {
      config: assign,
      schema: { summary: "Give a user a role", tags, params, body: AssignRole, response: { 200: Type.Array(RoleMapping) } },
    },
    (req) => req.transact((ctx) => assignRole(ctx, req.params.userId, req.body)),
  );

  app.delete(
    "/:userId/roles/:roleId",
    {
      config: assign,
      schema: {
        summary: "Take a role from a user",
        tags,
        params: Type.Object({ realm: Type.String(), userId: Type.String(), roleId: Type.String() }),
        response: { 204: done },
      },
    },
    async (req, reply) => {
      await req.transact((ctx) => unassignRole(ctx, req.params.userId, req.params.roleId));
      return reply.code(204).send(null);
    },
  );
};
