import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { pathParams, recordRoutes } from "../../platform/http/index.ts";
import { PasswordSourceRecord, UpdatePasswordSource } from "./schema.ts";
import { readSource, replaceSource, type SourceTools } from "./service.ts";

const config = { permission: "realm-admin" } as const;

/** Mounted under /admin/realms/:realm/password-source. */
export const passwordSourceRoutes: FastifyPluginAsyncTypebox<SourceTools> = async (app, tools) => {
  recordRoutes(app, "/", {
    tags: ["Users"],
    params: pathParams(),
    record: PasswordSourceRecord,
    read: { config, summary: "Read the password source", run: readSource },
    replace: {
      config,
      summary: "Set the password source",
      description:
        "For a system that does not export hashes. The source is asked about the passwords of usernames that do not exist here, and of users who were imported without a password, but never of users who hold permissions. After the first right answer the server stores a hash, and creates the user if necessary. While the source cannot be reached, such sign-ins are answered with 503.",
      body: UpdatePasswordSource,
      run: (ctx, _params, body) => replaceSource(ctx, tools, body),
    },
  });
};
