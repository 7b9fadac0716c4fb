import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { declare, parseJson, token } from "../../platform/http/index.ts";
import { runBulk } from "./bulk.ts";
import { discoveryRoutes } from "./discovery.routes.ts";
import { methodNotAllowed, SCIM_JSON, scimErrors, sendScimError } from "./errors.ts";
import { scimGroupRoutes } from "./groups/routes.ts";
import { refusals, ScimBulk, ScimBulkAnswer, ScimList, ScimSearch } from "./schema/documents.ts";
import { searchAll } from "./search.ts";
import { scimUserRoutes } from "./users/routes.ts";
import type { UserParts } from "./users/service.ts";

export interface ScimParts extends UserParts {
  readonly baseUrl: string;
  readonly provisioning: { get(realm: string): Promise<{ readonly scim: { readonly enabled: boolean } } | null | undefined> };
}

/** Mounted under /realms/:realm/scim/v2. */
export const scimRoutes: FastifyPluginAsyncTypebox<ScimParts> = async (app, options) => {
  const { provisioning, realms, hasher, breaches, directoryPasswords, baseUrl } = options;
  const parts = { realms, hasher, breaches, baseUrl, ...(directoryPasswords && { directoryPasswords }) };
  declare(app, { tags: ["SCIM"], caller: token({ kind: "scim" }), limit: "scim", errors: "scim", codes: "scim" });
  const served: { readonly path: RegExp; readonly methods: readonly string[] }[] = [];
  app.addHook("onRoute", (route) => {
    const path = route.url.replaceAll(".", "\\.").replaceAll(/:[^/]+/g, "[^/]+");
    served.push({ path: new RegExp(`^${path}/?$`), methods: [route.method].flat() });
    if (route.schema) route.schema = { consumes: ["application/scim+json"], produces: ["application/scim+json"], ...route.schema };
  });
  app.decorateRequest("scimToken", null as never);
  // Schemas are documentation: what a provisioning client sends beyond them is ignored, and errors are those of RFC 7644.
  app.setValidatorCompiler(() => () => true);
  app.removeContentTypeParser(["application/x-www-form-urlencoded", "text/plain"]);
  app.addContentTypeParser("application/scim+json", { parseAs: "buffer" }, (_request, body, done) => {
    try {
      done(null, body.length === 0 ? undefined : parseJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });

  app.addHook("onRequest", async (request) => {
    if (request.is404) return;
    if (!(await provisioning.get(request.realmId))?.scim.enabled) throw scimErrors.disabled();
  });
  app.addHook("onSend", async (_request, reply, payload) => {
    if (payload !== null && payload !== "") reply.type(SCIM_JSON);
    return payload;
  });

  await app.register(discoveryRoutes, { baseUrl });
  await app.register(scimUserRoutes, { ...parts, prefix: "/Users" });
  await app.register(scimGroupRoutes, { baseUrl, prefix: "/Groups" });

  app.post(
    "/.search",
    {
      config: { permission: "view-users" },
      schema: {
        operationId: "searchScim",
        summary: "Search users and groups (RFC 7644 §3.4.3)",
        body: ScimSearch,
        response: { 200: ScimList, ...refusals },
      },
    },
    (request) => searchAll(request, baseUrl),
  );

  app.post(
    "/Bulk",
    {
      config: { permission: ["manage-users", "manage-organizations"] },
      schema: {
        operationId: "runScimBulk",
        summary: "Run many operations (RFC 7644 §3.7)",
        description: "Each is a transaction of its own, with its own status. `bulkId` refers to what another operation creates.",
        body: ScimBulk,
        response: { 200: ScimBulkAnswer, ...refusals },
      },
    },
    (request) => runBulk(request, parts),
  );

  // RFC 7644 §3.11: `/Me` is the resource of the user who asks.
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split("?", 1)[0]!;
    const allowed = served.filter((route) => route.path.test(path)).flatMap(({ methods }) => methods);
    if (allowed.length > 0) return sendScimError(methodNotAllowed([...new Set(allowed)].sort()), request, reply);
    const isMe = /\/Me\/?$/.test(path);
    return sendScimError(isMe ? scimErrors.no_me() : scimErrors.not_found(), request, reply);
  });
};
