import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { callRoute, collectionRoutes, pathParams, recordRoutes, route } from "../../platform/http/index.ts";
import { ListQuery } from "../../platform/paging/index.ts";
import { plan, test } from "./calls.ts";
import {
  ConfirmDeprovisioning,
  CreateScimTarget,
  ObjectQuery,
  ScimTarget,
  ScimTargetObject,
  ScimTargetPlan,
  ScimTargetStatus,
  ScimTargetTest,
  SyncScimTarget,
  UpdateScimTarget,
} from "./schema.ts";
import {
  confirm,
  createTarget,
  readObject,
  readStatus,
  readTarget,
  recordTest,
  removeTarget,
  retry,
  saveTarget,
  searchObjects,
  searchTargets,
  startSync,
  type Tools,
} from "./service.ts";

const params = pathParams("scimTargetId");
const objectParams = pathParams("scimTargetId", "objectId");
const config = { permission: "manage-realm" } as const;
const unversioned = { ...config, versioned: false } as const;
const tags = ["SCIM targets"];

const REQUESTED = {
  ...{ dryRun: false, requested: true, complete: true, unchanged: 0, items: [] },
  counts: { create: 0, adopt: 0, update: 0, deactivate: 0, delete: 0, refuse: 0 },
};

/** Mounted under /admin/realms/:realm/scim-targets. */
export const scimTargetRoutes: FastifyPluginAsyncTypebox<Tools> = async (app, tools) => {
  collectionRoutes(app, "/", {
    tags,
    record: ScimTarget,
    list: { config, summary: "List SCIM targets", query: ListQuery, run: (ctx, _params, query) => searchTargets(ctx, query) },
    create: {
      config,
      summary: "Create a SCIM target",
      description:
        "The selected users and groups are then created, changed and deprovisioned at the target when they change here. Needs `view-users`, too.",
      body: CreateScimTarget,
      id: ({ id }) => id,
      run: (ctx, _params, body) => createTarget(ctx, tools, body),
    },
  });

  recordRoutes(app, "/:scimTargetId", {
    tags,
    params,
    record: ScimTarget,
    read: { config, summary: "Read a SCIM target", run: (ctx, { scimTargetId }) => readTarget(ctx, scimTargetId) },
    replace: {
      config,
      summary: "Update a SCIM target",
      description:
        "Compares everything again, and tries a suspended target again. Another scheme, host or port without a new secret clears the old one. " +
        "Needs `view-users`, too.",
      body: UpdateScimTarget,
      run: (ctx, { scimTargetId }, body) => saveTarget(ctx, tools, scimTargetId, body),
    },
    remove: {
      config,
      summary: "Delete a SCIM target",
      description: "Accounts and groups at the target are not changed.",
      run: (ctx, { scimTargetId }) => removeTarget(ctx, scimTargetId),
    },
  });

  callRoute(app, "GET", "/:scimTargetId/status", {
    config: unversioned,
    summary: "Read the status of a SCIM target",
    tags,
    params,
    answer: ScimTargetStatus,
    read: (ctx, { params }) => readStatus(ctx, params.scimTargetId),
  });

  route(app, "POST", "/:scimTargetId/test", {
    config: unversioned,
    summary: "Test a SCIM target",
    description: "Checks that the target can be reached, accepts the credentials and lists users. Nothing is changed at the target.",
    tags,
    params,
    response: { 200: ScimTargetTest },
    handler: async (req) => {
      const result = await req.read((ctx) => test(ctx, tools, req.params.scimTargetId));
      await req.transact((ctx) => recordTest(ctx, req.params.scimTargetId, result.ok));
      return result;
    },
  });

  route(app, "POST", "/:scimTargetId/sync", {
    config: unversioned,
    summary: "Start a full sync with a SCIM target",
    description:
      "Compares all users and groups with what was sent, and sends those that differ, failed or were given up. " +
      "With `dryRun`, it only lists what would be sent.",
    tags,
    params,
    body: SyncScimTarget,
    response: { 200: ScimTargetPlan, 202: ScimTargetPlan },
    handler: async (req, reply) => {
      const { scimTargetId } = req.params;
      const { dryRun = false, resend = false } = req.body ?? {};
      if (dryRun) return req.read((ctx) => plan(ctx, tools, scimTargetId, resend));
      await req.transact((ctx) => startSync(ctx, scimTargetId, resend));
      return reply.code(202).send(REQUESTED);
    },
  });

  callRoute(app, "POST", "/:scimTargetId/confirm", {
    config: unversioned,
    operationId: "confirmScimTargetDeprovisioning",
    summary: "Confirm the removal of many accounts from a SCIM target",
    description: "Accounts that are HELD are then deactivated or deleted at the target, as its `deprovision` says.",
    tags,
    params,
    body: ConfirmDeprovisioning,
    answer: ScimTargetStatus,
    transact: (ctx, req) => confirm(ctx, req.params.scimTargetId, req.body),
  });

  collectionRoutes(app, "/:scimTargetId/objects", {
    tags,
    params,
    record: ScimTargetObject,
    list: {
      config: unversioned,
      summary: "List the users and groups of a SCIM target",
      description: "Returns each with its state at the target. Needs `view-users`, too.",
      query: ObjectQuery,
      run: (ctx, { scimTargetId }, query) => searchObjects(ctx, scimTargetId, query),
    },
  });

  callRoute(app, "GET", "/:scimTargetId/objects/:objectId", {
    config: unversioned,
    summary: "Read a user or group of a SCIM target",
    tags,
    params: objectParams,
    answer: ScimTargetObject,
    read: (ctx, { params }) => readObject(ctx, params.scimTargetId, params.objectId),
  });

  route(app, "POST", "/:scimTargetId/objects/:objectId/retry", {
    config: unversioned,
    summary: "Send a user or group to a SCIM target again",
    tags,
    params: objectParams,
    response: { 202: ScimTargetObject },
    handler: async (req, reply) => {
      const object = await req.transact((ctx) => retry(ctx, req.params.scimTargetId, req.params.objectId));
      return reply.code(202).send(object);
    },
  });
};
