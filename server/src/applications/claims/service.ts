import { type FieldError, invalidFields } from "../../kernel/errors.ts";
import { isId } from "../../kernel/ids.ts";
import { didYouMean } from "../../kernel/suggest.ts";
import { type Ctx, type ReadCtx, recordConfigChange } from "../../platform/context.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { keepAttributesApart } from "../attribute-uses/index.ts";
import { claimErrors } from "./errors.ts";
import { claimPath, isFree } from "./path.ts";
import { type ClaimMapperInput, type MapperState, stateOf, type UpdateClaimMapper } from "./schema.ts";
import { sources } from "./sources/index.ts";
import { type ClaimMapperRow, deleteClaim, findClaim, insertClaim, listClaims, updateClaim } from "./store.ts";

export const searchClaims = (ctx: ReadCtx, query: ListQuery): Promise<Page<ClaimMapperRow>> => listClaims(ctx.tx, ctx.realm, query);

export async function readClaim(ctx: ReadCtx, claimId: string, isHeld = false): Promise<ClaimMapperRow> {
  const claim = isId(claimId) ? await findClaim(ctx.tx, ctx.realm, claimId, isHeld) : null;
  if (!claim) throw claimErrors.not_found();
  return claim;
}

/** For a change: held until commit. */
export const takeClaim = (ctx: Ctx, claimId: string): Promise<ClaimMapperRow> => readClaim(ctx, claimId, true);

export async function createClaim(ctx: Ctx, input: ClaimMapperInput): Promise<ClaimMapperRow> {
  const claim = await insertClaim(ctx.tx, ctx.realm, input.name, checkedMapper(input), ctx.now);
  await keepMappedApart(ctx, claim);
  await recordConfigChange(ctx, "ADMIN_CREATE", "claims", claim.claimId);
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
  await recordConfigChange(ctx, "ADMIN_UPDATE", "claims", claim.claimId);
  return claim;
}

/** Refuses a mapper of an attribute that people may edit, if the claim contains roles or groups, or if a policy reads it. */
export async function keepMappedApart(ctx: Ctx, { source }: { readonly source?: unknown }): Promise<void> {
  if (source === "attribute") await keepAttributesApart(ctx, "value");
}

export async function removeClaim(ctx: Ctx, claimId: string): Promise<void> {
  const claim = await takeClaim(ctx, claimId);
  expectVersion(ctx, claim.version);
  await deleteClaim(ctx.tx, ctx.realm, claim.claimId);
  await recordConfigChange(ctx, "ADMIN_DELETE", "claims", claim.claimId);
}

/** Checks a request for a mapper of the realm or of a client. Returns the complete state. */
export function checkedMapper(input: ClaimMapperInput): MapperState {
  const mapper = stateOf(input);
  checkMapper(mapper);
  return mapper;
}

/** Checks a mapper whose value does not become a claim. */
export function checkedSource(input: ClaimMapperInput): MapperState {
  const mapper = stateOf(input);
  checkSource(mapper);
  return mapper;
}

/** Checks the rules for a mapper beyond its schema. */
export function checkMapper(mapper: MapperState): void {
  const errors = [...nameErrors(mapper.claim), ...valueErrors(mapper)];
  if (errors.length > 0) throw invalidFields(errors);
}

/** Checks a value that is not written as a claim. */
function checkSource(mapper: MapperState): void {
  const errors = valueErrors(mapper);
  if (errors.length > 0) throw invalidFields(errors);
}

function nameErrors(claim: string): FieldError[] {
  const path = claimPath(claim);
  if (!path) {
    const message = "claim must be up to 8 names with a dot between them, none of them empty, __proto__, constructor or prototype";
    return [{ field: "claim", code: "format", message }];
  }
  if (isFree(path)) return [];
  return [{ field: "claim", code: "reserved", message: `claim: ${path[0]} is set by the protocol itself; choose another name` }];
}

function valueErrors({ source, value, type }: MapperState): FieldError[] {
  const { choices = [], refusal } = sources[source];
  const isChoice = value === null || choices.includes(value);
  const unknown = () => (isChoice ? null : `${source} knows ${choices.join(", ")}.${didYouMean(value, choices)}`);
  const message = refusal ? refusal(value, type) : unknown();
  return message === null ? [] : [{ field: "value", code: "enum", message: `value: ${message}` }];
}
