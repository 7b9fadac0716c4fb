import { invalidFields } from "../../kernel/errors.ts";
import type { ReadCtx } from "../../platform/context.ts";
import { findEntries } from "./entries.store.ts";
import { authzErrors } from "./errors.ts";
import { type EvaluateRequest, type EvaluateResponse, MOST_RESOURCES } from "./evaluate.schema.ts";
import { type Asked, type AskedResult, evaluate, type Model, modelOf, type Subject } from "./evaluator/index.ts";
import { checkedPermission } from "./permissions.service.ts";
import { pick } from "./pick.ts";
import { checkedPolicy } from "./policies.service.ts";
import { findPolicy } from "./policies.store.ts";
import type { ResourceServer, ResourceServers } from "./resource-server.ts";
import { type AskedResource, resourcesFor } from "./resources.store.ts";
import { mayViewUsers, serverOf } from "./service.ts";
import type { Server } from "./store.ts";
import { agentKey, findClientSubjects, findUserSubjects } from "./subjects.store.ts";

/** Evaluates like a token request or AuthZEN, with reasons. It only reads, and records no event. */
export async function evaluateFor(ctx: ReadCtx, servers: ResourceServers, id: string, input: EvaluateRequest): Promise<EvaluateResponse> {
  if (!mayViewUsers(ctx)) throw authzErrors.view_users_needed();
  const place = await serverOf(ctx, id);
  const server = await servers.get(ctx.realm, place.client);
  if (!server) throw authzErrors.disabled();
  const subjects = await subjectsOf(ctx, server, input);
  const asked = await askedOf(ctx, place, input, subjects);
  const results = evaluate(await modelFor(ctx, server, place, input), { subjects, request: input.context ?? {}, now: ctx.now }, asked);
  const isPermitted = results.length > 0 && results.every(({ status }) => status === "PERMIT");
  return { status: isPermitted ? "PERMIT" : "DENY", results: results.map(shown) };
}

const shown = (result: AskedResult): EvaluateResponse["results"][number] => {
  const { asked, status, allowedScopes, deniedScopes, reason, permissions } = result;
  const { resource } = asked;
  return {
    resource: resource && { resourceId: resource.id, name: resource.name, type: resource.type },
    scopes: [...(asked.scopes ?? resource?.scopes ?? [])],
    status,
    allowedScopes: [...allowedScopes],
    deniedScopes: [...deniedScopes],
    reason,
    permissions: permissions.map((permission) => ({ ...permission, policies: permission.policies.map((policy) => ({ ...policy })) })),
  };
};

async function subjectsOf(ctx: ReadCtx, { settings }: ResourceServer, input: EvaluateRequest): Promise<Subject[]> {
  const { userId, clientId, agentId, actors = [], throughClientId, tokenScopes } = input;
  if ([userId, clientId, agentId].filter((id) => id !== undefined).length !== 1)
    throw invalidFields([{ field: "userId", code: "one_subject", message: "Send one of userId, clientId and agentId" }]);
  const names = [clientId, throughClientId, ...actors].filter((name) => name !== undefined);
  const agents = agentId === undefined ? [] : [agentId];
  const clients = await findClientSubjects(ctx.tx, ctx.realm, [...new Set(names)], undefined, agents);
  const found =
    userId === undefined
      ? clients.get(agentId === undefined ? clientId! : agentKey(agentId))
      : (await findUserSubjects(ctx.tx, ctx.realm, [userId])).get(userId);
  if (!found || names.some((name) => !clients.has(name))) throw authzErrors.subject_not_found();
  const scopeIds = tokenScopes && (await findEntries(ctx.tx, ctx.realm, "client-scope", tokenScopes));
  const through = throughClientId === undefined ? null : clients.get(throughClientId)!;
  const subject: Subject = {
    ...found,
    ...(through && { clientId: through.id, client: through.client }),
    scopes: scopeIds ? new Set(scopeIds.values()) : null,
  };
  return settings.delegation === "subject" ? [subject] : [subject, ...actors.map((name) => clients.get(name)!)];
}

async function askedOf(ctx: ReadCtx, server: Server, input: EvaluateRequest, subjects: readonly Subject[]): Promise<Asked[]> {
  const { resources = [], resourceType, scopes } = input;
  const users = subjects.filter(({ kind }) => kind === "user").map(({ id }) => id);
  const limit = { limit: MOST_RESOURCES };
  if (resources.length > 0) {
    if (resourceType !== undefined)
      throw invalidFields([{ field: "resourceType", code: "ambiguous", message: "Send resources or resourceType, not both" }]);
    const names = resources.map(({ name }) => name);
    const found = await resourcesFor(ctx.tx, server, { by: "names", names }, users, { limit: MOST_RESOURCES * 2 });
    return resources.map((each) => {
      const resource = pick(found, each.name, users);
      if (!resource) throw authzErrors.resource_not_found();
      return { resource, scopes: each.scopes ?? scopes ?? null };
    });
  }
  if (resourceType !== undefined) {
    const found = await resourcesFor(ctx.tx, server, { by: "type", type: resourceType }, users, limit);
    return found.map((resource) => ({ resource, scopes: scopes ?? null }));
  }
  if (!scopes?.length) throw invalidFields([{ field: "resources", code: "required", message: "Send resources, a resourceType or scopes" }]);
  const found = await resourcesFor(ctx.tx, server, { by: "scopes", scopes }, users, limit);
  const within = (resource: AskedResource) => scopes.filter((scope) => resource.scopes.includes(scope));
  return found.length > 0 ? found.map((resource) => ({ resource, scopes: within(resource) })) : [{ resource: null, scopes }];
}

/** Returns the model with the policies and permissions of a dry run. */
async function modelFor(ctx: ReadCtx, server: ResourceServer, place: Server, input: EvaluateRequest): Promise<Model> {
  const { policies: changed = [], permissions: granted = [] } = input;
  if (changed.length === 0 && granted.length === 0) return server.model;
  const policies = new Map(server.policies.map((policy) => [policy.name, policy]));
  const further = new Map(changed.map(({ name, policies: included = [] }) => [name, included]));
  for (const each of changed) {
    const current = await findPolicy(ctx.tx, place, each.name);
    const { description: _, entries, ...policy } = await checkedPolicy(ctx, place, each, current, further);
    policies.set(policy.name, {
      ...policy,
      entries: entries.map((entry) => ({ ...entry, id: entry.id ?? "", isLost: entry.id === null })),
    });
  }
  const permissions = new Map(server.permissions.map((permission) => [permission.name, permission]));
  for (const each of granted) {
    const { description: _, ...state } = await checkedPermission(ctx, place, each, [...further.keys()]);
    const isGeneral = state.type === "scope" && state.resources.length === 0 && state.resourceType === null;
    permissions.set(state.name, { ...state, isGeneral });
  }
  return modelOf(server.settings, [...policies.values()], [...permissions.values()]);
}
