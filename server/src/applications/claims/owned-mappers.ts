import { type AppError, invalidFields } from "../../kernel/errors.ts";
import { isId } from "../../kernel/ids.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import { expectVersion } from "../../platform/versions.ts";
import { type MapperTable, mapperStore, type OwnedMapper } from "./owned-mappers.store.ts";
import { keepMappedApart } from "./service.ts";

export type { OwnedMapper };

/** The maximum number of mappers, because each token or assertion evaluates all of them. */
const MAX_MAPPERS = 100;

/** The differences between the mappers of scopes, clients and SAML clients. */
export interface MapperOwner<Input, State> extends MapperTable {
  notFound(): AppError;
  read(ctx: ReadCtx, key: string): Promise<{ readonly id: string }>;
  /** Finds the owner and locks it until commit. */
  take(ctx: Ctx, key: string): Promise<{ readonly id: string; readonly version: number }>;
  /** Checks a request. Returns the complete state. */
  checked(input: Input): State;
  /** Records an event. `key` is the one of the path. */
  audit(ctx: Ctx, key: string, detail: string): void;
}

export interface OwnedMappers<Input, State> {
  list(ctx: ReadCtx, key: string): Promise<OwnedMapper<State>[]>;
  /** Lists the mappers of every owner in the realm, by the owner's id. */
  listInRealm(ctx: ReadCtx): Promise<Map<string, OwnedMapper<State>[]>>;
  read(ctx: ReadCtx, key: string, mapperId: string): Promise<OwnedMapper<State>>;
  create(ctx: Ctx, key: string, input: Input): Promise<OwnedMapper<State>>;
  save(ctx: Ctx, key: string, mapperId: string, input: Input & ReadOnlyMembers): Promise<OwnedMapper<State>>;
  remove(ctx: Ctx, key: string, mapperId: string): Promise<void>;
}

interface ReadOnlyMembers {
  readonly mapperId?: string;
  readonly createdAt?: number;
}

export function ownedMappers<Input extends { readonly name: string }, State extends object>(
  owner: MapperOwner<Input, State>,
): OwnedMappers<Input, State> {
  const store = mapperStore<State>(owner);

  const find = async (ctx: ReadCtx, ownerId: string, mapperId: string, isHeld = false): Promise<OwnedMapper<State>> => {
    const mapper = isId(mapperId) ? await store.find(ctx.tx, ctx.realm, ownerId, mapperId, isHeld) : null;
    if (!mapper) throw owner.notFound();
    return mapper;
  };
  const recordChange = async (ctx: Ctx, key: string, detail: string) => {
    await ctx.configChanged();
    owner.audit(ctx, key, detail);
  };

  return {
    list: async (ctx, key) => store.list(ctx.tx, ctx.realm, (await owner.read(ctx, key)).id),
    listInRealm: (ctx) => store.listInRealm(ctx.tx, ctx.realm),
    read: async (ctx, key, mapperId) => find(ctx, (await owner.read(ctx, key)).id, mapperId),
    async create(ctx, key, input) {
      const state = owner.checked(input);
      const { id, version } = await owner.take(ctx, key);
      expectVersion(ctx, version);
      if ((await store.list(ctx.tx, ctx.realm, id)).length >= MAX_MAPPERS)
        throw invalidFields([
          { field: "name", code: "too_many", message: `A client has at most ${MAX_MAPPERS} mappers: delete one first` },
        ]);
      const mapper = await store.insert(ctx.tx, ctx.realm, id, input.name, state, ctx.now);
      await keepMappedApart(ctx, state);
      await recordChange(ctx, key, `mappers +${mapper.name}`);
      return mapper;
    },
    async save(ctx, key, mapperId, input) {
      const state = owner.checked(input);
      const { id } = await owner.take(ctx, key);
      const current: ReadOnlyMembers & { version: number } = await find(ctx, id, mapperId, true);
      refuseReadOnly(current, input, ["mapperId", "createdAt"]);
      expectVersion(ctx, current.version);
      const mapper = await store.update(ctx.tx, ctx.realm, mapperId, input.name, state);
      await keepMappedApart(ctx, state);
      await recordChange(ctx, key, `mappers ${mapper.name}`);
      return mapper;
    },
    async remove(ctx, key, mapperId) {
      const { id } = await owner.take(ctx, key);
      const mapper = await find(ctx, id, mapperId, true);
      expectVersion(ctx, mapper.version);
      await store.remove(ctx.tx, ctx.realm, mapperId);
      await recordChange(ctx, key, `mappers -${mapper.name}`);
    },
  };
}
