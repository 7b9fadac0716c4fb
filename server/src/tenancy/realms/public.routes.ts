import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { publish } from "../../platform/http/index.ts";
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
};
