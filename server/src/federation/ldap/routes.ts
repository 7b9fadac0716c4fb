import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { nullable, oneOf, Problem, pathParams, route } from "../../platform/http/index.ts";
import type { IdentityProviders, ProviderSnapshot } from "../providers/provider.ts";
import { isDirectory } from "./directory.ts";
import { directoryErrors } from "./errors.ts";
import { readRuns, syncDirectory } from "./sync.ts";
import type { SyncParts } from "./sync-parts.ts";

const tags = ["Identity providers"];
const config = { permission: "manage-identity-providers", versioned: false } as const;
const params = pathParams("alias");

const kind = oneOf(["full", "changed"], {
  description: "full: everything was read. changed: only changes since the previous run were read",
});
const report = {
  synced: Type.Integer({ description: "The entries that were processed" }),
  created: Type.Integer(),
  updated: Type.Integer(),
  disabled: Type.Integer({ description: "The users whose entry is gone, or disabled in the directory" }),
  skipped: Type.Integer({ description: "The entries of erased users and, if `provisioning` is deny, entries without a user" }),
  failed: Type.Integer({ description: "The entries that could not be imported. `errors` names the first hundred" }),
  errors: Type.Array(Type.Object({ dn: Type.String(), message: Type.String() })),
  message: nullable(Type.String(), "A note about the run as a whole"),
};

const SyncResult = Type.Object(
  { runId: Type.String({ format: "uuid" }), kind, dryRun: Type.Boolean(), ...report, durationMs: Type.Integer() },
  { $id: "DirectorySyncResult" },
);

const SyncRun = Type.Object(
  {
    runId: Type.String({ format: "uuid" }),
    kind,
    dryRun: Type.Boolean(),
    state: oneOf(["running", "done", "failed"]),
    requestedBy: Type.String(),
    startedAt: Type.Integer({ description: "The time of the start, in epoch milliseconds" }),
    finishedAt: nullable(Type.Integer({ description: "The time of the end, in epoch milliseconds" })),
    ...report,
  },
  { $id: "DirectorySyncRun" },
);

const SyncQuery = Type.Object(
  {
    full: Type.Optional(Type.Boolean({ default: true, description: "If false, only changes since the previous run are read" })),
    dryRun: Type.Optional(Type.Boolean({ default: false, description: "Report what would happen, and change nothing" })),
    confirm: Type.Optional(
      Type.Boolean({ default: false, description: "Disable users even if more than a fifth of them, and more than ten, are missing" }),
    ),
  },
  { additionalProperties: false },
);

const RunsQuery = Type.Object(
  {
    size: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: "The number of runs" })),
    before: Type.Optional(
      Type.String({ format: "uuid", description: "The `runId` of the last run of the previous page. Only older runs are returned" }),
    ),
  },
  { additionalProperties: false },
);

/** Mounted under /admin/realms/:realm/user-federation. */
export const userFederationRoutes: FastifyPluginAsyncTypebox<SyncParts & { providers: IdentityProviders }> = async (
  app,
  { providers, ...parts },
) => {
  const directoryOf = async (realm: string, alias: string): Promise<ProviderSnapshot> => {
    const provider = (await providers.get(realm))?.byAlias.get(alias);
    if (!provider || !isDirectory(provider)) throw directoryErrors.not_found();
    return provider;
  };

  route(app, "POST", "/:alias/sync", {
    config,
    summary: "Sync the users of a directory",
    description:
      "Creates, updates and disables users according to the directory, and never deletes any. Responds when the sync is done; `GET` shows its progress. " +
      "No missing user is disabled if the directory could not be read completely, has no users, or lost more than a fifth of its users.",
    tags,
    params,
    querystring: SyncQuery,
    response: { 200: SyncResult, 502: Problem },
    handler: async (req) => {
      const provider = await directoryOf(req.params.realm, req.params.alias);
      if (!provider.enabled) throw directoryErrors.disabled();
      const { full = true, dryRun = false, confirm = false } = req.query;
      return syncDirectory(parts, provider, { full, dryRun, confirm, actor: req.actor!, sourceIp: req.ip });
    },
  });

  route(app, "GET", "/:alias/sync", {
    config,
    summary: "Follow the syncs of a directory",
    description: "Returns the runs, newest first, with the progress of a running one. Runs are kept for 90 days.",
    tags,
    params,
    querystring: RunsQuery,
    response: { 200: Type.Object({ running: Type.Boolean(), runs: Type.Array(SyncRun) }, { $id: "DirectorySyncs" }) },
    handler: async (req) => {
      const { realm, providerId } = await directoryOf(req.params.realm, req.params.alias);
      const runs = await req.read((ctx) =>
        readRuns(ctx, { realm, providerId }, { size: req.query.size ?? 20, before: req.query.before ?? null }),
      );
      return { running: runs.some(({ state }) => state === "running"), runs };
    },
  });
};
