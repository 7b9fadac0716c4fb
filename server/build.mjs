// Bundles the program to dist and prepares the embedded database that a first start is made from.
//   node build.mjs                        builds what has changed
//   node build.mjs --out DIR --no-check   somewhere else, without checking types: for tests, which are checked elsewhere
//   node build.mjs --no-console           without the admin console
//   node build.mjs --when-stale           nothing, if it was built from the very same files; for tests, the template is not compressed
import { fork, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";

const here = fileURLToPath(new URL(".", import.meta.url));
const migrations = join(here, "migrations");
const dist = join(here, "dist");
const stamp = join(dist, ".built-from");
const require = createRequire(import.meta.url);

/** A fingerprint of the files that the build reads: any file added, removed or changed alters it. */
export function fingerprint() {
  const files = readdirSync(join(here, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/[.]test[.]tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  const settings = readdirSync(here).filter((name) => /^(tsconfig[.]json|build[.]mjs|template[.]mjs)$/.test(name));
  const scripts = existsSync(migrations) ? readdirSync(migrations).map((name) => join(migrations, name)) : [];
  const inputs = [...files, ...scripts, ...settings.map((name) => join(here, name)), join(here, "..", "package-lock.json")];
  const hash = createHash("sha256");
  for (const file of inputs.filter((input) => existsSync(input)).sort()) {
    const content = readFileSync(file);
    // By content and place in the tree: dates and the tree's own place change with a copy, a clone, an image.
    hash.update(`${relative(here, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

/** Files that appear whole or not at all: two builds at once write the same. @param {string} file @param {string | Uint8Array} content */
function writeWhole(file, content, mode = 0o644) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, content, { mode });
  renameSync(draft, file);
}

/** Tells whether the program is there, built from these very files. @param {string} print of the files */
export const isBuiltFrom = (print) => existsSync(join(dist, "main.js")) && existsSync(stamp) && readFileSync(stamp, "utf8") === print;

/**
 * Builds, unless the last build was made from the very same files. Throws a BuildError that says what to do. It answers as soon as
 * the program can be loaded; `template` is settled when a first start on the embedded database can go on.
 * @returns {Promise<{ template: Promise<void> }>}
 */
export async function buildWhenStale() {
  // Taken before the build: what is edited meanwhile counts as changed at the next start.
  const wanted = fingerprint();
  if (isBuiltFrom(wanted)) return { template: Promise.resolve() };
  console.error("Building Gatehouse …");
  // Types are checked by `npm run check` and by CI; a start should not wait for that.
  const { template } = await buildProgram(dist, LEVEL.start);
  // Last: a build that was killed before this is not taken for whole.
  return { template: template.then(() => writeWhole(stamp, wanted)) };
}

/**
 * Run by npm at the end of an install (`prepare`), so that the first `npm start` finds everything made. Where nothing can be built (an
 * install of the runtime packages alone, an image that has only the manifests yet) it does nothing, and it never fails an install:
 * `npm start` builds what is missing.
 */
export async function prepare() {
  try {
    require.resolve("rolldown");
    if (!existsSync(join(here, "src", "main.ts"))) return;
    await refresh();
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "MODULE_NOT_FOUND") return;
    console.error(`${/** @type {Error} */ (error).message}\nThe install is complete all the same; npm start builds again.`);
  }
}

export class BuildError extends Error {}

/** Program and console, each if it was made from other files than there are now. */
async function refresh({ console: withConsole = true } = {}) {
  await (await buildWhenStale()).template;
  if (withConsole) await buildConsole();
}

/** @param {{ out?: string, check?: boolean, console?: boolean }} [options] */
export async function build({ out = dist, check = true, console: withConsole = true } = {}) {
  const made = fingerprint();
  if (check) checkTypes();
  const { template } = await buildProgram(out, LEVEL.ship);
  await template;
  if (withConsole) await buildConsole(out);
  if (out === dist) writeWhole(stamp, made);
}

const consoleBuild = join(here, "..", "web", "console", "build.mjs");

/** Builds the admin console beside the program, if its sources are here and have changed. @param {string} [out] */
async function buildConsole(out = dist) {
  if (!existsSync(consoleBuild)) return;
  const { buildConsole: make, isBuilt } = await import(pathToFileURL(consoleBuild).href);
  const target = join(out, "console");
  if (!isBuilt(target)) await make(target);
}

/** The same in a process of its own, for a start, which does not wait for it: until it is done, /console/ says so. */
export async function buildConsoleMeanwhile() {
  if (!existsSync(consoleBuild)) return;
  const { isBuilt } = await import(pathToFileURL(consoleBuild).href);
  if (isBuilt(join(dist, "console"))) return;
  spawn(process.execPath, [consoleBuild], { stdio: ["ignore", "ignore", "inherit"] }).unref();
}

/**
 * The level of gzip for the template of 34 MB. A first start of a clone waits for it, so it takes nothing; what is shipped has 5 MB
 * (level 9 takes seven times as long and saves one percent).
 */
const LEVEL = { start: 0, ship: 6 };

/** @param {string} out @param {number} level of the template's compression */
async function buildProgram(out, level) {
  mkdirSync(out, { recursive: true });
  const template = existsSync(migrations) ? beginTemplate(out, level) : undefined;
  try {
    await bundle(out);
    writeCommit(out);
  } catch (error) {
    template?.abandon();
    throw error;
  }
  return { template: template ? template.finish() : Promise.resolve() };
}

function checkTypes() {
  const tsc = join(dirname(fromPackage("typescript-7/package.json")), "bin", "tsc");
  const { status, signal, error } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.json"], {
    cwd: here,
    stdio: ["ignore", 2, 2],
  });
  if (error) throw error;
  if (status !== 0) throw new BuildError(`The build failed${signal ? ` (${signal})` : ""}; the messages above say where.`);
}

/** Packages outside of the bundle: machine code and WebAssembly, with their files. */
const external = [/^@electric-sql[/]/, /^@node-rs[/]/, "pg-native"];

/**
 * The program and its packages in a few files. Node takes a third of a second longer to find and read them as the thousand that
 * they are. @param {string} out
 */
async function bundle(out) {
  const { rolldown } = await import(pathToFileURL(fromPackage("rolldown")).href);
  const source = (/** @type {string} */ path) => join(here, "src", path);
  const entries = {
    main: source("main.ts"),
    // The commands, for `npm start`.
    cli: source("cli/run.ts"),
    // Separate threads, and what the template is made with.
    "pglite-worker": source("platform/db/pglite-worker.js"),
    "bcrypt-worker": source("platform/passwords/bcrypt-worker.js"),
    database: source("platform/db/index.ts"),
  };
  const input = Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(file)));
  /** @type {{ fileName: string, code: string }[]} */
  let files;
  try {
    const made = await rolldown({
      cwd: here,
      input,
      platform: "node",
      external,
      tsconfig: join(here, "tsconfig.json"),
      logLevel: "silent",
    });
    // Names and lines stay, for stack traces. Comments go, but for licences.
    const comments = { legal: true, annotation: false, jsdoc: false };
    const { output } = await made.generate({ format: "esm", chunkFileNames: "[name].js", minify: false, comments });
    files = output.map((/** @type {{ fileName: string, code: string }} */ { fileName, code }) => ({
      fileName,
      code: inAscii(spreadIntoEmpty(readOnce(code))),
    }));
    await made.close();
  } catch (error) {
    console.error(/** @type {Error} */ (error).message);
    throw new BuildError("The build failed; the messages above say where.");
  }
  // Files that are read at run time, from beside the code that reads them.
  const swaggerUi = join(dirname(fromPackage("@fastify/swagger-ui")), "static");
  for (const beside of [
    ...[
      "operations/api-docs/page-script.js",
      "pages/assets/account-style.css",
      "pages/assets/account-parts-style.css",
      "pages/assets/passkey-script.js",
      "pages/assets/forms-script.js",
      "pages/assets/hop-script.js",
      "pages/assets/signing-out-script.js",
      "platform/passwords/common-passwords.txt",
    ].map(source),
    ...["swagger-ui-bundle.js", "swagger-ui.css"].map((file) => join(swaggerUi, file)),
  ])
    if (existsSync(beside)) files.push({ fileName: basename(beside), code: readFileSync(beside, "utf8") });
  // The program last: it loads the others.
  for (const { fileName, code } of files.toSorted((a) => (a.fileName === "main.js" ? 1 : -1)))
    writeWhole(join(out, fileName), code, fileName === "main.js" ? 0o755 : 0o644);
  const made = new Set(files.map(({ fileName }) => fileName));
  for (const name of readdirSync(out)) if (/[.](js|css)$/.test(name) && !made.has(name)) rmSync(join(out, name), { force: true });
}

/**
 * V8 reads a function in brackets whole at once, and an arrow function first in outline, then again when it is called. CommonJS modules are
 * called when they are loaded. @param {string} code
 */
const readOnce = (code) => code.replace(/(?<=__commonJSMin\(\()(\([\w$, ]*\)) => \{/g, "function$1 {");

/**
 * Node 20 takes about 1.5 µs for each property that a literal adds to the copy it begins with (`{ ...copied, added }`), and a tenth of that
 * where the copy goes into an object that is there already. Spreading null adds nothing. A comma tells a literal from a pattern, in which the
 * rest comes last. @param {string} code
 */
export const spreadIntoEmpty = (code) => code.replace(/(?<=\{\s*)\.\.\.[\w$.?]*(?:\((?:[^()'"`/]|\([^()'"`/]*\))*\))*,/g, "...null, $&");

/**
 * With one letter beyond Latin-1, V8 keeps a whole file in two bytes a letter. An escape means the same in strings, regular expressions and
 * names; a backslash before the letter, which means nothing, goes. @param {string} code
 */
const inAscii = (code) =>
  code.replace(/(\\*)([^\0-\x7f])/g, (_, slashes, letter) => {
    return `${slashes.slice(slashes.length % 2)}\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });

/** For `/monitoring/info`; a build outside of a repository has none. @param {string} out */
function writeCommit(out) {
  const { status, stdout } = spawnSync("git", ["rev-parse", "HEAD"], { cwd: here, encoding: "utf8" });
  if (status === 0) writeWhole(join(out, "commit.txt"), stdout);
  // For the package, which begins at this folder.
  const license = join(here, "..", "LICENSE");
  if (existsSync(license)) copyFileSync(license, join(out, "LICENSE"));
}

/** @param {string} name */
function fromPackage(name) {
  try {
    return require.resolve(name);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "MODULE_NOT_FOUND") throw error;
    throw new BuildError("Gatehouse has to be built first, and what builds it is not installed. Run: npm ci");
  }
}

/**
 * The template of the embedded database (template.mjs says what that is), kept by what it was made from. Making it takes longer than
 * the bundle and needs that only for its last part, so it begins before, in its own process. Two builds at once both make it,
 * and one that is killed leaves at most a draft. @param {string} out @param {number} level
 */
function beginTemplate(out, level) {
  const hash = createHash("sha256").update(readFileSync(packageFile("@electric-sql/pglite")));
  for (const file of ["build.mjs", "template.mjs"]) hash.update(readFileSync(join(here, file)));
  for (const file of readdirSync(migrations).sort()) hash.update(file).update(readFileSync(join(migrations, file)));
  const cache = join(here, ".cache");
  const key = hash.digest("hex").slice(0, 16);
  const keptAt = (/** @type {number} */ level) => join(cache, `embedded-template-${key}-${level}.tar.gz`);
  const kept = keptAt(level);
  const use = () => {
    const target = join(out, "embedded-template.tar.gz");
    const draft = `${target}.${process.pid}`;
    copyFileSync(kept, draft);
    renameSync(draft, target);
  };
  // The same with another compression, as `npm start` and what is shipped have it.
  const other = Object.values(LEVEL)
    .map(keptAt)
    .find((file) => existsSync(file));
  if (other && other !== kept && !existsSync(kept)) writeWhole(kept, gzipSync(gunzipSync(readFileSync(other)), { level }));
  if (existsSync(kept)) return { finish: async () => use(), abandon: () => {} };
  mkdirSync(cache, { recursive: true });
  const maker = fork(join(here, "template.mjs"), [kept, String(level)], { execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const ended = once(maker, "exit");
  ended.catch(() => {}); // `finish` waits for it
  return {
    async finish() {
      // It may have ended already, and says why by itself.
      maker.send(pathToFileURL(join(out, "database.js")).href, () => {});
      const [status, signal] = await ended;
      if (status !== 0)
        throw new BuildError(`The template of the embedded database could not be made (${signal ?? status}); the messages above say why.`);
      use();
      removeOutdated(cache, kept);
    },
    abandon: () => void maker.kill(),
  };
}

/**
 * Templates of other migrations, and drafts of processes that were killed: each has up to 34 MB. @param {string} cache
 * @param {string} kept
 */
function removeOutdated(cache, kept) {
  const template = /^(embedded-template-[0-9a-f]+)-\d[.]tar[.]gz(?:[.](\d+))?$/;
  const current = template.exec(basename(kept))?.[1];
  for (const name of readdirSync(cache)) {
    const [, made, draftOf] = template.exec(name) ?? [];
    if (made && (draftOf ? !isAlive(Number(draftOf)) : made !== current)) rmSync(join(cache, name), { force: true });
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}

/** @param {string} name of a package; its exports may hide the file, so it is looked for beside its main module */
function packageFile(name) {
  const main = require.resolve(name);
  return join(main.slice(0, main.lastIndexOf(name) + name.length), "package.json");
}

if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) {
  const args = process.argv.slice(2);
  const out = args.includes("--out") ? { out: args[args.indexOf("--out") + 1] ?? "" } : {};
  try {
    const withConsole = { console: !args.includes("--no-console") };
    if (args.includes("--when-stale")) await refresh(withConsole);
    else await build({ ...out, ...withConsole, check: !args.includes("--no-check") });
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
