import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { field, notFound } from "../../platform/http/index.ts";
import { isKnown } from "../../platform/versions.ts";
import { assetOf } from "./files.ts";

/** Registers the assets, at the root. */
export const assetRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    "/assets/:name",
    {
      schema: {
        hide: true,
        params: Type.Object({ name: Type.String() }),
        querystring: Type.Object({ v: field(64) }),
      },
    },
    async (request, reply) => {
      const asset = assetOf(request.params.name);
      if (!asset) throw notFound();
      const etag = `"${asset.version}"`;
      // Under the address of an old version, new content must not be cached for ever.
      const lasts = request.query.v === asset.version ? "max-age=31536000, immutable" : "max-age=300";
      reply.headers({ etag, "cache-control": `public, ${lasts}`, "x-content-type-options": "nosniff" });
      if (isKnown(request.headers["if-none-match"], etag)) return reply.code(304).send("");
      return reply.type(`text/${request.params.name.endsWith(".css") ? "css" : "javascript"}; charset=utf-8`).send(asset.body);
    },
  );
};
