import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseYaml } from "./yaml.ts";

export type Document = Record<string, unknown>;

export const DOCUMENT_SCHEMA = "gatehouse.realm/v1";

/** The largest document. It is read as a whole, because it contains configuration and not users. */
const MAX_BYTES = 64 * 1024 * 1024;
const FORMATS = /\.(ya?ml|json)$/i;

/** Returns the files that `--file` names: one, several separated by commas, or those of a folder, sorted by name. */
export function filesOf(given: string): string[] {
  return given.split(",").flatMap((name) => {
    const path = resolve(name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) throw new Error(`There is no file or folder ${name}.`);
    if (!found.isDirectory()) return [path];
    const files = readdirSync(path)
      .filter((file) => FORMATS.test(file))
      .sort()
      .map((file) => join(path, file));
    if (files.length === 0) throw new Error(`The folder ${name} has no .yaml, .yml or .json file.`);
    return files;
  });
}

/** Joins all files to one document and resolves their placeholders. If a value is missing, this throws before anything is sent. */
export function readDocuments(files: readonly string[], variable: (name: string) => string | undefined): Document {
  const missing: string[] = [];
  const parts = files.map((file) => {
    if (statSync(file).size > MAX_BYTES) throw new Error(`${file} is larger than ${MAX_BYTES / 1024 / 1024} MB.`);
    const value = parseYaml(readFileSync(file, "utf8"), file);
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new Error(`${file}: a document is a list of members, such as "roles:" and "clients:".`);
    return { file, document: resolved(value, { file, variable, missing }) as Document };
  });
  if (missing.length > 0) throw new Error(missing.join("\n"));
  return parts.reduce<Document>((all, { file, document }) => merged(all, document, file), {});
}

/** Merges two documents. Lists are joined; any other member must be in one file only, unless it is the same text. */
function merged(all: Document, document: Document, file: string): Document {
  const result = { ...all };
  for (const [member, value] of Object.entries(document)) {
    const before = result[member];
    if (before === undefined) result[member] = value;
    else if (Array.isArray(before) && Array.isArray(value)) result[member] = [...before, ...value];
    else if (before !== value) throw new Error(`${file}: another file gives ${member} another value.`);
  }
  return result;
}

interface Resolving {
  readonly file: string;
  variable(name: string): string | undefined;
  readonly missing: string[];
}

const PLACEHOLDER = /\$(\$)?\{(env|file):([^}]*)\}/g;

/** Resolves `${env:NAME}` and `${file:path}` in all texts; `$${env:NAME}` stands for itself. The server resolves no placeholders. */
function resolved(value: unknown, parts: Resolving): unknown {
  if (Array.isArray(value)) return value.map((one) => resolved(one, parts));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolved(member, parts)]));
  if (typeof value !== "string") return value;
  return value.replace(PLACEHOLDER, (whole, escaped: string | undefined, kind: "env" | "file", name: string) => {
    if (escaped) return whole.slice(1);
    const found = kind === "env" ? parts.variable(name) : textOf(resolve(dirname(parts.file), name));
    if (found === undefined) parts.missing.push(`${parts.file}: ${whole} has no value: ${reason(kind, name)}`);
    return found ?? "";
  });
}

const reason = (kind: "env" | "file", name: string) =>
  kind === "env" ? `the environment has no ${name}.` : `the file ${name} cannot be read.`;

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").replace(/\r?\n$/, "");
  } catch {
    return undefined;
  }
}
