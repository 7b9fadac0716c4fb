import { type RawBuilder, sql } from "kysely";
import { type AppError, invalidFields } from "../../kernel/errors.ts";
import { isId, newId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { type Db, type Tx, translating } from "../../platform/db/index.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import { expectVersion } from "../../platform/versions.ts";

/** Every token or assertion goes through all of them. */
const MAX_MAPPERS = 100;

/** What differs between the mappers of scopes, clients and SAML clients. */
export interface MapperOwner<Input, State> {
  readonly table: string;
  readonly idColumn: string;
  readonly ownerColumn: string;
  readonly nameTaken: Readonly<Record<string, () => AppError>>;
  notFound(): AppError;
  read(ctx: ReadCtx, key: string): Promise<{ readonly id: string }>;
  /** Held until commit. */
  take(ctx: Ctx, key: string): Promise<{ readonly id: string; readonly version: number }>;
  /** What a request says, complete and within the rules. */
  checked(input: Input): State;
  /** `key` is that of the path. */
  audit(ctx: Ctx, key: string, detail: string): void;
}

export type OwnedMapper<State> = State & {
  readonly mapperId: string;
  readonly name: string;
  readonly createdAt: number;
  readonly version: number;
};

export interface OwnedMappers<Input, State> {
  list(ctx: ReadCtx, key: string): Promise<OwnedMapper<State>[]>;
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
  const store = storeOf<State>(owner);

  const find = async (ctx: ReadCtx, ownerId: string, mapperId: string, lock = sql``): Promise<OwnedMapper<State>> => {
    const mapper = isId(mapperId) ? await store.find(ctx.tx, ctx.realm, ownerId, mapperId, lock) : null;
    if (!mapper) throw owner.notFound();
    return mapper;
  };
  const recordChange = async (ctx: Ctx, key: string, detail: string) => {
    await ctx.configChanged();
    owner.audit(ctx, key, detail);
  };

  return {
    list: async (ctx, key) => store.list(ctx.tx, ctx.realm, (await owner.read(ctx, key)).id),
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
      await recordChange(ctx, key, `mappers +${mapper.name}`);
      return mapper;
    },
    async save(ctx, key, mapperId, input) {
      const state = owner.checked(input);
      const { id } = await owner.take(ctx, key);
      const current: ReadOnlyMembers & { version: number } = await find(ctx, id, mapperId, sql`for update`);
      refuseReadOnly(current, input, ["mapperId", "createdAt"]);
      expectVersion(ctx, current.version);
      const mapper = await store.update(ctx.tx, ctx.realm, mapperId, input.name, state);
      await recordChange(ctx, key, `mappers ${mapper.name}`);
      return mapper;
    },
    async remove(ctx, key, mapperId) {
      const { id } = await owner.take(ctx, key);
      const mapper = await find(ctx, id, mapperId, sql`for update`);
      expectVersion(ctx, mapper.version);
      await store.remove(ctx.tx, ctx.realm, mapperId);
      await recordChange(ctx, key, `mappers -${mapper.name}`);
    },
  };
}

interface Row<State> {
  mapper_id: string;
  name: string;
  mapper: State;
  created_at: number;
  version: number;
}

function storeOf<State extends object>(owner: Pick<MapperOwner<unknown, State>, "table" | "idColumn" | "ownerColumn" | "nameTaken">) {
  const [table, id, of] = [sql.table(owner.table), sql.ref(owner.idColumn), sql.ref(owner.ownerColumn)];
  const columns = sql`${id} as mapper_id, name, mapper, created_at, version`;
  const run = async (db: Db, query: RawBuilder<unknown>): Promise<OwnedMapper<State>[]> =>
    ((await query.execute(db)).rows as Row<State>[]).map((row) => ({
      mapperId: row.mapper_id,
      name: row.name,
      ...row.mapper,
      createdAt: row.created_at,
      version: row.version,
    }));
  return {
    /** By name. One client has a handful of them. */
    list: (db: Db, realm: string, ownerId: string) =>
      run(db, sql`select ${columns} from ${table} where realm_id = ${realm} and ${of} = ${ownerId} order by name_key`),
    find: async (db: Db, realm: string, ownerId: string, mapperId: string, lock: RawBuilder<unknown>) => {
      const query = sql`select ${columns} from ${table} where realm_id = ${realm} and ${of} = ${ownerId} and ${id} = ${mapperId} ${lock}`;
      return (await run(db, query))[0] ?? null;
    },
    insert: async (tx: Tx, realm: string, ownerId: string, name: string, mapper: State, now: number) => {
      const query = sql`insert into ${table} (realm_id, ${id}, ${of}, name, name_key, mapper, created_at)
        values (${realm}, ${newId()}, ${ownerId}, ${name}, ${loginKey(name)}, ${JSON.stringify(mapper)}, ${now}) returning ${columns}`;
      return (await translating(owner.nameTaken, run(tx, query)))[0]!;
    },
    update: async (tx: Tx, realm: string, mapperId: string, name: string, mapper: State) => {
      const query = sql`update ${table} set name = ${name}, name_key = ${loginKey(name)}, mapper = ${JSON.stringify(mapper)},
        version = version + 1 where realm_id = ${realm} and ${id} = ${mapperId} returning ${columns}`;
      return (await translating(owner.nameTaken, run(tx, query)))[0]!;
    },
    remove: (tx: Tx, realm: string, mapperId: string) =>
      sql`delete from ${table} where realm_id = ${realm} and ${id} = ${mapperId}`.execute(tx),
  };
}
