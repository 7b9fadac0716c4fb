import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { anonymous, field, publish, route } from "../../platform/http/index.ts";
import type { SendImage } from "../images/index.ts";
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
export const publicRealmRoutes: FastifyPluginAsyncTypebox<{ realms: RealmSnapshots; sendImage: SendImage }> = async (
  app,
  { realms, sendImage },
) => {
  app.get("/jwks", {
    schema: {
      summary: "The realm's public keys (RFC 7517)",
      tags: ["Protocol"],
      params: Type.Object({ realm: Type.String() }),
      response: { 200: Jwks },
    },
    ...publish({
      known: (name) => realms.peek(name)?.jwks,
      async find(name) {
        const realm = await realms.get(name);
        if (!realm) throw unknownRealm();
        return realm.jwks;
      },
    }),
  });

  route(app, "GET", "/images/:name", {
    config: { caller: anonymous(), errors: "problem" },
    serializerCompiler: () => (body: unknown) => body as string,
    summary: "An image of the realm's brand",
    tags: ["Sign-in"],
    params: Type.Object({ realm: Type.String(), name: Type.String() }),
    querystring: Type.Object({ v: field(64) }),
    response: { 200: Type.String({ format: "binary" }) },
    handler: async (request, reply) => {
      const realm = await realms.get(request.params.realm);
      if (!realm) throw unknownRealm();
      return sendImage(request, reply, realm.realmId, realm.settings.images, request.params.name) as never;
    },
  });
};
