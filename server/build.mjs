// Bundles the program to dist and prepares the embedded database that a first start is made from.
//   node build.mjs                        builds what has changed
//   node build.mjs --out DIR --no-check   somewhere else, without checking types: for tests, which are checked elsewhere
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const here = fileURLToPath(new URL(".", import.meta.url));
const migrations = join(here, "migrations");
const require = createRequire(import.meta.url);

/** What the build depends on, as one line: any file added, removed or changed makes another. */
export function fingerprint() {
  const files = readdirSync(join(here, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/[.]test[.]tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  const settings = readdirSync(here).filter((name) => /^(tsconfig[.]json|build[.]mjs)$/.test(name));
  const scripts = existsSync(migrations) ? readdirSync(migrations).map((name) => join(migrations, name)) : [];
  const inputs = [...files, ...scripts, ...settings.map((name) => join(here, name)), join(here, "..", "package-lock.json")];
  const hash = createHash("sha256");
  for (const file of inputs.filter((input) => existsSync(input)).sort()) {
    // By content and place in the tree: dates and the tree's own place change with a copy, a clone, an image.
    hash.update(`${relative(here, file)}\0`).update(createHash("sha256").update(readFileSync(file)).digest());
  }
  return hash.digest("hex");
}

/** Files that appear whole or not at all: two builds at once write the same. @param {string} file @param {string | Uint8Array} content */
function writeWhole(file, content) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, content);
  renameSync(draft, file);
}

/** Builds, unless the last build was made from the very same files. Throws a BuildError that says what to do. */
export async function buildWhenStale() {
  const dist = join(here, "dist");
  const stamp = join(dist, ".built-from");
  // Taken before the build: what is edited meanwhile counts as changed at the next start.
  const wanted = fingerprint();
  const built = existsSync(join(dist, "main.js")) && existsSync(stamp) && readFileSync(stamp, "utf8") === wanted;
  if (built) return;
  console.error("Building Gatehouse …");
  // Types are checked by `npm run check` and by CI; whoever starts the server should not wait for that.
  await build({ check: false });
  writeWhole(stamp, wanted);
}

export class BuildError extends Error {}

/** @param {{ out?: string, check?: boolean }} [options] */
export async function build({ out = join(here, "dist"), check = true } = {}) {
  if (check) checkTypes();
  mkdirSync(out, { recursive: true });
  await bundle(out);
  writeCommit(out);
  if (existsSync(migrations)) await addTemplate(out);
}

function checkTypes() {
  const { status, signal, error } = spawnSync(process.execPath, [fromPackage("typescript/bin/tsc"), "-p", "tsconfig.json"], {
    cwd: here,
    stdio: ["ignore", 2, 2],
  });
  if (error) throw error;
  if (status !== 0) throw new BuildError(`The build failed${signal ? ` (${signal})` : ""}; the messages above say where.`);
}

/** What stays outside of the bundle: machine code and WebAssembly, with the files that belong to them. */
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
    // Threads of their own, and what the template is made with.
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
    ({ output: files } = await made.generate({ format: "esm", chunkFileNames: "[name].js", minify: false }));
    await made.close();
  } catch (error) {
    console.error(/** @type {Error} */ (error).message);
    throw new BuildError("The build failed; the messages above say where.");
  }
  // What is read at run time, from beside the code that reads it.
  const swaggerUi = join(dirname(fromPackage("@fastify/swagger-ui")), "static");
  for (const beside of [
    ...[
      "operations/api-docs/page-script.js",
      "signin/assets/passkey-script.js",
      "signin/assets/signing-out-script.js",
      "platform/passwords/common-passwords.txt",
    ].map(source),
    ...["swagger-ui-bundle.js", "swagger-ui.css"].map((file) => join(swaggerUi, file)),
  ])
    if (existsSync(beside)) files.push({ fileName: basename(beside), code: readFileSync(beside, "utf8") });
  // The program last: whoever starts it finds all that it loads.
  for (const { fileName, code } of files.toSorted((a) => (a.fileName === "main.js" ? 1 : -1))) writeWhole(join(out, fileName), code);
  const made = new Set(files.map(({ fileName }) => fileName));
  for (const name of readdirSync(out)) if (/[.](js|css)$/.test(name) && !made.has(name)) rmSync(join(out, name), { force: true });
}

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
 * The embedded database, migrated and shut down cleanly, as a tar: a first start unpacks it in a tenth of a second, where making one
 * takes many. It is kept by what it was made from, because making it is slow too. @param {string} out
 */
async function addTemplate(out) {
  const hash = createHash("sha256").update(readFileSync(packageFile("@electric-sql/pglite")));
  hash.update(readFileSync(join(here, "build.mjs")));
  for (const file of readdirSync(migrations).sort()) hash.update(file).update(readFileSync(join(migrations, file)));
  const cache = join(here, ".cache");
  const kept = join(cache, `embedded-template-${hash.digest("hex").slice(0, 16)}.tar.gz`);
  if (!existsSync(kept)) {
    mkdirSync(cache, { recursive: true });
    // Not out of the one before: that knows older migrations, maybe an older draft of one.
    rmSync(join(out, "embedded-template.tar.gz"), { force: true });
    writeWhole(kept, await makeTemplate(out));
  }
  const target = join(out, "embedded-template.tar.gz");
  const draft = `${target}.${process.pid}`;
  copyFileSync(kept, draft);
  renameSync(draft, target);
}

/** @param {string} name of a package; its exports may hide the file, so it is looked for beside its main module */
function packageFile(name) {
  const main = require.resolve(name);
  return join(main.slice(0, main.lastIndexOf(name) + name.length), "package.json");
}

/** @param {string} out where the bundle is */
async function makeTemplate(out) {
  const { openDatabase, migrate } = await import(pathToFileURL(join(out, "database.js")).href);
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-template-"));
  try {
    const onIdleError = () => {};
    const database = await openDatabase({ url: null, dataDir: folder, pool: 1, preparedStatements: false, onIdleError });
    await migrate(database.db);
    // Closed, not dumped: whoever opens a folder that was closed has nothing to recover.
    await database.close();
    return gzipSync(pack(join(folder, "database")), { level: 9 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const BLOCK = 512;

/** A plain ustar archive of a folder; src/platform/db/pglite-template.js reads it. @param {string} folder */
function pack(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => ({ path: join(entry.parentPath ?? entry.path, entry.name), isFolder: entry.isDirectory() }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const parts = entries.flatMap(({ path, isFolder }) => {
    const content = isFolder ? Buffer.alloc(0) : readFileSync(path);
    const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
    return [header(path.slice(folder.length + 1), content.length, isFolder), content, padding];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

/** @param {string} name @param {number} size @param {boolean} isFolder */
function header(name, size, isFolder) {
  if (Buffer.byteLength(name) > 99) throw new Error(`${name} is too long for a tar header`);
  const block = Buffer.alloc(BLOCK);
  const octal = (/** @type {number} */ value, /** @type {number} */ at, /** @type {number} */ length) =>
    block.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at);
  block.write(name, 0);
  octal(isFolder ? 0o700 : 0o600, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  block.write(" ".repeat(8), 148);
  block.write(isFolder ? "5" : "0", 156);
  block.write("ustar\x0000", 257);
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return block;
}

if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) {
  const args = process.argv.slice(2);
  const out = args.includes("--out") ? { out: args[args.indexOf("--out") + 1] ?? "" } : {};
  try {
    await build({ ...out, check: !args.includes("--no-check") });
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
