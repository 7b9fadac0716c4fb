import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import { pino } from "pino";
import { createApp } from "../app.ts";
import { loadConfig } from "../config.ts";
import { assembleCore } from "../core.ts";
import { createVault, randomToken } from "../kernel/vault.ts";
import { describeApi, type OpenApiDocument, operationsOf } from "../operations/api-docs/index.ts";
import { createOutages, type Database, type Tables } from "../platform/db/index.ts";
import { type Command, type Invocation, UsageError } from "./command.ts";
import { writeOut } from "./system-errors.ts";

/** Runs `openapi`: prints the description of the API, writes it to a file, or compares a file with it. It needs no server and no database. */
export const run: Command = async (call) => {
  const { out, check } = call.options;
  if (out !== undefined && check !== undefined)
    throw new UsageError("--out writes the file, --check compares it: use one of them.", "openapi");
  if (typeof check === "string") return compare(call, check, await committedDescription(check), await currentDescription());
  const document = await currentDescription();
  const text = JSON.stringify(document, null, 2);
  if (typeof out !== "string") {
    call.print(document, text);
    return 0;
  }
  await writeOut(out, text);
  const operations = Object.values(document.paths).flatMap(operationsOf).length;
  call.print({ file: out, operations }, `Wrote ${out}: ${operations} operations.`);
  return 0;
};

/** Builds the description. The routes are assembled as for a start, with a database that is never queried, without listening. */
async function currentDescription(): Promise<OpenApiDocument> {
  // Neither environment nor gatehouse.yaml may change the description.
  const config = loadConfig({ env: {}, cwd: tmpdir() });
  const log = pino({ enabled: false });
  const vault = createVault(Buffer.from(randomToken(), "base64url").toString("base64"));
  const core = assembleCore({ config, log, output: { write: () => undefined }, vault, database: absentDatabase() });
  const server = await createApp(core);
  try {
    await server.app.ready();
    return describeApi(server.app);
  } finally {
    await server.close();
    await core.close();
  }
}

/** Returns a database that refuses every query, to reveal a route that sends one while it is being registered. */
function absentDatabase(): Database {
  const refuse = () => Promise.reject(new Error("There is no database here: routes are described without one"));
  class AbsentDriver extends DummyDriver {
    override acquireConnection = refuse;
  }
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new AbsentDriver(),
      createIntrospector: (kysely) => new PostgresIntrospector(kysely),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const withoutDeadlines = refuse;
  const outages = createOutages();
  const none = { pool: null, dump: refuse, close: () => db.destroy() };
  return { db, background: db, monitor: db, withoutDeadlines, kind: "embedded", outages, ...none };
}

const REMEDY = "Run `npm run openapi -w server` and commit the file.";

async function committedDescription(file: string): Promise<OpenApiDocument> {
  const text = await readFile(file, "utf8").catch((cause) => {
    throw new Error(`${file} cannot be read. ${REMEDY}`, { cause });
  });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file} is not valid JSON. ${REMEDY}`, { cause });
  }
}

function compare(call: Invocation, file: string, committed: OpenApiDocument, current: OpenApiDocument): 0 | 1 {
  const differences = differencesOf(committed, current);
  const shown = differences.slice(0, 20).map((line) => `  ${line}`);
  if (differences.length > shown.length) shown.push(`  … and ${differences.length - shown.length} more`);
  const message =
    differences.length === 0 ? `${file} describes this server.` : [`${file} does not describe this server:`, ...shown, REMEDY].join("\n");
  call.print({ file, upToDate: differences.length === 0, differences }, message);
  return differences.length === 0 ? 0 : 1;
}

/** Returns the changes by operation and by component. The version is left out, because a release alone changes no API. */
function differencesOf(committed: OpenApiDocument, current: OpenApiDocument): string[] {
  const [before, after] = [partsOf(committed), partsOf(current)];
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((part) => {
    if (!before.has(part)) return [`missing from the file: ${part}`];
    if (!after.has(part)) return [`no longer in the server: ${part}`];
    return before.get(part) === after.get(part) ? [] : [`different: ${part}`];
  });
}

function partsOf({ paths = {}, components = { schemas: {} }, info, ...rest }: OpenApiDocument): Map<string, string> {
  const parts = new Map<string, string>();
  const add = (name: string, value: unknown) => parts.set(name, JSON.stringify(value));
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item)) add(`${method.toUpperCase()} ${path}`, operation);
  }
  for (const [kind, named] of Object.entries(components)) {
    for (const [name, value] of Object.entries(named)) add(`components.${kind}.${name}`, value);
  }
  add("info", { ...info, version: undefined });
  for (const [name, value] of Object.entries(rest)) add(name, value);
  return parts;
}
