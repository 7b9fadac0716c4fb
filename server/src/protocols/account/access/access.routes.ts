import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { noContent, paged, pathParams } from "../../../platform/http/index.ts";
import { endOtherOwnSessions, endOwnSession } from "../../../signin/sessions/index.ts";
import { AccountApplication, AccountApplicationQuery, AccountSession, ApplicationParams } from "./access.schema.ts";
import { readApplications, removeApplication, samlStartOf } from "./applications.service.ts";
import { readSessions } from "./places.service.ts";

const read = { impersonated: true } as const;
const ended = Type.Null({ description: "Ended" });

/** Mounted under /realms/:realm/account: where a user is signed in, and who has something from them. */
export const accessRoutes: FastifyPluginAsyncTypebox<{ readonly baseUrl: string }> = async (app, { baseUrl }) => {
  app.get(
    "/sessions",
    { config: read, schema: { summary: "List where you are signed in", response: { 200: Type.Array(AccountSession) } } },
    (req) => req.read(readSessions),
  );

  app.delete(
    "/sessions",
    {
      schema: {
        summary: "Sign out everywhere else",
        description:
          "With a token that lives without a session: everywhere. What may have been begun in one of them ends, too: the link to another email address, and a code for a phone.",
        response: { 204: ended },
      },
    },
    async (req, reply) => noContent(reply, await req.transact(endOtherOwnSessions)),
  );

  app.delete(
    "/sessions/:id",
    {
      schema: {
        summary: "End one of your sessions",
        description:
          "The grants that applications got in it end with it, and so does what may have been begun in it: the link to another email address, and a code for a phone. Your own present session may be the one.",
        params: pathParams("id"),
        response: { 204: ended },
      },
    },
    async (req, reply) => noContent(reply, await req.transact((ctx) => endOwnSession(ctx, req.params.id))),
  );

  app.get(
    "/applications",
    {
      config: read,
      schema: {
        operationId: "listAccountApplications",
        summary: "List the applications that have access, and those that you may open",
        description: "Last used first. `sort` is `lastUsedAt` or `name`.",
        querystring: AccountApplicationQuery,
        response: { 200: Type.Array(AccountApplication) },
      },
    },
    async (req, reply) => paged(reply, await req.read((ctx) => readApplications(ctx, samlStartOf(baseUrl, req.realm), req.query))),
  );

  app.delete(
    "/applications/:clientId",
    {
      schema: {
        summary: "End an application's access",
        description:
          "Takes back your consent and ends its tokens. An application that needs no consent gets new ones when you use it again.",
        params: ApplicationParams,
        response: { 204: ended },
      },
    },
    async (req, reply) => noContent(reply, await req.transact((ctx) => removeApplication(ctx, req.params.clientId))),
  );
};
