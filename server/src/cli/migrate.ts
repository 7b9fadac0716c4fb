import { loadConfig } from "../config.ts";
import { migrate, migrationStatus } from "../platform/db/index.ts";
import type { Command, ExitCode, Invocation } from "./command.ts";
import { requireDatabase, withDatabase } from "./core.ts";

export const run: Command = async (call) => (call.action === "up" ? up(call) : status(call));

async function up(call: Invocation): Promise<ExitCode> {
  const applied = await withDatabase(loadConfig({ flags: call.options }), ({ db }) => migrate(db));
  const text = applied.length === 0 ? "The database was up to date already." : `Ran ${applied.join(", ")}. The database is up to date.`;
  call.print({ applied }, text);
  return 0;
}

async function status(call: Invocation): Promise<ExitCode> {
  const config = loadConfig({ flags: call.options });
  requireDatabase(config);
  const migrations = await withDatabase(config, ({ db }) => migrationStatus(db));
  const missing = migrations.filter(({ appliedAt }) => appliedAt === null).length;
  const lines = migrations.map(({ name, appliedAt }) => `${name}  ${appliedAt ?? "missing"}`);
  const summary = missing === 0 ? "The database is up to date." : `Missing: ${missing}. Run: gatehouse migrate up`;
  call.print({ upToDate: missing === 0, migrations }, [...lines, "", summary].join("\n"));
  return missing === 0 ? 0 : 1;
}
