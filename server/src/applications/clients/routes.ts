import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import { AssignRole, CreateRole, givenRoles, Role, roleNameMembers, UpdateRole } from "../../directory/roles/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { callRoute, collectionRoutes, crudRoutes, pathParams, recordRoutes } from "../../platform/http/index.ts";
import { ListQuery, pageInMemory } from "../../platform/paging/index.ts";
import { mapperRoutes } from "../claims/index.ts";
import { clientMappers } from "./mappers.ts";
import { saveAllowedResources } from "./resources.service.ts";
import { createClientRole, readClientRole, removeClientRole, saveClientRole, searchClientRoles } from "./roles.service.ts";
import * as schemas from "./schema.ts";
import { regenerateSecret, revealSecret } from "./secrets.service.ts";
import * as service from "./service.ts";
import { grantToServiceAccount, readServiceAccountRoles, takeFromServiceAccount } from "./service-accounts.service.ts";

const tags = ["Clients"];
const params = Type.Object({ realm: Type.String(), clientId: Type.String({ description: "The client's `id`, not OAuth's client id" }) });
const read = { permission: "view-clients" } as const;
const write = { permission: "manage-clients" } as const;

const answer = async (ctx: Ctx, { client, secret }: service.WrittenClient) => ({
  ...(await service.shownWithNames(ctx, client)),
  ...(secret !== null && { secret }),
});

/** Mounted under /admin/realms/:realm/clients. */
export const clientRoutes: FastifyPluginAsyncTypebox<service.ClientTools> = async (app, tools) => {
  await app.register(clientRoleRoutes, { prefix: "/:clientId" });

  crudRoutes(app, ["/", "/:clientId"], {
    ...{ tags, names: ["a client", "clients"], readers: read, writers: write },
    itemParams: params,
    record: schemas.Client,
    list: { query: schemas.ClientQuery, run: (ctx, _params, query) => service.searchClients(ctx, query) },
    create: {
      description: "Only this response contains the secret of a confidential client: the `secret` of the request, or a generated one.",
      body: schemas.CreateClient,
      answer: schemas.CreatedClient,
      id: ({ id }) => id,
      run: async (ctx, _params, body) => answer(ctx, await service.createClient(ctx, tools, body)),
    },
    read: { run: async (ctx, { clientId }) => service.shownWithNames(ctx, await service.readClient(ctx, clientId)) },
    replace: {
      summary: "Replace a client's state",
      ofPut: "Omitted members return to their defaults, except `enabled`, which is unchanged. `publicClient` is required.",
      description:
        "The client id cannot be changed. A client that becomes confidential gets a secret, which only this response contains: the `secret` of the request, or a generated one. If the client already has a secret, `secret` replaces it immediately; if omitted, the stored one is kept.",
      body: schemas.UpdateClient,
      answer: schemas.UpdatedClient,
      follows: { authMethod: "publicClient" },
      run: async (ctx, { clientId }, body) => answer(ctx, await service.saveClient(ctx, tools, clientId, body)),
    },
    remove: {
      description: "Also deletes its roles, mappers, grants and tokens.",
      run: (ctx, { clientId }) => service.removeClient(ctx, tools, clientId),
    },
  });

  callRoute(app, "GET", "/:clientId/secret", {
    // The secret needs more than the permission to view clients.
    config: { ...write, recentAuthentication: true },
    summary: "Reveal a client's secret",
    description: "Records a security event. Refused if the realm setting `clientSecretReveal` is false.",
    tags,
    params,
    answer: schemas.ClientSecret,
    transact: (ctx, { params }) => revealSecret(ctx, tools, params.clientId),
  });

  callRoute(app, "POST", "/:clientId/secret", {
    config: { ...write, recentAuthentication: true },
    operationId: "regenerateClientSecret",
    summary: "Generate a new secret for a client",
    description:
      "The old secret ends immediately, and so does the registration access token of a client that registered itself. With `overlapSeconds`, the old secret is accepted for that time, so that the client can switch without a gap.",
    tags,
    params,
    body: schemas.RegenerateSecret,
    answer: schemas.ClientSecret,
    transact: (ctx, req) => regenerateSecret(ctx, tools, req.params.clientId, req.body),
  });

  const resourcesOf = ({ allowedResources, version }: { allowedResources: readonly string[]; version: number }) => ({
    allowedResources: [...allowedResources],
    version,
  });
  recordRoutes(app, "/:clientId/allowed-resources", {
    tags,
    params,
    record: schemas.AllowedResources,
    read: {
      config: read,
      summary: "Read the resources that a client may request tokens for",
      run: async (ctx, { clientId }) => resourcesOf(await service.readClient(ctx, clientId)),
    },
    replace: {
      config: write,
      summary: "Set the resources that a client may request tokens for",
      body: schemas.AllowedResources,
      run: async (ctx, { clientId }, body) => resourcesOf(await saveAllowedResources(ctx, tools, clientId, body)),
    },
  });
};

/** Mounted under /admin/realms/:realm/clients/:clientId. The roles, mappers and service account of one client. */
const clientRoleRoutes: FastifyPluginAsyncTypebox = async (app) => {
  // `manage-roles` permits changes of client roles too.
  crudRoutes(app, ["/roles", "/roles/:roleName"], {
    ...{ tags, names: ["a role of a client", "a client's roles"] },
    readers: { permission: ["view-clients", "manage-roles"] },
    writers: { permission: ["manage-clients", "manage-roles"] },
    params,
    itemParams: pathParams("clientId", "roleName"),
    record: Role,
    list: { query: ListQuery, run: (ctx, { clientId }, query) => searchClientRoles(ctx, clientId, query) },
    create: { body: CreateRole, id: ({ name }) => name, run: (ctx, { clientId }, body) => createClientRole(ctx, clientId, body) },
    read: { run: (ctx, { clientId, roleName }) => readClientRole(ctx, clientId, roleName) },
    replace: {
      description:
        "Another `name` renames the role: its holders keep it, and tokens carry the new name. Its path is the new name from then on.",
      body: UpdateRole,
      run: (ctx, { clientId, roleName }, body) => saveClientRole(ctx, clientId, roleName, body),
    },
    remove: { run: (ctx, { clientId, roleName }) => removeClientRole(ctx, clientId, roleName) },
  });

  mapperRoutes(app as unknown as FastifyInstance, {
    ...{ tags, param: "clientId", of: "a client", mappers: clientMappers },
    ...{ record: schemas.ClientMapper, create: schemas.CreateClientMapper, update: schemas.UpdateClientMapper },
  });

  collectionRoutes(app, "/service-account/roles", {
    tags,
    params,
    record: schemas.ServiceAccountRole,
    list: {
      config: read,
      summary: "List the roles of a client's service account",
      query: ListQuery,
      run: async (ctx, { clientId }, query) => pageInMemory(await readServiceAccountRoles(ctx, clientId), givenRoles, query),
    },
  });

  callRoute(app, "POST", "/service-account/roles", {
    config: write,
    summary: "Give a role to a client's service account",
    tags,
    params,
    body: AssignRole,
    answer: Type.Array(schemas.ServiceAccountRole),
    transact: (ctx, req) => grantToServiceAccount(ctx, req.params.clientId, req.body),
  });

  callRoute(app, "DELETE", "/service-account/roles", {
    config: write,
    summary: "Take a role from a client's service account",
    tags,
    params,
    querystring: Type.Object(
      { name: Type.Optional(roleNameMembers.name), clientId: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })) },
      { additionalProperties: false },
    ),
    transact: (ctx, req) => takeFromServiceAccount(ctx, req.params.clientId, req.query),
  });
};
