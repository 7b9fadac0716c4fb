import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { oneOf, pathParams, recordRoutes } from "../../platform/http/index.ts";
import { locales, Settings, UpdateSettings } from "./schema.ts";
import { readSettings, readTexts, saveSettings, type VersionedSettings } from "./service.ts";

const config = { permission: "manage-realm" } as const;

const PageText = Type.Object(
  {
    name: Type.String(),
    shipped: Type.String({ description: "The words that ship; `{name}` and the like are filled in" }),
    own: Type.Union([Type.String(), Type.Null()], { description: "The realm's own words; null: it has none" }),
  },
  { $id: "PageText" },
);

/** Mounted under /admin/realms/:realm/settings. */
export const settingsRoutes: FastifyPluginAsyncTypebox<{ readonly baseUrl: string }> = async (app, { baseUrl }) => {
  const record = ({ settings, version }: VersionedSettings) => ({ ...settings, version });
  recordRoutes(app, "/", {
    tags: ["Settings"],
    params: pathParams(),
    record: Settings,
    read: { config, summary: "Read the realm's settings", run: async (ctx) => record(await readSettings(ctx.tx, ctx.realm)) },
    replace: {
      config,
      summary: "Replace the realm's settings",
      ofPut: "Members that are left out return to their defaults, the display name included. To change some members, use PATCH.",
      body: UpdateSettings,
      run: async (ctx, _params, body) => record(await saveSettings(ctx, body, baseUrl)),
    },
  });

  app.get(
    "/texts/:locale",
    {
      config,
      schema: {
        summary: "List the texts of the pages in a language",
        description: "Their names, the words that ship, and the realm's own where it has some. The settings member `texts` changes them.",
        tags: ["Settings"],
        params: Type.Object({ realm: Type.String(), locale: oneOf(locales) }),
        response: { 200: Type.Array(PageText) },
      },
    },
    (req) => req.read((ctx) => readTexts(ctx.tx, ctx.realm, req.params.locale)),
  );
};
