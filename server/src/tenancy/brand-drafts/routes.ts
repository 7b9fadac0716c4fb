import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { pickLocale, sendPage, THEMES, themeCss } from "../../pages/index.ts";
import { callRoute, oneOf, Problem, page, pathParams, route } from "../../platform/http/index.ts";
import { renderDraft } from "./page.tsx";
import { BrandingDraft } from "./schema.ts";
import { draftedSettings, readDraft, saveDraft } from "./service.ts";

const config = { permission: "manage-realm", versioned: false } as const;
const params = pathParams();
const tags = ["Settings"];

/** Mounted under /admin/realms/:realm/settings/draft. */
export const brandDraftRoutes: FastifyPluginAsyncTypebox = async (app) => {
  callRoute(app, "GET", "/", {
    config,
    summary: "Read the draft of the branding",
    tags,
    params,
    answer: BrandingDraft,
    read: readDraft,
  });

  callRoute(app, "PUT", "/", {
    config,
    summary: "Save a draft of the branding",
    description:
      "A draft can be viewed before it takes effect: `draft/page` shows the sign-in page with it. It belongs to the caller's session, is shown in no other session, and is deleted after twelve hours. Visitors see no change. A client's own token has no session: 409 `branding.no_session`.",
    tags,
    params,
    body: BrandingDraft,
    answer: BrandingDraft,
    refusals: { 409: Problem },
    transact: (ctx, { body }) => saveDraft(ctx, body),
  });

  route(app, "GET", "/page", {
    config,
    summary: "Show the sign-in page with the draft",
    description: "Returns a page for a frame of the admin console. Its form does nothing.",
    tags,
    params,
    produces: ["text/html"],
    querystring: Type.Object(
      { theme: Type.Optional(oneOf(THEMES)), locale: Type.Optional(Type.String({ maxLength: 35 })) },
      { additionalProperties: false },
    ),
    response: { 200: page("The page") },
    handler: async (req, reply) => {
      const settings = await req.read(draftedSettings);
      const locale = pickLocale({ query: req.query.locale, realmDefault: settings.defaultLocale });
      const themeHref = `/admin/realms/${req.realmId}/settings/draft/theme.css`;
      return sendPage(reply, 200, renderDraft(settings, themeHref, locale, req.query.theme), {
        logoUrl: settings.logoUrl,
        isPreview: true,
      });
    },
  });

  route(app, "GET", "/theme.css", {
    config,
    summary: "The style sheet of the draft",
    tags,
    params,
    produces: ["text/css"],
    response: { 200: Type.String() },
    handler: async (req, reply) => {
      const css = themeCss(await req.read(draftedSettings));
      return reply.type("text/css; charset=utf-8").header("cache-control", "no-store").send(css);
    },
  });
};
