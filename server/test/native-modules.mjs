// Tests import the product as modules that Node loads itself. Vitest's loader would translate, send and evaluate each of the 1,400 files in every process of a
// run, which took four of the first five CPU seconds of each.
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "rolldown/utils";
import { spreadIntoEmpty } from "../build.mjs";

const server = dirname(dirname(fileURLToPath(import.meta.url)));
const sources = join(server, "src");
/** The folder is beside `src`, so that paths relative to a module lead to the same files. */
const modules = join(server, ".modules");
const manifest = join(modules, "manifest.json");
const version = createHash("sha256")
  .update(readFileSync(fileURLToPath(import.meta.url)))
  .digest("hex");

const isTest = (/** @type {string} */ path) => /[.]test[.]tsx?$/.test(path);
const isTypeScript = (/** @type {string} */ path) => /[.]tsx?$/.test(path);
const compiledName = (/** @type {string} */ path) => path.replace(/[.]tsx?$/, ".js");

/** Writes a file atomically, because two runs at once write the same one. @param {string} path @param {(draft: string) => void} write */
function writeWhole(path, write) {
  const draft = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true });
  write(draft);
  renameSync(draft, path);
}

/** @returns {Record<string, string>} what each module was made from, by its path */
function readManifest() {
  try {
    return JSON.parse(readFileSync(manifest, "utf8"));
  } catch {
    return {};
  }
}

/** Translates the files that have changed. Other files in `src` are copied, because modules read them from their own folder. */
export async function compileModules() {
  const before = readManifest();
  /** @type {Record<string, string>} */
  const after = {};
  const entries = readdirSync(sources, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !isTest(entry.name)).map((entry) => join(entry.parentPath, entry.name));
  await Promise.all(
    files.map(async (file) => {
      const path = file.slice(sources.length + 1);
      const source = readFileSync(file);
      after[path] = createHash("sha256").update(version).update(source).digest("hex");
      if (before[path] === after[path]) return;
      const target = join(modules, compiledName(path));
      if (!isTypeScript(path)) return writeWhole(target, (draft) => copyFileSync(file, draft));
      const { code, errors, map } = await transform(file, source.toString(), {
        typescript: { rewriteImportExtensions: "rewrite", onlyRemoveTypeImports: true },
        jsx: { runtime: "automatic", importSource: "preact" },
        target: "es2023",
        sourcemap: true,
      });
      if (errors.length > 0) throw new Error(`${path} cannot be translated: ${errors[0]?.message}`);
      // Vitest reads the source map of a module that a failure names. It is a separate file, because Node would parse one inside of the module.
      writeWhole(`${target}.map`, (draft) => writeFileSync(draft, JSON.stringify(map)));
      writeWhole(target, (draft) => writeFileSync(draft, `${spreadIntoEmpty(code)}\n//# sourceMappingURL=${basename(target)}.map\n`));
    }),
  );
  for (const path of Object.keys(before))
    if (!after[path]) for (const end of ["", ".map"]) rmSync(join(modules, compiledName(path) + end), { force: true });
  writeWhole(manifest, (draft) => writeFileSync(draft, JSON.stringify(after)));
}

/** The modules that Vitest leaves to Node: the translated modules, and the scripts of the server. */
export const external = [/[/]server[/][.]modules[/]/, /[/]server[/](?:[^/]+|(?:test|bench)[/].*)[.]mjs$/];

/** Makes imports of the product lead to the translated modules. @returns {Promise<import("vite").Plugin>} */
export async function nativeModules() {
  await compileModules();
  return {
    name: "native-modules",
    enforce: "pre",
    resolveId(source, importer) {
      if (!source.startsWith(".") || !importer || !isTypeScript(source) || isTest(source)) return null;
      const file = join(dirname(importer), source);
      return file.startsWith(sources) ? join(modules, compiledName(file.slice(sources.length + 1))) : null;
    },
  };
}
