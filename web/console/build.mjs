// Builds the admin console to server/dist/console, with a compressed copy of every file.
//   node build.mjs             builds if its sources have changed
//   node build.mjs --out DIR   builds to another folder, in any case
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "..", "..");
export const target = join(root, "server", "dist", "console");
const STAMP = ".built-from";

/** Returns the fingerprint of the files that the build reads, as one line. */
export function consoleFingerprint() {
  const files = [join(here, "src"), join(here, "..", "api", "src")].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== "schema.d.ts")
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name)),
  );
  const own = ["index.html", "vite.config.ts", "schema-modules.ts", "build.mjs", "package.json"].map((name) => join(here, name));
  const hash = createHash("sha256");
  for (const file of [...files, ...own, join(root, "server", "openapi.json"), join(root, "package-lock.json")].sort()) {
    const content = readFileSync(file);
    hash.update(`${relative(root, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

/** @param {string} [out] */
export function isBuilt(out = target) {
  const stamp = join(out, STAMP);
  return existsSync(stamp) && readFileSync(stamp, "utf8") === consoleFingerprint();
}

/** Builds in a temporary folder, then moves it into place, so that a server never serves half of it. @param {string} [out] */
export async function buildConsole(out = target) {
  const made = consoleFingerprint();
  const draft = `${out}.${process.pid}`;
  const { build } = await import("vite");
  mkdirSync(dirname(out), { recursive: true });
  await build({ root: here, logLevel: "error", build: { outDir: draft, emptyOutDir: true } });
  await compressAll(draft);
  writeFileSync(join(draft, STAMP), made);
  rmSync(out, { recursive: true, force: true });
  renameSync(draft, out);
}

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Writes a compressed copy of every file. @param {string} folder */
export async function compressAll(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => /[.](js|css|html|svg)$/.test(entry.name));
  await Promise.all(
    files.map(async (entry) => {
      const file = join(entry.parentPath ?? entry.path, entry.name);
      const content = readFileSync(file);
      if (entry.name.endsWith(".html")) return;
      writeFileSync(`${file}.br`, await brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
      writeFileSync(`${file}.gz`, await gzipped(content, { level: 9 }));
    }),
  );
}

if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) {
  const index = process.argv.indexOf("--out");
  if (index >= 0) await buildConsole(process.argv[index + 1]);
  else if (!isBuilt()) await buildConsole();
}
