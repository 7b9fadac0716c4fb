import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import type { Vault } from "../../kernel/vault.ts";
import { createdAt, paged, pathParams, recordRoutes, route } from "../../platform/http/index.ts";
import { ListQuery, pageInMemory, type ShortList } from "../../platform/paging/index.ts";
import { generateKey } from "./generate.ts";
import { RealmKey } from "./schema.ts";
import { readKey, readKeys, removeKey, rotateKey } from "./service.ts";

const keyList: ShortList<RealmKey> = {
  sorts: { createdAt: ({ createdAt }) => createdAt, status: ({ status }) => status },
  names: ({ status }) => [status],
  ids: ({ keyId }) => [keyId],
};

/** Mounted under /admin/realms/:realm/keys. */
export const keyRoutes: FastifyPluginAsyncTypebox<{ vault: Vault }> = async (app, { vault }) => {
  route(app, "GET", "/", {
    config: { permission: "manage-realm" },
    summary: "List the signing keys",
    tags: ["Keys"],
    querystring: ListQuery,
    response: { 200: Type.Array(RealmKey) },
    handler: async (req, reply) => paged(reply, pageInMemory(await req.read(readKeys), keyList, req.query)),
  });

  route(app, "POST", "/rotate", {
    config: { permission: "manage-realm", recentAuthentication: true },
    summary: "Create a new signing key",
    description: "The previous key stays published until it is deleted. The SAML certificate changes at the same moment.",
    tags: ["Keys"],
    response: { 201: RealmKey },
    handler: async (req, reply) => {
      const key = await generateKey(vault, (req.params as { realm: string }).realm);
      const active = await req.transact((ctx) => rotateKey(ctx, vault, key));
      return createdAt(reply, `/admin/realms/${req.realmId}/keys/${active.keyId}`, active);
    },
  });

  recordRoutes(app, "/:keyId", {
    tags: ["Keys"],
    params: pathParams("keyId"),
    record: RealmKey,
    read: {
      config: { permission: "manage-realm" },
      summary: "Read a signing key",
      run: (ctx, { keyId }) => readKey(ctx, keyId),
    },
    remove: {
      config: { permission: "manage-realm", recentAuthentication: true },
      summary: "Delete a retained key",
      run: (ctx, { keyId }) => removeKey(ctx, keyId),
    },
  });
};
