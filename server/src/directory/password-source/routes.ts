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
    read: { config, summary: "Read where passwords are asked for", run: readSource },
    replace: {
      config,
      summary: "Set where passwords are asked for",
      description:
        "For a system that does not export hashes. It is asked about passwords of names that no user has here, and of users who were imported without a password, but never of users who hold permissions. The first right answer stores a hash, and creates the user if there is none. While the system cannot be reached, such sign-ins are answered 503.",
      body: UpdatePasswordSource,
      run: (ctx, _params, body) => replaceSource(ctx, tools, body),
    },
  });
};
