import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { collectionRoutes, created, pathParams, recordRoutes, route } from "../../platform/http/index.ts";
import { ListQuery } from "../../platform/paging/index.ts";
import { CreatedRealm, CreateRealm, Realm, UpdateRealm } from "./schema.ts";
import { createRealm, deleteRealm, prepareRealm, type RealmMaker, readRealm, searchRealms, updateRealm } from "./service.ts";

const tags = ["Realms"];
const params = pathParams();
/** These routes affect all realms, so they require `realm-admin` in `master`. */
const config = { permission: "realm-admin", masterOnly: true } as const;

/** Mounted under /admin/realms. */
export const realmRoutes: FastifyPluginAsyncTypebox<RealmMaker> = async (app, maker) => {
  collectionRoutes(app, "/", {
    tags,
    record: Realm,
    list: { config, summary: "List realms", query: ListQuery, run: (ctx, _params, query) => searchRealms(ctx, query) },
  });

  route(app, "POST", "/", {
    config,
    summary: "Create a realm",
    tags,
    body: CreateRealm,
    response: { 201: CreatedRealm },
    handler: async (req, reply) => {
      const { seed, madeUpPassword } = await prepareRealm(maker, req.body);
      const realm = await req.transact((ctx) => createRealm(ctx, seed));
      return created(reply, realm.realm, { ...realm, ...(madeUpPassword !== null && { adminPassword: madeUpPassword }) });
    },
  });

  recordRoutes(app, "/:realm", {
    tags,
    params,
    record: Realm,
    read: { config, summary: "Read a realm", run: (ctx, { realm }) => readRealm(ctx, realm) },
    replace: {
      config,
      summary: "Update a realm",
      body: UpdateRealm,
      run: (ctx, { realm }, body) => updateRealm(ctx, realm, body),
    },
    remove: {
      config: { ...config, recentAuthentication: true },
      summary: "Delete a realm and everything in it",
      description: "The realm is deleted immediately. Its rows are purged in the background; after that, the name can be used again.",
      run: (ctx, { realm }) => deleteRealm(ctx, realm),
    },
  });
};
