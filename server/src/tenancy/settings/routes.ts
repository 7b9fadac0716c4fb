import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type, { type Static } from "typebox";
import { nullable, oneOf, paged, pathParams, recordRoutes, route } from "../../platform/http/index.ts";
import { ListQuery, pageInMemory, type ShortList } from "../../platform/paging/index.ts";
import { locales, Settings, UpdateSettings } from "./schema.ts";
import { readSettings, readTexts, saveSettings, type VersionedSettings } from "./service.ts";

const config = { permission: "manage-realm" } as const;

const PageText = Type.Object(
  {
    name: Type.String(),
    shipped: Type.String({ description: "The default text; placeholders such as `{name}` are filled in" }),
    own: nullable(Type.String(), "The realm's own text. Null if it has none"),
  },
  { $id: "PageText" },
);

const textList: ShortList<Static<typeof PageText>> = {
  sorts: { name: ({ name }) => name },
  names: ({ name, shipped, own }) => [name, shipped, own ?? ""],
  ids: () => [],
};

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
      ofPut: "Omitted members return to their defaults, including the display name. To change some members, use PATCH.",
      body: UpdateSettings,
      run: async (ctx, _params, body) => record(await saveSettings(ctx, body, baseUrl)),
    },
  });

  route(app, "GET", "/texts/:locale", {
    config,
    summary: "List the texts of the pages in a language",
    description:
      "Returns their names, the default texts, and the realm's own texts if it has any. The settings member `texts` changes them.",
    tags: ["Settings"],
    params: Type.Object({ realm: Type.String(), locale: oneOf(locales) }),
    querystring: ListQuery,
    response: { 200: Type.Array(PageText) },
    handler: async (req, reply) =>
      paged(reply, pageInMemory(await req.read((ctx) => readTexts(ctx.tx, ctx.realm, req.params.locale)), textList, req.query)),
  });
};
