import * as authz from "../../applications/authorization/index.ts";
import { isId } from "../../kernel/ids.ts";
import { OAuthError, oauthErrors } from "../../kernel/oauth-error.ts";
import type { Ctx } from "../../platform/context.ts";
import { issueTicket, type TicketContents } from "../token-endpoint/index.ts";
import type { PermissionRequests, RegisteredResource, ResourceDescription } from "./protection.schema.ts";

/** Makes the error of UMA 2.0 Federated Authorization §3.2 for an unknown resource. */
export const notFound = () => new OAuthError("not_found", "this resource server has no such resource", { status: 404 });

/** Refuses unless administrators allow the resource server to manage its resources. */
export function assertMayManage({ settings }: authz.ResourceServer): void {
  if (!settings.allowRemoteResourceManagement)
    throw new OAuthError("access_denied", "this resource server may not manage its resources by this API", { status: 403 });
}

const nameOf = (scope: string | { readonly name: string }) => (typeof scope === "string" ? scope : scope.name);

/** The owner of a description, by id; null: the resource server itself, which Keycloak's clients name by its id. */
function ownerIn({ client, clientId }: authz.ResourceServer, owner: NonNullable<ResourceDescription["owner"]>): string | null {
  const named = typeof owner === "object" ? owner.id : owner;
  const id = isId(named) ? named.toLowerCase() : named;
  return id === client || named === clientId ? null : id;
}

/** UMA has no owners, and a description without one leaves the resource to its present owner. */
function stateOf(server: authz.ResourceServer, input: ResourceDescription, name: string, current?: authz.ResourceRow): authz.ResourceState {
  const owner = input.owner === undefined ? (current?.owner ?? null) : input.owner && ownerIn(server, input.owner);
  return {
    name,
    displayName: input.displayName ?? input.description ?? null,
    type: input.type ?? null,
    uris: [...new Set([...(input.uris ?? []), ...(input.uri == null ? [] : [input.uri])])],
    scopes: [...new Set((input.resource_scopes ?? input.scopes ?? []).map(nameOf))],
    iconUri: input.icon_uri ?? null,
    owner,
    ownerManagedAccess: input.ownerManagedAccess ?? (owner !== null && current?.ownerManagedAccess === true),
    attributes: input.attributes ?? {},
  };
}

export async function register(ctx: Ctx, server: authz.ResourceServer, input: ResourceDescription): Promise<authz.ResourceRow> {
  assertMayManage(server);
  if (!input.name) throw oauthErrors.invalidRequest("name is needed");
  return authz.registerResource(ctx, server, stateOf(server, input, input.name));
}

export async function replace(ctx: Ctx, server: authz.ResourceServer, id: string, input: ResourceDescription): Promise<authz.ResourceRow> {
  assertMayManage(server);
  const saved = await authz.replaceRegistered(ctx, server, id, (current) => stateOf(server, input, input.name || current.name, current));
  if (!saved) throw notFound();
  return saved;
}

export function shown({ client, clientId }: authz.ResourceServer, accountUrl: string, row: authz.ResourceRow): RegisteredResource {
  return {
    _id: row.resourceId,
    name: row.name,
    ...(row.displayName !== null && { displayName: row.displayName }),
    ...(row.type !== null && { type: row.type }),
    uris: [...row.uris],
    resource_scopes: [...row.scopes],
    scopes: row.scopes.map((name) => ({ name })),
    ...(row.iconUri !== null && { icon_uri: row.iconUri }),
    owner: row.owner === null ? { id: client, name: clientId } : { id: row.owner },
    ownerManagedAccess: row.ownerManagedAccess,
    attributes: row.attributes,
    ...(row.ownerManagedAccess && { user_access_policy_uri: `${accountUrl}/pages/applications/shares?id=${row.resourceId}` }),
  };
}

/** UMA 2.0 Federated Authorization §4: makes a ticket for a client's attempt. It is used once, at the token endpoint. */
export async function ticketFor({ tx }: Ctx, server: authz.ResourceServer, asked: PermissionRequests): Promise<string> {
  const requests = Array.isArray(asked) ? asked : [asked];
  const found = await authz.resourcesById(
    tx,
    server,
    requests.map(({ resource_id: id }) => id),
  );
  const permissions: TicketContents["permissions"][number][] = [];
  const claims: Record<string, unknown> = {};
  for (const { resource_id: id, resource_scopes: scopes = [], claims: pushed } of requests) {
    const resource = found.get(id.toLowerCase());
    if (!resource) throw new OAuthError("invalid_resource_id", "this resource server has no such resource");
    const unknown = scopes.find((scope) => !resource.scopes.includes(scope));
    if (unknown !== undefined) throw new OAuthError("invalid_scope", "the resource has no such scope");
    permissions.push({ resource: resource.resourceId, scopes });
    Object.assign(claims, pushed);
  }
  return issueTicket(tx, server, { permissions, claims });
}
