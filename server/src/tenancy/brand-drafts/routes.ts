import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { pickLocale, sendPage, THEMES, themeCss } from "../../pages/index.ts";
import { oneOf, Problem, page, pathParams } from "../../platform/http/index.ts";
import { renderDraft } from "./page.tsx";
import { BrandingDraft } from "./schema.ts";
import { draftedSettings, readDraft, saveDraft } from "./service.ts";

const config = { permission: "manage-realm", versioned: false } as const;
const params = pathParams();
const tags = ["Settings"];

/** Mounted under /admin/realms/:realm/settings/draft. */
export const brandDraftRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get("/", { config, schema: { summary: "Read the draft of the branding", tags, params, response: { 200: BrandingDraft } } }, (req) =>
    req.read(readDraft),
  );

  app.put(
    "/",
    {
      config,
      schema: {
        summary: "Save a draft of the branding",
        description:
          "A draft can be viewed before it takes effect: `draft/page` shows the sign-in page with it. It belongs to the session of the caller, is shown to no other session, and is deleted after twelve hours. Visitors see no change. A client's own token has no session: 409 `branding.no_session`.",
        tags,
        params,
        body: BrandingDraft,
        response: { 200: BrandingDraft, 409: Problem },
      },
    },
    (req) => req.transact((ctx) => saveDraft(ctx, req.body)),
  );

  app.get(
    "/page",
    {
      config,
      schema: {
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
      },
    },
    async (req, reply) => {
      const settings = await req.read(draftedSettings);
      const locale = pickLocale({ query: req.query.locale, realmDefault: settings.defaultLocale });
      const themeHref = `/admin/realms/${req.realmId}/settings/draft/theme.css`;
      return sendPage(reply, 200, renderDraft(settings, themeHref, locale, req.query.theme), {
        logoUrl: settings.logoUrl,
        isPreview: true,
      }) as never;
    },
  );

  app.get(
    "/theme.css",
    {
      config,
      schema: {
        summary: "The style sheet of the draft",
        tags,
        params,
        produces: ["text/css"],
        response: { 200: Type.String() },
      },
    },
    async (req, reply) => {
      const css = themeCss(await req.read(draftedSettings));
      return reply.type("text/css; charset=utf-8").header("cache-control", "no-store").send(css) as never;
    },
  );
};
