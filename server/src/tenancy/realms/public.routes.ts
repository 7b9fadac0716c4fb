import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { isKnown } from "../../platform/http/index.ts";
import { unknownRealm } from "./service.ts";
import type { RealmSnapshots } from "./snapshot.ts";

const Jwks = Type.Object(
  {
    keys: Type.Array(
      Type.Object(
        { kty: Type.String(), kid: Type.String(), use: Type.String(), alg: Type.Optional(Type.String()) },
        { additionalProperties: true },
      ),
    ),
  },
  { $id: "Jwks" },
);

/** Mounted under /realms/:realm. */
export const publicRealmRoutes: FastifyPluginAsyncTypebox<{ realms: RealmSnapshots }> = async (app, { realms }) => {
  app.get(
    "/jwks",
    {
      schema: {
        summary: "The realm's public keys (RFC 7517)",
        tags: ["Protocol"],
        params: Type.Object({ realm: Type.String() }),
        response: { 200: Jwks },
      },
      // The body is kept as text: serialising it anew for each relying party would be the cost of the request.
      serializerCompiler: () => (body) => body as string,
    },
    async (req, reply) => {
      const realm = await realms.get(req.params.realm);
      if (!realm) throw unknownRealm();
      reply.headers({
        "content-type": "application/json; charset=utf-8",
        "cache-control": "public, max-age=60",
        etag: realm.jwks.etag,
        "access-control-allow-origin": "*",
      });
      if (isKnown(req.headers["if-none-match"], realm.jwks.etag)) return reply.code(304 as 200).send("" as never);
      return reply.send(realm.jwks.body as never);
    },
  );
};
