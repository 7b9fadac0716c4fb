// Bundles the program to dist and prepares the embedded database for a first start.
//   node build.mjs                        checks types and builds; the console only if its sources have changed
//   node build.mjs --out DIR --no-check   builds to another folder without a type check, for tests
//   node build.mjs --no-console           builds without the admin console
//   node build.mjs --when-stale           builds only if files have changed, and does not compress the template; for tests
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

/** Returns a fingerprint of the files that the build reads. It changes with any file that is added, removed or changed. */
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
    // The fingerprint has content and path in the tree, because dates and the place of the tree change with a copy, a clone or an image.
    hash.update(`${relative(here, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

/** Writes a file atomically, because two builds at once write the same. @param {string} file @param {string | Uint8Array} content */
function writeWhole(file, content, mode = 0o644) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, content, { mode });
  renameSync(draft, file);
}

/** Tells whether the program was built from these files. @param {string} print their fingerprint */
export const isBuiltFrom = (print) => existsSync(join(dist, "main.js")) && existsSync(stamp) && readFileSync(stamp, "utf8") === print;

/**
 * Builds, unless the last build was made from the same files. Throws a BuildError that says what to do. It returns as soon as
 * the program can be loaded; `template` settles when a first start on the embedded database can continue.
 * @returns {Promise<{ template: Promise<void> }>}
 */
export async function buildWhenStale() {
  // The fingerprint is taken before the build, so files that are edited meanwhile count as changed at the next start.
  const wanted = fingerprint();
  if (isBuiltFrom(wanted)) return { template: Promise.resolve() };
  console.error("Building Gatehouse …");
  // `npm run check` and CI check types. A start should not wait for that.
  const { template } = await buildProgram(dist, LEVEL.start);
  // The stamp is written last, so that a build that was killed does not count as complete.
  return { template: template.then(() => writeWhole(stamp, wanted)) };
}

/**
 * Prepares everything at the end of an install, where npm runs it (`prepare`), so that the first `npm start` need not build. If nothing can
 * be built (an install of the runtime packages only, an image that has only the manifests yet) it does nothing. It never fails an install,
 * because `npm start` builds missing parts.
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

/** Builds program and console, each if its files have changed. */
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

/** Builds the admin console next to the program, if its sources exist and have changed. @param {string} [out] */
async function buildConsole(out = dist) {
  if (!existsSync(consoleBuild)) return;
  const { buildConsole: make, isBuilt } = await import(pathToFileURL(consoleBuild).href);
  const target = join(out, "console");
  if (!isBuilt(target)) await make(target);
}

/** Builds the console in a process of its own. A start does not wait for it: /console/ says that it is being built. */
export async function buildConsoleMeanwhile() {
  if (!existsSync(consoleBuild)) return;
  const { isBuilt } = await import(pathToFileURL(consoleBuild).href);
  if (isBuilt(join(dist, "console"))) return;
  spawn(process.execPath, [consoleBuild], { stdio: ["ignore", "ignore", "inherit"] }).unref();
}

/**
 * The level of gzip for the template of 34 MB. A first start of a clone waits for it, so it is not compressed. A shipped one has 5 MB
 * (level 9 takes seven times as long and saves one percent).
 */
const LEVEL = { start: 0, ship: 6 };

/** @param {string} out @param {number} level the level of the template's compression */
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

/** The packages outside of the bundle: machine code and WebAssembly, with their files. */
const external = [/^@electric-sql[/]/, /^@node-rs[/]/, "pg-native"];

/**
 * Bundles the program and its packages into a few files. Node needs a third of a second more to find and read a thousand
 * files. @param {string} out
 */
async function bundle(out) {
  const { rolldown } = await import(pathToFileURL(fromPackage("rolldown")).href);
  const source = (/** @type {string} */ path) => join(here, "src", path);
  const entries = {
    main: source("main.ts"),
    // The commands, for `npm start`.
    cli: source("cli/run.ts"),
    // These run in separate threads, or make the template.
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
    // Names and lines stay, for stack traces. Comments are removed, except licences.
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
  // These files are read at run time, from the folder of the code that reads them.
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
  // The program is written last, because it loads the others.
  for (const { fileName, code } of files.toSorted((a) => (a.fileName === "main.js" ? 1 : -1)))
    writeWhole(join(out, fileName), code, fileName === "main.js" ? 0o755 : 0o644);
  const made = new Set(files.map(({ fileName }) => fileName));
  for (const name of readdirSync(out)) if (/[.](js|css)$/.test(name) && !made.has(name)) rmSync(join(out, name), { force: true });
}

/**
 * Wraps functions so that V8 parses them once: it parses a function in brackets at once, and an arrow function first in outline, then
 * again when it is called. CommonJS modules are called when they are loaded. @param {string} code
 */
const readOnce = (code) => code.replace(/(?<=__commonJSMin\(\()(\([\w$, ]*\)) => \{/g, "function$1 {");

/**
 * Makes literals faster. Node 20 takes 1.5 µs for each property that a literal adds to the copy at its beginning (`{ ...copied, added }`),
 * a tenth of that if the copy goes into an existing object. To spread null adds nothing. A comma tells a literal from a pattern, where the
 * rest comes last. @param {string} code
 */
export const spreadIntoEmpty = (code) => code.replace(/(?<=\{\s*)\.\.\.[\w$.?]*(?:\((?:[^()'"`/]|\([^()'"`/]*\))*\))*,/g, "...null, $&");

/**
 * Escapes letters, because one letter beyond Latin-1 makes V8 store a file in two bytes per letter. An escape means the same in strings,
 * regular expressions and names. A backslash before the letter has no meaning and is removed. @param {string} code
 */
const inAscii = (code) =>
  code.replace(/(\\*)([^\0-\x7f])/g, (_, slashes, letter) => {
    return `${slashes.slice(slashes.length % 2)}\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });

/** Writes the commit for `/monitoring/info`. A build outside of a repository has none. @param {string} out */
function writeCommit(out) {
  const { status, stdout } = spawnSync("git", ["rev-parse", "HEAD"], { cwd: here, encoding: "utf8" });
  if (status === 0) writeWhole(join(out, "commit.txt"), stdout);
  // The package, which begins at this folder, needs the licence.
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
 * Begins the template of the embedded database (see template.mjs), which is cached by a hash of its inputs. It takes longer than
 * the bundle and needs the bundle only for its last part, so it begins before, in its own process. Two builds at once both make it,
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
  // The cache may have the same template with another compression, for `npm start` or for shipping.
  const other = Object.values(LEVEL)
    .map(keptAt)
    .find((file) => existsSync(file));
  if (other && other !== kept && !existsSync(kept)) writeWhole(kept, gzipSync(gunzipSync(readFileSync(other)), { level }));
  if (existsSync(kept)) return { finish: async () => use(), abandon: () => {} };
  mkdirSync(cache, { recursive: true });
  const maker = fork(join(here, "template.mjs"), [kept, String(level)], { execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const ended = once(maker, "exit");
  ended.catch(() => {}); // `finish` waits for it.
  return {
    async finish() {
      // The process may have ended already, and has then printed the reason.
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
 * Removes templates of other migrations, and drafts of processes that were killed. Each has up to 34 MB. @param {string} cache
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

/** @param {string} name the name of a package. Its exports may hide the file, so it is found next to its main module */
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
