import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { noContent, noContentAnswer, pathParams } from "../../../platform/http/index.ts";
import { LinkedAccount, readLink, readLinks, removeOwnLink } from "../../../signin/identity-providers/index.ts";
import { assertMayChangeSignIn } from "../audience.ts";

const tags = ["Account"];

/** Mounted under /realms/:realm/account/linked-accounts. */
export const ownLinkRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    "/",
    {
      config: { impersonated: true },
      schema: {
        summary: "List your accounts at identity providers",
        description: "Not paged: one for each provider at the most.",
        tags,
        params: pathParams(),
        response: { 200: Type.Array(LinkedAccount) },
      },
    },
    (req) => req.read((ctx) => readLinks(ctx, ctx.actor.id)),
  );

  app.get(
    "/:alias",
    {
      schema: { summary: "Read your account at an identity provider", tags, params: pathParams("alias"), response: { 200: LinkedAccount } },
    },
    (req) => req.read((ctx) => readLink(ctx, ctx.actor.id, req.params.alias)),
  );

  app.delete(
    "/:alias",
    {
      config: { recentAuthentication: true, versioned: true },
      schema: {
        summary: "Unlink your account at an identity provider",
        description: "The last way to sign in cannot be removed: set a password first.",
        tags,
        params: pathParams("alias"),
        response: noContentAnswer("Unlinked"),
      },
    },
    async (req, reply) => {
      await req.transact(async (ctx) => {
        await assertMayChangeSignIn(ctx, req.client);
        await removeOwnLink(ctx, req.params.alias);
      });
      return noContent(reply);
    },
  );
};
