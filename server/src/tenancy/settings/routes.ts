import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { etag } from "../../platform/http/index.ts";
import { Settings, UpdateSettings } from "./schema.ts";
import { readSettings, saveSettings, type VersionedSettings } from "./service.ts";

/** Mounted under /admin/realms/:realm/settings. */
export const settingsRoutes: FastifyPluginAsyncTypebox<{ readonly baseUrl: string }> = async (app, { baseUrl }) => {
  app.get(
    "/",
    {
      config: { permission: "manage-realm" },
      schema: { summary: "Read the realm's settings", tags: ["Settings"], response: { 200: Settings } },
    },
    async (req, reply) => answer(reply, await req.read((ctx) => readSettings(ctx.tx, ctx.realm))),
  );

  app.put(
    "/",
    {
      config: { permission: "manage-realm" },
      schema: { summary: "Replace the realm's settings", tags: ["Settings"], body: UpdateSettings, response: { 200: Settings } },
    },
    async (req, reply) => answer(reply, await req.transact((ctx) => saveSettings(ctx, req.body as UpdateSettings, baseUrl))),
  );
};

function answer(reply: { header(name: string, value: string): unknown }, { settings, version }: VersionedSettings): Settings {
  reply.header("etag", etag(version));
  return settings;
}
