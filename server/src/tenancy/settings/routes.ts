import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { pathParams, recordRoutes } from "../../platform/http/index.ts";
import { Settings, UpdateSettings } from "./schema.ts";
import { readSettings, saveSettings, type VersionedSettings } from "./service.ts";

const config = { permission: "manage-realm" } as const;

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
};
