import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { isObject } from "../kernel/json.ts";
import { didYouMean } from "../kernel/suggest.ts";
import type { ConfigProblem } from "./errors.ts";
import { describe, type SettingName, settingNames, settings } from "./settings.ts";

export type Origin = "flag" | "env" | "file" | "yaml" | "default";
export type Flags = Readonly<Record<string, string | boolean | undefined>>;
export type Env = Readonly<Record<string, string | undefined>>;

/** A value as it was written, and its place. */
export interface Written {
  readonly raw: unknown;
  readonly origin: Origin;
  /** The place in words, for messages and `config print`. */
  readonly source: string;
  /** The folder from which relative paths in it start. */
  readonly folder: string;
}

/** Looks for the value of a setting in one place. A place with a mistake reports it and returns no value for that setting. */
type Place = (name: SettingName) => Written | undefined;
type Report = (problem: ConfigProblem) => void;

const CONFIG_FILE = "gatehouse.yaml";
const PREFIX = "GATEHOUSE_";
// The test suite passes these variables to its own processes, and a server that it starts inherits them.
const TEST_PREFIX = "GATEHOUSE_TEST_";
const secretNames = settingNames.filter((name) => describe(name).secret);
const envNames = settingNames.flatMap((name) => [describe(name).env, ...(describe(name).secret ? [`${describe(name).env}_FILE`] : [])]);

/** Reads the value of each setting, by precedence: flag, environment, yaml. */
export function readSources(
  flags: Flags,
  env: Env,
  cwd: string,
): { written: ReadonlyMap<SettingName, Written>; problems: ConfigProblem[] } {
  const problems: ConfigProblem[] = [];
  const report: Report = (problem) => problems.push(problem);
  const places = [fromFlags(flags, cwd), fromEnvironment(env, cwd, report), fromYaml(flags.config, cwd, report)];
  const written = new Map<SettingName, Written>();
  for (const name of settingNames) {
    // Every source is read, so that a mistake in one of lower precedence is reported as well.
    const found = places.map((place) => place(name)).find((value) => value !== undefined);
    if (found) written.set(name, found);
  }
  return { written, problems };
}

function fromFlags(flags: Flags, cwd: string): Place {
  return (name) => {
    const { flag } = describe(name);
    const given = flag && flags[flag.name];
    if (!flag || given === undefined || given === false) return undefined;
    return { raw: flag.means ?? given, origin: "flag", source: `flag --${flag.name}`, folder: cwd };
  };
}

function fromEnvironment(env: Env, cwd: string, report: Report): Place {
  const isOurs = orchestratorFilter(env);
  for (const name of Object.keys(env)) {
    if (!name.startsWith(PREFIX) || name.startsWith(TEST_PREFIX) || envNames.includes(name) || !isOurs(name)) continue;
    report({ setting: name, source: "environment", message: `there is no such setting.${guessVariable(name)}` });
  }
  // An empty variable counts as unset: compose files and shells pass `NAME=` for a value that was left out.
  const read = (name: string | undefined) => (name !== undefined && isOurs(name) ? env[name] || undefined : undefined);

  return (name) => {
    const { env: variable, envAlias, secret } = describe(name);
    const direct = read(variable);
    const file = secret ? read(`${variable}_FILE`) : undefined;
    if (direct !== undefined && file !== undefined) return reportBoth(report, name, "environment", variable, `${variable}_FILE`);
    if (file !== undefined) return fromSecretFile(report, name, resolve(cwd, file), `${variable}_FILE`, cwd);
    if (direct !== undefined) return { raw: direct, origin: "env", source: `environment variable ${variable}`, folder: cwd };
    const alias = read(envAlias);
    return alias === undefined ? undefined : { raw: alias, origin: "env", source: `environment variable ${envAlias}`, folder: cwd };
  };
}

function guessVariable(name: string): string {
  const rest = name.slice(PREFIX.length);
  // This finds GATEHOUSE_DATABASE_URL: names that other software shares have no prefix.
  if (envNames.includes(rest)) return ` Did you mean ${rest}?`;
  const shortNames = envNames.filter((known) => known.startsWith(PREFIX)).map((known) => known.slice(PREFIX.length));
  return didYouMean(rest, shortNames).replace("mean ", `mean ${PREFIX}`);
}

/**
 * Returns a function that tells whether a variable is ours. Kubernetes gives every pod the addresses of the services around it, and a service named `gatehouse`
 * yields GATEHOUSE_PORT=tcp://… and more.
 */
function orchestratorFilter(env: Env): (name: string) => boolean {
  const prefixes = Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && name.endsWith("_SERVICE_HOST"))
    .map((name) => name.slice(0, -"SERVICE_HOST".length));
  const link = /^(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:ADDR|PORT|PROTO))?)$/;
  return (name) =>
    !prefixes.some((prefix) => {
      if (!name.startsWith(prefix)) return false;
      const rest = name.slice(prefix.length);
      return link.test(rest) || (rest === "PORT" && /^(?:tcp|udp|sctp):\/\//.test(env[name] ?? ""));
    });
}

