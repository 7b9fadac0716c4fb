import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { noContent, noContentAnswer, pathParams } from "../../../platform/http/index.ts";
import { forgetBrowser } from "../../../signin/known-browsers/index.ts";
import { AccountBrowser } from "./access.schema.ts";
import { readBrowsers } from "./places.service.ts";

/** Mounted under /realms/:realm/account/browsers. */
export const browserRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    "/",
    {
      config: { impersonated: true },
      schema: {
        summary: "List the browsers that you signed in with",
        description: "Trusted browsers are not asked for a second factor until `trustedUntil`. The last used comes first.",
        response: { 200: Type.Array(AccountBrowser) },
      },
    },
    (req) => req.read((ctx) => readBrowsers(ctx, req.deviceToken)),
  );

  app.delete(
    "/:id",
    {
      schema: {
        summary: "Forget one of your browsers",
        description: "It is not trusted any more, and its next sign-in is that of a new one. Ends no session.",
        params: pathParams("id"),
        response: noContentAnswer("Forgotten"),
      },
    },
    async (req, reply) => noContent(reply, await req.transact((ctx) => forgetBrowser(ctx, req.params.id))),
  );
};
