import { type FieldError, invalidFields } from "../../kernel/errors.ts";
import { isId } from "../../kernel/ids.ts";
import { type Ctx, type ReadCtx, recordConfigChange } from "../../platform/context.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import { expectVersion } from "../../platform/versions.ts";
import { assertMayAnswerFor, assertMayWriteAttributes } from "./control.ts";
import { providerErrors } from "./errors.ts";
import { assertMayLetGive, findGrants, type Granted, inField } from "./grants.ts";
import type { CreateProviderMapper, MapperState, UpdateProviderMapper } from "./mappers.schema.ts";
import { deleteMapper, findMapper, insertMapper, listMappers, type MapperRow, updateMapper } from "./mappers.store.ts";
import { protocolOf } from "./protocols.ts";
import { holdProvider, type ProviderRow, takeProvider } from "./store.ts";

/** The limit on mappers of a provider, because every sign-in applies all of them. */
const MAX_MAPPERS = 100;

export async function readMappers(ctx: ReadCtx, alias: string): Promise<MapperRow[]> {
  return listMappers(ctx.tx, ctx.realm, (await takeProvider(ctx, alias)).providerId);
}

export async function readMapper(ctx: ReadCtx, alias: string, mapperId: string): Promise<MapperRow> {
  const { providerId } = await takeProvider(ctx, alias);
  const mapper = isId(mapperId) ? await findMapper(ctx.tx, ctx.realm, providerId, mapperId) : null;
  if (!mapper) throw providerErrors.mapper_not_found();
  return mapper;
}

export async function createMapper(ctx: Ctx, alias: string, input: CreateProviderMapper): Promise<MapperRow> {
  const state = checkedMapper(input);
  const provider = await holdProvider(ctx, alias);
  refuseForProtocol(provider, state);
  if ((await listMappers(ctx.tx, ctx.realm, provider.providerId)).length >= MAX_MAPPERS)
    throw invalidFields([{ field: "name", code: "too_many", message: `A provider has at most ${MAX_MAPPERS} mappers: delete one first` }]);
  await assertMayMap(ctx, provider, state);
  const mapper = await insertMapper(ctx.tx, ctx.realm, provider.providerId, input.name, state, ctx.now);
  await tell(ctx, alias, `mappers +${mapper.name}`);
  return mapper;
}

export async function saveMapper(ctx: Ctx, alias: string, mapperId: string, input: UpdateProviderMapper): Promise<MapperRow> {
  const state = checkedMapper(input);
  const provider = await holdProvider(ctx, alias);
  refuseForProtocol(provider, state);
  const current = await readMapper(ctx, alias, mapperId);
  refuseReadOnly(current, input, ["mapperId", "createdAt"]);
  expectVersion(ctx, current.version);
  // The next sign-in withdraws what the mapper gave until now, so the caller needs those permissions too.
  await assertMayMap(ctx, provider, current, false);
  await assertMayMap(ctx, provider, state);
  const mapper = await updateMapper(ctx.tx, ctx.realm, current.mapperId, input.name, state);
  await tell(ctx, alias, `mappers ${mapper.name}`);
  return mapper;
}

export async function removeMapper(ctx: Ctx, alias: string, mapperId: string): Promise<void> {
  const provider = await holdProvider(ctx, alias);
  const mapper = await readMapper(ctx, alias, mapperId);
  expectVersion(ctx, mapper.version);
  await assertMayMap(ctx, provider, mapper, false);
  await deleteMapper(ctx.tx, ctx.realm, mapper.mapperId);
  await tell(ctx, alias, `mappers -${mapper.name}`);
}

/** Requires what control of a mapper needs: it decides what an answer of the provider means, and what users who sign in by it get. */
async function assertMayMap(ctx: Ctx, provider: ProviderRow, mapper: Omit<MapperState, "sync">, isNew = true): Promise<void> {
  await assertMayAnswerFor(ctx, provider);
  await assertMayLetGive(ctx, await grantsOf(ctx, [mapper], isNew));
  // A mapper that is removed writes no more attributes.
  if (isNew) await assertMayWriteAttributes(ctx, attributesOf([mapper]));
}

/** Applies the same rule to all mappers of a provider, when the meaning of its answers changes. */
export async function assertMayLetMap(ctx: Ctx, providerId: string): Promise<void> {
  const mappers = await listMappers(ctx.tx, ctx.realm, providerId);
  await assertMayLetGive(ctx, await grantsOf(ctx, mappers, false));
  await assertMayWriteAttributes(ctx, attributesOf(mappers));
}

const attributesOf = (mappers: readonly Pick<MapperState, "attribute">[]): string[] => mappers.flatMap(({ attribute }) => attribute ?? []);

const grantsOf = (ctx: Ctx, mappers: readonly Pick<MapperState, "role" | "group">[], isNew: boolean): Promise<Granted> => {
  const named = (member: "role" | "group") =>
    inField(
      mappers.flatMap((mapper) => mapper[member] ?? []),
      isNew ? member : null,
    );
  return findGrants(ctx, named("role"), named("group"));
};

/** Reserved names: members of a user's record, and `__proto__`, which a claim must never set. */
const OWN_MEMBERS = ["username", "email", "emailVerified", "roles", "enabled", "locked", "source", "userId", "__proto__"];

const MEMBERS: Readonly<Record<MapperState["type"], { needs: (keyof MapperState)[]; takes: (keyof MapperState)[] }>> = {
  attribute: { needs: ["claim", "attribute"], takes: [] },
  template: { needs: ["template", "attribute"], takes: [] },
  role: { needs: ["role"], takes: ["claim", "value"] },
  group: { needs: ["group"], takes: ["claim", "value"] },
};

/** Checks that a mapper has every member that its type needs, and none that it would ignore. */
function checkedMapper(input: CreateProviderMapper): MapperState {
  const { type, sync = "force", claim, value, template, attribute, role, group } = input;
  const given = { claim, value, template, attribute, role, group };
  const { needs, takes } = MEMBERS[type];
  const wrong: FieldError[] = [];
  for (const [member, value] of Object.entries(given) as [keyof MapperState, unknown][]) {
    if (needs.includes(member) && value === undefined)
      wrong.push({ field: member, code: "required", message: `${member} is required for a mapper of type ${type}` });
    if (value !== undefined && !needs.includes(member) && !takes.includes(member))
      wrong.push({ field: member, code: "unknown", message: `${member} is not for mappers of type ${type}` });
  }
  if (value !== undefined && claim === undefined)
    wrong.push({ field: "claim", code: "required", message: "claim is required: value is compared with it" });
  if (attribute !== undefined && OWN_MEMBERS.includes(attribute))
    wrong.push({
      field: "attribute",
      code: "reserved",
      message: `attribute cannot be ${attribute}: that is a member of the user, not an attribute`,
    });
  if (wrong.length > 0) throw invalidFields(wrong);
  const members = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { type, sync, ...members };
}

function refuseForProtocol({ protocol }: ProviderRow, mapper: MapperState): void {
  const faults = protocolOf(protocol).checkMapper?.(mapper) ?? [];
  if (faults.length > 0) throw invalidFields(faults.map((fault) => ({ ...fault, code: "invalid" })));
}

async function tell(ctx: Ctx, alias: string, detail: string): Promise<void> {
  await recordConfigChange(ctx, "ADMIN_UPDATE", "identity-providers", alias, detail);
}
