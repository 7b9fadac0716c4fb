import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { CompiledQuery, sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packageFile } from "../../src/kernel/package.ts";
import { type Database, openDatabase, openEmbedded } from "../../src/platform/db/index.ts";
import { kindOf, type SentStatement, sentStatements } from "../../src/testing/sent-statements.ts";
import { postgresUrl } from "./process.ts";

// Most tests run on Postgres alone. The embedded database is Postgres as well, but of another release, and with a driver that writes parameters and
// reads values in its own way. So it gets every statement that they have sent.

const OPTIONS = { dataDir: "memory://", pool: 1, preparedStatements: true, onIdleError: () => {} };
const inCI = Boolean(process.env.CI) && process.env.CI !== "false";
let embedded: Database;
beforeAll(async () => {
  const template = new Uint8Array(gunzipSync(await readFile(packageFile("dist/embedded-template.tar.gz"))));
  embedded = await openDatabase({ ...OPTIONS, url: null, embedded: openEmbedded("memory://", template) });
});
afterAll(() => embedded?.close());

const statements = postgresUrl === undefined ? [] : await sentStatements();

/** The reason why the embedded database cannot take a statement; a row that contradicts others is none. */
const refusal = ({ text, values }: SentStatement): Promise<string | null> =>
  embedded.db.connection().execute(async (connection) => {
    const run = (given: string, parameters: readonly unknown[] = []) => connection.executeQuery(CompiledQuery.raw(given, [...parameters]));
    // Nothing stays of one that writes.
    await run("start transaction");
    try {
      await run(text, values);
      return null;
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      return code?.startsWith("23") ? null : `${code}: ${message}: ${text}`;
    } finally {
      await run("rollback");
    }
  });

/** A value of each type that a column has. */
const SAMPLES: Readonly<Record<string, string>> = {
  _text: '{a,"b, c",NULL}',
  bool: "t",
  int2: "7",
  int4: "-7",
  int8: "9007199254740991",
  jsonb: '{"a": [1, null]}',
  text: "né",
  uuid: "018f2c5e-0000-7000-8000-000000000001",
  varchar: "né",
  xid8: "4294967297",
};

/** The kinds of parameters that tests may send, each with a type that it goes to: the drivers write any other object in ways of their own. */
const PARAMETERS: Readonly<Record<string, readonly [type: string, value: unknown]>> = {
  string: ["jsonb", '{"a": [1, null]}'],
  number: ["int8", -9007199254740991],
  boolean: ["bool", false],
  null: ["text", null],
  "string[]": ["text[]", ["a", 'b, "c" {d}', "", null, "NULL", "\\"]],
  "number[]": ["int8[]", [1, null, 3]],
  "boolean[]": ["bool[]", [true, false]],
  "null[]": ["bool[]", [null]],
  "no[]": ["uuid[]", []],
};

test.skipIf(postgresUrl === undefined)("both databases take parameters alike, and answer with the same values", async () => {
  const { rows } = await sql<{ type: string }>`
    select distinct udt_name as type from information_schema.columns where table_schema = 'public' order by 1`.execute(embedded.db);
  expect(Object.keys(SAMPLES)).toEqual(rows.map(({ type }) => type));
  const values = sql.join(Object.entries(SAMPLES).map(([type, sample]) => sql`${sample}::text::${sql.raw(type)} as ${sql.ref(type)}`));
  const none = sql.join(Object.keys(SAMPLES).map((type) => sql`null::${sql.raw(type)} as ${sql.ref(type)}`));
  const taken = sql.join(Object.values(PARAMETERS).map(([type, value], i) => sql`${value}::${sql.raw(type)}::text as ${sql.ref(`p${i}`)}`));
  const postgres = await openDatabase({ ...OPTIONS, url: postgresUrl! });
  try {
    for (const query of [sql`select ${values} union all select ${none}`, sql`select ${taken}`])
      expect((await query.execute(embedded.db)).rows).toEqual((await query.execute(postgres.db)).rows);
  } finally {
    await postgres.close();
  }
});

// A run of this file alone has sent none.
test.skipIf(statements.length === 0 && !inCI)("the embedded database takes every statement that tests sent to Postgres", async () => {
  if (inCI) expect(statements.length, "statements of the project postgres, which runs before").toBeGreaterThan(1000);
  const refusals: string[] = [];
  for (const statement of statements) {
    const kinds = statement.values.map(kindOf).filter((kind) => !(kind in PARAMETERS));
    if (kinds.length > 0) refusals.push(`a parameter of the kind ${kinds}: ${statement.text}`);
    const reason = await refusal(statement);
    if (reason !== null) refusals.push(reason);
  }
  expect(refusals).toEqual([]);
});
