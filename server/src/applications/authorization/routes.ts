import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { callRoute, crudRoutes, pathParams, recordRoutes } from "../../platform/http/index.ts";
import { ListQuery, listQuery } from "../../platform/paging/index.ts";
import { EvaluateRequest, EvaluateResponse } from "./evaluate.schema.ts";
import { evaluateFor } from "./evaluate.service.ts";
import { createPermission, readPermission, removePermission, savePermission, searchPermissions } from "./permissions.service.ts";
import { AuthzPolicy, CreateAuthzPolicy, UpdateAuthzPolicy } from "./policies.schema.ts";
import { createPolicy, readPolicy, removePolicy, savePolicy, searchPolicies } from "./policies.service.ts";
import type { ResourceServers } from "./resource-server.ts";
import { createResource, readResource, removeResource, saveResource, searchResources } from "./resources.service.ts";
import * as schemas from "./schema.ts";
import { createScope, readScope, readSettings, removeScope, replaceSettings, saveScope, searchScopes } from "./service.ts";

const tags = ["Authorization services"];
const params = pathParams("clientId");
const read = { permission: ["view-clients", "manage-authorization"] } as const;
const write = { permission: ["manage-clients", "manage-authorization"] } as const;
const created = { ...write, versioned: false };
const shared = { tags, params, itemParams: pathParams("clientId", "name"), readers: read, writers: write };

const text = (maxLength: number) => Type.Optional(Type.String({ minLength: 1, maxLength }));
const ResourceQuery = listQuery({ name: text(255), type: text(255), uri: text(2048), owner: text(320), scope: text(255) });
const PolicyQuery = listQuery({ type: text(32) });

/** Mounted under /admin/realms/:realm/clients/:clientId/authz. */
export const authorizationRoutes: FastifyPluginAsyncTypebox<{ servers: ResourceServers }> = async (app, { servers }) => {
  recordRoutes(app, "/settings", {
    tags,
    params,
    record: schemas.AuthzSettings,
    read: { config: read, summary: "Read the authorization settings of a client", run: (ctx, { clientId }) => readSettings(ctx, clientId) },
    replace: {
      config: write,
      summary: "Replace the authorization settings of a client",
      description: "`enabled: true` makes the client a resource server.",
      body: schemas.UpdateAuthzSettings,
      run: (ctx, { clientId }, body) => replaceSettings(ctx, clientId, body),
    },
  });

  crudRoutes(app, ["/scopes", "/scopes/:name"], {
    ...{ ...shared, names: ["an authorization scope", "authorization scopes"] },
    record: schemas.AuthzScope,
    list: { query: ListQuery, run: (ctx, { clientId }, query) => searchScopes(ctx, clientId, query) },
    create: {
      config: created,
      body: schemas.CreateAuthzScope,
      id: ({ name }) => name,
      run: (ctx, { clientId }, body) => createScope(ctx, clientId, body),
    },
    read: { run: (ctx, { clientId, name }) => readScope(ctx, clientId, name) },
    replace: {
      summary: "Replace an authorization scope",
      body: schemas.UpdateAuthzScope,
      run: (ctx, { clientId, name }, body) => saveScope(ctx, clientId, name, body),
    },
    remove: {
      description: "Refused while resources or permissions use it.",
      run: (ctx, { clientId, name }) => removeScope(ctx, clientId, name),
    },
  });

  crudRoutes(app, ["/resources", "/resources/:name"], {
    ...{ ...shared, names: ["a protected resource", "protected resources"] },
    record: schemas.AuthzResource,
    list: { query: ResourceQuery, run: (ctx, { clientId }, query) => searchResources(ctx, clientId, query) },
    create: {
      config: created,
      body: schemas.CreateAuthzResource,
      id: (resource) => (resource.owner === null ? resource.name : resource.resourceId),
      run: (ctx, { clientId }, body) => createResource(ctx, clientId, body),
    },
    read: {
      description: "The resource is named by its name or id. If several resources have this name, the client's own is returned.",
      run: (ctx, { clientId, name }) => readResource(ctx, clientId, name),
    },
    replace: {
      summary: "Replace a protected resource",
      body: schemas.UpdateAuthzResource,
      run: (ctx, { clientId, name }, body) => saveResource(ctx, clientId, name, body),
    },
    remove: { description: "Refused while permissions use it.", run: (ctx, { clientId, name }) => removeResource(ctx, clientId, name) },
  });

  crudRoutes(app, ["/policies", "/policies/:name"], {
    ...{ ...shared, names: ["a policy", "policies"] },
    record: AuthzPolicy,
    list: { query: PolicyQuery, run: (ctx, { clientId }, query) => searchPolicies(ctx, clientId, query) },
    create: {
      config: created,
      body: CreateAuthzPolicy,
      id: ({ name }) => name,
      run: (ctx, { clientId }, body) => createPolicy(ctx, clientId, body),
    },
    read: { run: (ctx, { clientId, name }) => readPolicy(ctx, clientId, name) },
    replace: {
      summary: "Replace a policy",
      body: UpdateAuthzPolicy,
      run: (ctx, { clientId, name }, body) => savePolicy(ctx, clientId, name, body),
    },
    remove: {
      description: "Refused while permissions or aggregates use it.",
      run: (ctx, { clientId, name }) => removePolicy(ctx, clientId, name),
    },
  });

  crudRoutes(app, ["/permissions", "/permissions/:name"], {
    ...{ ...shared, names: ["a permission", "permissions"] },
    record: schemas.AuthzPermission,
    list: { query: ListQuery, run: (ctx, { clientId }, query) => searchPermissions(ctx, clientId, query) },
    create: {
      config: created,
      body: schemas.CreateAuthzPermission,
      id: ({ name }) => name,
      run: (ctx, { clientId }, body) => createPermission(ctx, clientId, body),
    },
    read: { run: (ctx, { clientId, name }) => readPermission(ctx, clientId, name) },
    replace: {
      summary: "Replace a permission",
      body: schemas.UpdateAuthzPermission,
      run: (ctx, { clientId, name }, body) => savePermission(ctx, clientId, name, body),
    },
    remove: { run: (ctx, { clientId, name }) => removePermission(ctx, clientId, name) },
  });

  callRoute(app, "POST", "/evaluate", {
    config: { ...read, versioned: false },
    summary: "Evaluate an authorization request",
    description:
      "Returns the decision and the reasons for it, also with changed policies. Needs `view-users`, too. Records no audit event.",
    tags,
    params,
    body: EvaluateRequest,
    answer: EvaluateResponse,
    read: (ctx, req) => evaluateFor(ctx, servers, req.params.clientId, req.body),
  });
};
