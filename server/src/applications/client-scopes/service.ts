import { isId } from "../../kernel/ids.ts";
import { LISTING } from "../../kernel/lists.ts";
import { type Ctx, type ReadCtx, recordConfigChange } from "../../platform/context.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { takeClaim } from "../claims/index.ts";
import { inUse, scopeErrors } from "./errors.ts";
import type { CreateClientScope, UpdateClientScope } from "./schema.ts";
import * as store from "./store.ts";

declare module "../../platform/context.ts" {
  interface DomainEvents {
    /** A client scope is about to be deleted. Listeners refuse if something would lose its meaning. */
    "client_scope.deleting": { readonly scopeId: string; readonly name: string };
  }
}

export const searchScopes = (ctx: ReadCtx, query: ListQuery): Promise<Page<store.ClientScopeRow>> =>
  store.listScopes(ctx.tx, ctx.realm, query);

export async function readScope(ctx: ReadCtx, scopeId: string, isHeld = false): Promise<store.ClientScopeRow> {
  const scope = isId(scopeId) ? await store.findScope(ctx.tx, ctx.realm, scopeId, isHeld) : null;
  if (!scope) throw scopeErrors.not_found();
  return scope;
}

/** For a change: held until commit. */
const takeScope = (ctx: Ctx, scopeId: string): Promise<store.ClientScopeRow> => readScope(ctx, scopeId, true);

export async function createScope(ctx: Ctx, input: CreateClientScope): Promise<store.ClientScopeRow> {
  const { name, description = null, consentText = null, assignment = "OPTIONAL" } = input;
  const scope = await store.insertScope(ctx.tx, ctx.realm, name, { description, consentText, assignment }, ctx.now);
  await recordConfigChange(ctx, "ADMIN_CREATE", "client-scopes", scope.scopeId);
  return scope;
}

export async function saveScope(ctx: Ctx, scopeId: string, input: UpdateClientScope): Promise<store.ClientScopeRow> {
  const current = await takeScope(ctx, scopeId);
  // Clients, consents and tokens refer to the name, so another name would be another scope.
  refuseReadOnly(current, input, ["realmId", "scopeId", "name", "builtIn", "createdAt"]);
  const comparable = (claims: store.ClientScopeRow["claims"]) => JSON.stringify(claims.map(({ claimId, name }) => [claimId, name]).sort());
  const claims = input.claims && comparable(input.claims);
  refuseReadOnly({ claims: comparable(current.claims) }, { claims }, ["claims"], "are attached and detached one by one");
  expectVersion(ctx, current.version);
  const state = {
    description: input.description ?? null,
    consentText: input.consentText ?? null,
    assignment: input.assignment ?? "OPTIONAL",
  };
  const scope = await store.updateScope(ctx.tx, ctx.realm, current.scopeId, state);
  await recordConfigChange(ctx, "ADMIN_UPDATE", "client-scopes", scope.scopeId);
  return scope;
}

export async function removeScope(ctx: Ctx, scopeId: string): Promise<void> {
  const scope = await takeScope(ctx, scopeId);
  expectVersion(ctx, scope.version);
  if (scope.builtIn) throw scopeErrors.built_in();
  const listing = await store.clientsListing(ctx.tx, ctx.realm, scope.name, LISTING);
  if (listing.length > 0) throw inUse("Clients", listing);
  await ctx.emit("client_scope.deleting", { scopeId: scope.scopeId, name: scope.name });
  await store.deleteScope(ctx.tx, ctx.realm, scope.scopeId);
  await recordConfigChange(ctx, "ADMIN_DELETE", "client-scopes", scope.scopeId);
}

export async function readScopeClaim(ctx: ReadCtx, scopeId: string, claimId: string): Promise<store.ClientScopeRow["claims"][number]> {
  const claim = (await readScope(ctx, scopeId)).claims.find((one) => one.claimId === claimId.toLowerCase());
  if (!claim) throw scopeErrors.claim_not_attached();
  return claim;
}

/** Attaches a claim. Every token with the scope gets it. */
export async function addClaim(ctx: Ctx, scopeId: string, claimId: string): Promise<void> {
  const scope = await takeScope(ctx, scopeId);
  const claim = await takeClaim(ctx, claimId);
  expectVersion(ctx, scope.version);
  if (!(await store.attachClaim(ctx.tx, ctx.realm, scope.scopeId, claim.claimId))) return;
  await changed(ctx, scope, `attach claim ${claim.claimId}`);
}

export async function dropClaim(ctx: Ctx, scopeId: string, claimId: string): Promise<void> {
  const scope = await takeScope(ctx, scopeId);
  const claim = await takeClaim(ctx, claimId);
  expectVersion(ctx, scope.version);
  if (!(await store.detachClaim(ctx.tx, ctx.realm, scope.scopeId, claim.claimId))) throw scopeErrors.claim_not_attached();
  await changed(ctx, scope, `detach claim ${claim.claimId}`);
}

async function changed(ctx: Ctx, { scopeId }: store.ClientScopeRow, detail: string): Promise<void> {
  await store.updateScope(ctx.tx, ctx.realm, scopeId);
  await recordConfigChange(ctx, "ADMIN_UPDATE", "client-scopes", scopeId, detail);
}
