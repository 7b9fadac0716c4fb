import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { callRoute, pathParams } from "../../../platform/http/index.ts";
import { forgetBrowser } from "../../../signin/known-browsers/index.ts";
import { AccountBrowser } from "./access.schema.ts";
import { readBrowsers } from "./places.service.ts";

/** Mounted under /realms/:realm/account/browsers. */
export const browserRoutes: FastifyPluginAsyncTypebox = async (app) => {
  callRoute(app, "GET", "/", {
    config: { impersonated: true },
    summary: "List the browsers that you signed in with",
    description: "Trusted browsers are not asked for a second factor until `trustedUntil`. The last used comes first.",
    answer: Type.Array(AccountBrowser),
    read: (ctx, { deviceToken }) => readBrowsers(ctx, deviceToken),
  });

  callRoute(app, "DELETE", "/:id", {
    summary: "Forget one of your browsers",
    description: "The browser is no longer trusted, and its next sign-in counts as a sign-in in a new browser. Ends no session.",
    params: pathParams("id"),
    done: "Forgotten",
    transact: (ctx, { params }) => forgetBrowser(ctx, params.id),
  });
};
