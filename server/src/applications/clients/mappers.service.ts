import { invalidFields } from "../../kernel/errors.ts";
import { isId } from "../../kernel/ids.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import { expectVersion } from "../../platform/versions.ts";
import { type ClaimMapperInput, checkedMapper } from "../claims/index.ts";
import { clientErrors } from "./errors.ts";
import {
  type ClientMapperRow,
  deleteMapper,
  findMapper,
  insertMapper,
  lockMapper,
  mappersOfClient,
  updateMapper,
} from "./mappers.store.ts";
import type { UpdateClientMapper } from "./schema.ts";
import { readClient, takeClient } from "./service.ts";

/** Every token of the client goes through all of them. */
const MAX_MAPPERS = 100;

export async function readMappers(ctx: ReadCtx, id: string): Promise<ClientMapperRow[]> {
  const client = await readClient(ctx, id);
  return mappersOfClient(ctx.tx, ctx.realm, client.id);
}

export async function readMapper(ctx: ReadCtx, id: string, mapperId: string): Promise<ClientMapperRow> {
  const client = await readClient(ctx, id);
  const mapper = isId(mapperId) ? await findMapper(ctx.tx, ctx.realm, client.id, mapperId) : null;
  if (!mapper) throw clientErrors.mapper_not_found();
  return mapper;
}

export async function createMapper(ctx: Ctx, id: string, input: ClaimMapperInput): Promise<ClientMapperRow> {
  const state = checkedMapper(input);
  const client = await takeClient(ctx, id);
  expectVersion(ctx, client.version);
  if ((await mappersOfClient(ctx.tx, ctx.realm, client.id)).length >= MAX_MAPPERS)
    throw invalidFields([{ field: "name", code: "too_many", message: `A client has at most ${MAX_MAPPERS} mappers: delete one first` }]);
  const mapper = await insertMapper(ctx.tx, ctx.realm, client.id, input.name, state, ctx.now);
  await tell(ctx, client.id, `mappers +${mapper.name}`);
  return mapper;
}

export async function saveMapper(ctx: Ctx, id: string, mapperId: string, input: UpdateClientMapper): Promise<ClientMapperRow> {
  const state = checkedMapper(input);
  const client = await takeClient(ctx, id);
  const current = await takeMapper(ctx, client.id, mapperId);
  refuseReadOnly(current, input, ["mapperId", "createdAt"]);
  expectVersion(ctx, current.version);
  const mapper = await updateMapper(ctx.tx, ctx.realm, current.mapperId, input.name, state);
  await tell(ctx, client.id, `mappers ${mapper.name}`);
  return mapper;
}

export async function removeMapper(ctx: Ctx, id: string, mapperId: string): Promise<void> {
  const client = await takeClient(ctx, id);
  const mapper = await takeMapper(ctx, client.id, mapperId);
  expectVersion(ctx, mapper.version);
  await deleteMapper(ctx.tx, ctx.realm, mapper.mapperId);
  await tell(ctx, client.id, `mappers -${mapper.name}`);
}

async function takeMapper(ctx: Ctx, client: string, mapperId: string): Promise<ClientMapperRow> {
  const mapper = isId(mapperId) ? await lockMapper(ctx.tx, ctx.realm, client, mapperId) : null;
  if (!mapper) throw clientErrors.mapper_not_found();
  return mapper;
}

async function tell(ctx: Ctx, id: string, detail: string): Promise<void> {
  await ctx.configChanged();
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "clients", resourceId: id, detail });
}