function fromYaml(given: string | boolean | undefined, cwd: string, report: Report): Place {
  const file = resolve(cwd, typeof given === "string" ? given : CONFIG_FILE);
  const source = typeof given === "string" ? `${file}, named by --config` : file;
  if (given === undefined && !existsSync(file)) {
    const misnamed = join(cwd, "gatehouse.yml");
    if (existsSync(misnamed))
      report({ setting: "gatehouse.yml", source: misnamed, message: `this file would be ignored. Rename it to ${CONFIG_FILE}.` });
    return () => undefined;
  }
  const entries = readYaml(file, source, report);
  const folder = dirname(file);

  return (name) => {
    const direct = entries.get(name);
    const secretFile = describe(name).secret ? entries.get(`${name}File`) : undefined;
    if (direct !== undefined && secretFile !== undefined) return reportBoth(report, name, source, name, `${name}File`);
    if (secretFile !== undefined) {
      if (typeof secretFile === "string")
        return fromSecretFile(report, name, resolve(folder, secretFile), `${name}File in ${file}`, folder);
      report({ setting: `${name}File`, source, message: "expected the path of a file" });
      return undefined;
    }
    return direct === undefined ? undefined : { raw: direct, origin: "yaml", source: file, folder };
  };
}

function readYaml(file: string, source: string, report: Report): Map<string, unknown> {
  const entries = new Map<string, unknown>();
  const setting = basename(file);
  const text = readText(file);
  if ("problem" in text) {
    report({ setting, source, message: `expected a readable yaml file, but ${text.problem}` });
    return entries;
  }
  // yaml is loaded only if there is a file to read. `require` is used because reading the configuration is synchronous.
  const { parseDocument } = createRequire(import.meta.url)("yaml") as typeof import("yaml");
  const document = parseDocument(text.text);
  for (const { message } of document.errors) {
    // Only the first line is reported: the others quote the file, which may contain secrets.
    report({ setting, source, message: `expected valid yaml: ${message.split("\n")[0]!.replace(/:$/, "")}` });
  }
  if (document.errors.length > 0) return entries;
  const root: unknown = document.toJS();
  if (isObject(root)) flatten(root, "", entries, (problem) => report({ ...problem, source }));
  else if (root !== null && root !== undefined) report({ setting, source, message: "expected settings, one `name: value` on each line" });
  return entries;
}

const yamlNames: readonly string[] = [...settingNames, ...secretNames.map((name) => `${name}File`)];
const groups: ReadonlySet<string> = new Set(settingNames.filter((name) => name.includes(".")).map((name) => name.split(".")[0]!));

function flatten(
  mapping: Record<string, unknown>,
  prefix: string,
  into: Map<string, unknown>,
  report: (problem: Omit<ConfigProblem, "source">) => void,
) {
  for (const [key, value] of Object.entries(mapping)) {
    const name = prefix + key;
    // A name without a value counts as unset, like an empty variable.
    if (value === null || value === "") {
      if (!yamlNames.includes(name) && !groups.has(name)) report({ setting: name, message: unknownKey(name) });
    } else if (yamlNames.includes(name)) into.set(name, value);
    else if (prefix === "" && groups.has(name)) {
      if (isObject(value)) flatten(value, `${name}.`, into, report);
      else
        report({
          setting: name,
          message: `expected settings below it: ${settingNames.filter((known) => known.startsWith(`${name}.`)).join(", ")}`,
        });
    } else report({ setting: name, message: unknownKey(name) });
  }
}

function unknownKey(name: string): string {
  // For the name of a variable, the message suggests the name that the file uses.
  const byVariable = settingNames.find((known) => settings[known].env === name.toUpperCase());
  return `there is no such setting.${byVariable ? ` Did you mean ${byVariable}?` : didYouMean(name, [...yamlNames, ...groups])}`;
}

function fromSecretFile(report: Report, name: SettingName, file: string, namedBy: string, folder: string): Written | undefined {
  const source = `file ${file}, named by ${namedBy}`;
  const text = readText(file);
  // Editors and `echo` end a file with a line break that is not part of the secret.
  const raw = "text" in text ? text.text.replace(/(?:\r?\n)+$/, "") : "";
  if ("problem" in text) report({ setting: name, source, message: `expected a readable file, but ${text.problem}` });
  else if (raw === "") report({ setting: name, source, message: `the file is empty; expected ${describe(name).kind.expected}` });
  return raw === "" ? undefined : { raw, origin: "file", source, folder };
}

function reportBoth(report: Report, setting: string, source: string, one: string, other: string): undefined {
  report({ setting, source, message: `both ${one} and ${other} are set; expected one of them` });
}

const READ_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  EACCES: "this user may not read it",
  EISDIR: "it is a folder",
};

function readText(file: string): { readonly text: string } | { readonly problem: string } {
  try {
    return { text: readFileSync(file, "utf8") };
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    return { problem: READ_ERRORS[code] ?? message };
  }
}
