import { type RawBuilder, sql } from "kysely";
import type { AppError } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import { type Db, type Tx, translating } from "../../platform/db/index.ts";

/** The table of the mappers of one kind of owner. */
export interface MapperTable {
  readonly table: string;
  readonly idColumn: string;
  readonly ownerColumn: string;
  readonly nameTaken: Readonly<Record<string, () => AppError>>;
}

export type OwnedMapper<State> = State & {
  readonly mapperId: string;
  readonly name: string;
  readonly createdAt: number;
  readonly version: number;
};

interface Row<State> {
  mapper_id: string;
  name: string;
  mapper: State;
  created_at: number;
  version: number;
}

export function mapperStore<State extends object>(owner: MapperTable) {
  const [table, id, of] = [sql.table(owner.table), sql.ref(owner.idColumn), sql.ref(owner.ownerColumn)];
  const columns = sql`${id} as mapper_id, name, mapper, created_at, version`;
  const toMapper = (row: Row<State>): OwnedMapper<State> => ({
    mapperId: row.mapper_id,
    name: row.name,
    ...row.mapper,
    createdAt: row.created_at,
    version: row.version,
  });
  const run = async (db: Db, query: RawBuilder<unknown>): Promise<OwnedMapper<State>[]> =>
    ((await query.execute(db)).rows as Row<State>[]).map(toMapper);
  return {
    /** Lists the mappers by name. One client has a handful of them. */
    list: (db: Db, realm: string, ownerId: string) =>
      run(db, sql`select ${columns} from ${table} where realm_id = ${realm} and ${of} = ${ownerId} order by name_key`),
    listInRealm: async (db: Db, realm: string) => {
      const { rows } = await sql<Row<State> & { owner_id: string }>`
        select ${columns}, ${of} as owner_id from ${table} where realm_id = ${realm} and ${of} is not null order by name_key`.execute(db);
      const found = new Map<string, OwnedMapper<State>[]>();
      for (const row of rows) {
        const mappers = found.get(row.owner_id) ?? [];
        mappers.push(toMapper(row));
        found.set(row.owner_id, mappers);
      }
      return found;
    },
    find: async (db: Db, realm: string, ownerId: string, mapperId: string, isHeld: boolean) => {
      const lock = isHeld ? sql`for update` : sql``;
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
