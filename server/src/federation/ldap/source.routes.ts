import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { findUserForUpdate, User } from "../../directory/users/index.ts";
import { pathParams, route, versioned } from "../../platform/http/index.ts";
import type { DirectoryParts } from "./own-entry.ts";
import { findNewSource, moveUser } from "./source.ts";

const ChangeSource = Type.Object(
  {
    source: Type.String({ minLength: 1, maxLength: 128, description: "`local`, or `ldap:<alias>` or `ad:<alias>` of a directory" }),
    entry: Type.Optional(
      Type.String({
        ...{ minLength: 1, maxLength: 255, pattern: "^[^\\p{Cc}]*$" },
        description: "The name by which the directory finds the person. Default: the username",
      }),
    ),
  },
  { $id: "ChangeSource", additionalProperties: false, examples: [{ source: "ldap:corp", entry: "ada" }] },
);

/** Mounted under /admin/realms/:realm/users. */
export const userSourceRoutes: FastifyPluginAsyncTypebox<DirectoryParts> = async (app, parts) => {
  route(app, "PUT", "/:userId/source", {
    config: { permission: "manage-users", versioned: true, writesRecord: true },
    summary: "Move a user between sources",
    description:
      "Moves the user to an entry of a directory: the owner of the entry signs in to the account from then on, name and email address are read from the directory, and the password " +
      "stored here is deleted. Or moves the user to `local`: the account is kept, without a password until one is set. The user's sessions end. The " +
      "caller needs every permission of the user. An entry that already belongs to another user is refused (409).",
    tags: ["Users"],
    params: pathParams("userId"),
    body: ChangeSource,
    response: { 200: User },
    handler: async (req, reply) => {
      const { realm, userId } = req.params;
      const { source, entry } = req.body;
      // The caller's permission is checked before the directory is asked.
      const { username } = await req.transact((ctx) => findUserForUpdate(ctx, userId));
      const to = await findNewSource(parts, { realm, source, name: entry ?? username });
      return versioned(reply, await req.transact((ctx) => moveUser(ctx, userId, to)));
    },
  });
};
