import { createHash } from "node:crypto";
import { deserialize, serialize } from "node:v8";
import type pg from "pg";
import { type Db, poolOf } from "../platform/db/index.ts";
import { asAdmin } from "./postgres-admin.ts";

// Records the statements that tests send to Postgres. One test sends each of them to the embedded database, whose driver passes parameters differently.

export interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Statements about transactions, sessions and tables are left out. Tables change in migrations only, which every embedded database runs. */
const ABOUT_ROWS = /^\s*(select|insert|update|delete|merge|with|values)\b/i;
/** Only tests make thousands of rows by one statement, which takes the embedded database seconds. */
const MAKES_ROWS = /\bgenerate_series\(/;
/** Larger values are pictures and batches, whose statements also come with smaller ones. */
const MOST_BYTES = 65_536;

const known = new Set<string>();
const unsaved = new Map<string, Buffer>();

/** Records the statements that a database accepts, each once for every combination of kinds of its values. */
export function recordStatements(db: Db): void {
  const watched = new WeakSet<pg.PoolClient>();
  poolOf.get(db)?.on("acquire", (client) => {
    if (watched.has(client)) return;
    watched.add(client);
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    client.query = ((...args: unknown[]) => {
      const [text, given, callback] = args;
      if (typeof text !== "string") return query(...args);
      const values = Array.isArray(given) ? given : [];
      const taken = (error: unknown) => void (error || note({ text, values }));
      if (typeof callback !== "function") {
        const answer = query(...args) as Promise<unknown>;
        answer.then(() => taken(null), taken);
        return answer;
      }
      return query(text, values, (error: unknown, result: unknown) => {
        taken(error);
        callback(error, result);
      });
    }) as typeof client.query;
  });
}

function note({ text, values }: SentStatement): void {
  const sent = `${text}\0${values.map(kindOf).join()}`;
  if (known.has(sent)) return;
  known.add(sent);
  if (!ABOUT_ROWS.test(text) || MAKES_ROWS.test(text)) return;
  const bytes = serialize({ text, values });
  if (bytes.length <= MOST_BYTES) unsaved.set(createHash("sha256").update(shapeOf(sent)).digest("base64url"), bytes);
}

/** Returns the text of a statement with lists shortened, because lists of values, and of rows, may have any length. */
const shapeOf = (sent: string): string =>
  sent
    .replace(/\$\d+/g, "$")
    .replace(/(\$)(?:, \$)+/g, "$1")
    .replace(/(\([^()]*\$[^()]*\))(?:, \([^()]*\$[^()]*\))+/g, "$1")
    .replace(/\b(\w+)(?:,\1)+\b/g, "$1");

export function kindOf(value: unknown): string {
  if (value === null || typeof value !== "object") return value === null ? "null" : typeof value;
  return Array.isArray(value)
    ? `${value.length === 0 ? "no" : kindOf(value.find((one) => one !== null) ?? null)}[]`
    : value.constructor.name;
}

/** Adds the statements of this process to those of the run. */
export async function saveStatements(): Promise<void> {
  const keys = [...unsaved.keys()];
  const statements = [...unsaved.values()];
  unsaved.clear();
  if (keys.length === 0) return;
  await asAdmin(async (admin) => {
    // If two processes created the table at once, one of them would fail.
    await admin.query("select pg_advisory_lock(7207)");
    await admin.query("create table if not exists sent_statements (key text primary key, statement bytea not null)");
    await admin.query("insert into sent_statements select * from unnest($1::text[], $2::bytea[]) on conflict do nothing", [
      keys,
      statements,
    ]);
  });
}

/** Returns all statements of this run so far. */
export const sentStatements = (): Promise<SentStatement[]> =>
  asAdmin(async (admin) => {
    const { rows } = await admin.query<{ name: string | null }>("select to_regclass('sent_statements') as name");
    if (rows[0]?.name == null) return [];
    const saved = await admin.query<{ statement: Buffer }>("select statement from sent_statements order by key");
    return saved.rows.map(({ statement }) => deserialize(statement) as SentStatement);
  });
