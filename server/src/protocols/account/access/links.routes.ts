import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { keepLinkTokens, LinkedAccount, readLink, readLinks, removeOwnLink } from "../../../federation/index.ts";
import { callRoute, noContent, noContentAnswer, pathParams, route } from "../../../platform/http/index.ts";
import { assertHasScope, assertMayChangeSignIn, changeSignIn } from "../audience.ts";
import { LinkToken } from "./access.schema.ts";
import { type LinkTokenParts, readableToken } from "./link-token.service.ts";
import { beginLink, LinkBegun, type LinkParts } from "./links.service.ts";

/** Mounted under /realms/:realm/account/linked-accounts. */
export const ownLinkRoutes: FastifyPluginAsyncTypebox<LinkParts & LinkTokenParts> = async (app, parts) => {
  callRoute(app, "GET", "/", {
    config: { impersonated: true },
    summary: "List your accounts at identity providers",
    description: "Returns at most one account for each provider.",
    answer: Type.Array(LinkedAccount),
    read: (ctx) => readLinks(ctx, ctx.actor.id),
  });

  callRoute(app, "GET", "/:alias", {
    summary: "Read your account at an identity provider",
    params: pathParams("alias"),
    answer: LinkedAccount,
    read: (ctx, { params }) => readLink(ctx, ctx.actor.id, params.alias),
  });

  route(app, "GET", "/:alias/token", {
    summary: "Read the token of your account at an identity provider",
    description:
      "Needs `storeTokens` at the provider, and an access token of the user with the scope `account`. It is refused for sessions, for administrators, and for those who act as the user. An expired token is first refreshed at the provider; 409 if that fails.",
    params: pathParams("alias"),
    response: { 200: LinkToken },
    handler: async (req, reply) => {
      assertHasScope(req);
      const { alias } = req.params;
      const { id: userId } = req.actor!;
      await req.read((ctx) => assertMayChangeSignIn(ctx, req.client));
      const { key, tokens, isNew } = await readableToken(parts, req.realm.realmId, userId, alias);
      await req.transact(async (ctx) => {
        if (isNew) await keepLinkTokens(ctx.tx, parts.vault, ctx.realm, key, tokens, ctx.now);
        ctx.audit({ category: "SECURITY", type: "LINK_TOKEN_READ", resourceType: "users", resourceId: userId, detail: alias });
      });
      const { accessToken, tokenType, expiresAt, scope } = tokens;
      return reply.header("cache-control", "no-store").send({ accessToken, tokenType, expiresAt, scope });
    },
  });

  route(app, "POST", "/:alias", {
    config: { recentAuthentication: true },
    summary: "Start to link your account at an identity provider",
    description:
      "Returns an address to open in a browser in which you are signed in. You sign in at the provider, see the account that was found, and confirm. Administrators use their session.",
    params: pathParams("alias"),
    body: Type.Optional(
      Type.Object(
        {
          returnTo: Type.Optional(
            Type.String({
              maxLength: 2048,
              description:
                "The address to which the browser is redirected afterwards: a path of this server, or a redirect URI of the application",
            }),
          ),
        },
        { additionalProperties: false, examples: [{ returnTo: "/realms/acme/login" }] },
      ),
    ),
    response: { 201: LinkBegun },
    handler: async (req, reply) => {
      const asked = { returnTo: req.body?.returnTo, client: req.client };
      return reply.code(201).send(await changeSignIn(req, (ctx) => beginLink(ctx, parts, req.params.alias, asked)));
    },
  });

  route(app, "DELETE", "/:alias", {
    config: { recentAuthentication: true, versioned: true },
    summary: "Unlink your account at an identity provider",
    description: "The last way to sign in cannot be removed: set a password first.",
    params: pathParams("alias"),
    response: noContentAnswer("Unlinked"),
    handler: async (req, reply) => {
      return noContent(reply, await changeSignIn(req, (ctx) => removeOwnLink(ctx, req.params.alias)));
    },
  });
};
