import { isId } from "../../kernel/ids.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { keepAttributesApart } from "../attribute-uses/index.ts";
import { checkMapper, checkSource } from "./check.ts";
import { claimErrors } from "./errors.ts";
import { type ClaimMapperInput, type MapperState, stateOf, type UpdateClaimMapper } from "./schema.ts";
import { type ClaimMapperRow, deleteClaim, findClaim, insertClaim, listClaims, lockClaim, updateClaim } from "./store.ts";

export const searchClaims = (ctx: ReadCtx, query: ListQuery): Promise<Page<ClaimMapperRow>> => listClaims(ctx.tx, ctx.realm, query);

export async function readClaim(ctx: ReadCtx, claimId: string): Promise<ClaimMapperRow> {
  const claim = isId(claimId) ? await findClaim(ctx.tx, ctx.realm, claimId) : null;
  if (!claim) throw claimErrors.not_found();
  return claim;
}

/** For a change: held until commit. */
export async function takeClaim(ctx: Ctx, claimId: string): Promise<ClaimMapperRow> {
  const claim = isId(claimId) ? await lockClaim(ctx.tx, ctx.realm, claimId) : null;
  if (!claim) throw claimErrors.not_found();
  return claim;
}

export async function createClaim(ctx: Ctx, input: ClaimMapperInput): Promise<ClaimMapperRow> {
  const claim = await insertClaim(ctx.tx, ctx.realm, input.name, checkedMapper(input), ctx.now);
  await keepMappedApart(ctx, claim);
  await ctx.configChanged();
  ctx.audit({ category: "ADMIN", type: "ADMIN_CREATE", resourceType: "claims", resourceId: claim.claimId });
  return claim;
}

export async function saveClaim(ctx: Ctx, claimId: string, input: UpdateClaimMapper): Promise<ClaimMapperRow> {
  const mapper = checkedMapper(input);
  const current = await takeClaim(ctx, claimId);
  refuseReadOnly(current, input, ["realmId", "claimId", "createdAt"]);
  const comparable = (scopes: readonly string[]) => [...scopes].sort().join(" ");
  const scopes = input.scopes && comparable(input.scopes);
  refuseReadOnly({ scopes: comparable(current.scopes) }, { scopes }, ["scopes"], "are changed at the client scopes themselves");
  expectVersion(ctx, current.version);
  const claim = await updateClaim(ctx.tx, ctx.realm, current.claimId, input.name, mapper);
  await keepMappedApart(ctx, claim);
  await ctx.configChanged();
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "claims", resourceId: claim.claimId });
  return claim;
}

/** A claim may say roles or groups, or be what a policy reads. */
export async function keepMappedApart(ctx: Ctx, { source }: { readonly source?: unknown }): Promise<void> {
  if (source === "attribute") await keepAttributesApart(ctx, "value");
}

export async function removeClaim(ctx: Ctx, claimId: string): Promise<void> {
  const claim = await takeClaim(ctx, claimId);
  expectVersion(ctx, claim.version);
  await deleteClaim(ctx.tx, ctx.realm, claim.claimId);
  await ctx.configChanged();
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", resourceType: "claims", resourceId: claim.claimId });
}

/** Checks a request for a mapper of the realm or of a client; returns the complete state. */
export function checkedMapper(input: ClaimMapperInput): MapperState {
  const mapper = stateOf(input);
  checkMapper(mapper);
  return mapper;
}

/** Checks a mapper whose value becomes something else than a claim. */
export function checkedSource(input: ClaimMapperInput): MapperState {
  const mapper = stateOf(input);
  checkSource(mapper);
  return mapper;
}
