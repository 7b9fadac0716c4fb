import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { describePage, etag, ListQuery } from "../../platform/http/index.ts";
import { CreatedRealm, CreateRealm, Realm, UpdateRealm } from "./schema.ts";
import { createRealm, deleteRealm, prepareRealm, type RealmMaker, readRealm, searchRealms, updateRealm } from "./service.ts";

const tags = ["Realms"];
const params = Type.Object({ realm: Type.String() });
/** These reach over all realms: holders of `realm-admin` in `master` only. */
const config = { permission: "realm-admin", masterOnly: true } as const;

/** Mounted under /admin/realms. */
export const realmRoutes: FastifyPluginAsyncTypebox<RealmMaker> = async (app, maker) => {
  app.get(
    "/",
    { config, schema: { summary: "List realms", tags, querystring: ListQuery, response: { 200: Type.Array(Realm) } } },
    async (req, reply) => {
      const page = await req.read((ctx) => searchRealms(ctx, req.query));
      describePage(req, reply, page);
      return page.rows;
    },
  );

  app.post(
    "/",
    { config, schema: { summary: "Create a realm", tags, body: CreateRealm, response: { 201: CreatedRealm } } },
    async (req, reply) => {
      const { seed, madeUpPassword } = await prepareRealm(maker, req.body);
      const realm = await req.transact((ctx) => createRealm(ctx, seed));
      reply.header("etag", etag(realm.version)).header("cache-control", "no-store");
      return reply.code(201).send({ ...realm, ...(madeUpPassword !== null && { adminPassword: madeUpPassword }) });
    },
  );

  app.get("/:realm", { config, schema: { summary: "Read a realm", tags, params, response: { 200: Realm } } }, async (req, reply) => {
    const realm = await req.read((ctx) => readRealm(ctx, req.params.realm));
    reply.header("etag", etag(realm.version));
    return realm;
  });

  app.put(
    "/:realm",
    { config, schema: { summary: "Update a realm", tags, params, body: UpdateRealm, response: { 200: Realm } } },
    async (req, reply) => {
      const realm = await req.transact((ctx) => updateRealm(ctx, req.params.realm, req.body));
      reply.header("etag", etag(realm.version));
      return realm;
    },
  );

  app.delete(
    "/:realm",
    {
      config: { ...config, recentAuthentication: true },
      schema: {
        summary: "Delete a realm and everything in it",
        description: "The realm is gone at once; its rows are purged in the background, after which the name is free again.",
        tags,
        params,
        response: { 204: Type.Null({ description: "Deleted" }) },
      },
    },
    async (req, reply) => {
      await req.transact((ctx) => deleteRealm(ctx, req.params.realm));
      return reply.code(204).send(null);
    },
  );
};
