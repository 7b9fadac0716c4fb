import { redact } from "../config/redact.ts";
import { type SettingName, settingNames } from "../config/settings.ts";
import { explainConfig } from "../config.ts";
import type { Command } from "./command.ts";

/** Runs `config print`: prints each setting that the server would use, and its source. */
export const run: Command = async (call) => {
  const { config, sources } = explainConfig({ flags: call.options });
  const rows = settingNames.map((name) => ({
    name,
    value: redact(name, lookUp(config, name)),
    origin: config.origins[name],
    source: sources[name],
  }));
  const data = Object.fromEntries(rows.map(({ name, ...rest }) => [name, rest]));
  const width = (texts: readonly string[]) => Math.max(...texts.map((text) => text.length));
  const names = width(rows.map(({ name }) => name));
  const values = width(rows.map(({ value }) => show(value)));
  const lines = rows.map(({ name, value, source }) => `${name.padEnd(names)}  ${show(value).padEnd(values)}  ${source}`);
  call.print({ settings: data }, lines.join("\n"));
  return 0;
};

/** A setting's name is its path: `audit.httpUrl`. */
function lookUp(config: object, name: SettingName): unknown {
  return name.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], config);
}

function show(value: unknown): string {
  if (value === null) return "(unset)";
  if (Array.isArray(value)) return value.length === 0 ? "(none)" : value.join(", ");
  return String(value);
}
