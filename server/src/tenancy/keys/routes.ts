import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import type { Vault } from "../../kernel/vault.ts";
import { generateKey } from "./generate.ts";
import { RealmKey } from "./schema.ts";
import { readKeys, removeKey, rotateKey } from "./service.ts";

/** Mounted under /admin/realms/:realm/keys. */
export const keyRoutes: FastifyPluginAsyncTypebox<{ vault: Vault }> = async (app, { vault }) => {
  app.get(
    "/",
    {
      config: { permission: "manage-realm" },
      schema: { summary: "List the signing keys", tags: ["Keys"], response: { 200: Type.Array(RealmKey) } },
    },
    (req) => req.read(readKeys),
  );

  app.post(
    "/rotate",
    {
      config: { permission: "manage-realm" },
      schema: {
        summary: "Make a new signing key",
        description: "The previous key stays published until it is deleted. The SAML certificate changes at the same moment.",
        tags: ["Keys"],
        response: { 201: RealmKey },
      },
    },
    async (req, reply) => {
      const key = await generateKey(vault, (req.params as { realm: string }).realm);
      return reply.code(201).send(await req.transact((ctx) => rotateKey(ctx, key)));
    },
  );

  app.delete(
    "/:keyId",
    {
      config: { permission: "manage-realm" },
      schema: {
        summary: "Delete a retained key",
        tags: ["Keys"],
        params: Type.Object({ realm: Type.String(), keyId: Type.String() }),
        response: { 204: Type.Null({ description: "Deleted" }) },
      },
    },
    async (req, reply) => {
      await req.transact((ctx) => removeKey(ctx, req.params.keyId));
      return reply.code(204).send(null);
    },
  );
};
