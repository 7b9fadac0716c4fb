import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { callRoute, paged, pathParams, route } from "../../../platform/http/index.ts";
import { endOtherOwnSessions, endOwnSession } from "../../../signin/sessions/index.ts";
import { AccountApplication, AccountApplicationQuery, AccountSession, ApplicationParams } from "./access.schema.ts";
import { readApplications, removeApplication, samlStartOf } from "./applications.service.ts";
import { readSessions } from "./places.service.ts";

const read = { impersonated: true } as const;

/** Mounted under /realms/:realm/account: the user's sessions, and the applications that have access. */
export const accessRoutes: FastifyPluginAsyncTypebox<{ readonly baseUrl: string }> = async (app, { baseUrl }) => {
  callRoute(app, "GET", "/sessions", {
    config: read,
    summary: "List your sessions",
    answer: Type.Array(AccountSession),
    read: readSessions,
  });

  callRoute(app, "DELETE", "/sessions", {
    summary: "End all your other sessions",
    description:
      "With a token that has no session: ends all of them. Unfinished changes of these sessions end, too: the link to another email address, and a code for a phone.",
    done: "Ended",
    transact: endOtherOwnSessions,
  });

  callRoute(app, "DELETE", "/sessions/:id", {
    summary: "End one of your sessions",
    description:
      "The grants that applications got in it end, too, and so do unfinished changes: the link to another email address, and a code for a phone. It may be your current session.",
    params: pathParams("id"),
    done: "Ended",
    transact: (ctx, { params }) => endOwnSession(ctx, params.id),
  });

  route(app, "GET", "/applications", {
    config: read,
    operationId: "listAccountApplications",
    summary: "List the applications that have access, and those that you may open",
    description: "The last used comes first. `sort` is `lastUsedAt` or `name`.",
    querystring: AccountApplicationQuery,
    response: { 200: Type.Array(AccountApplication) },
    handler: async (req, reply) => paged(reply, await req.read((ctx) => readApplications(ctx, samlStartOf(baseUrl, req.realm), req.query))),
  });

  callRoute(app, "DELETE", "/applications/:clientId", {
    summary: "End an application's access",
    description:
      "Revokes your consent and ends the application's tokens. An application that needs no consent gets new ones when you use it again.",
    params: ApplicationParams,
    done: "Ended",
    transact: (ctx, { params }) => removeApplication(ctx, params.clientId),
  });
};
