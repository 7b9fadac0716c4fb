// Makes the template of the embedded database: an empty one, migrated and shut down cleanly, as a tar. A first start unpacks it in a
// tenth of a second, and would take seconds to make one. build.mjs runs this as its own process while it bundles.
//   node template.mjs FILE LEVEL     writes FILE (gzip), once the parent has sent the address of the bundled database module
import { once } from "node:events";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { gzipSync } from "node:zlib";

// Most functions of initdb run once or twice, so to optimize them costs more than all of the rest.
setFlagsFromString("--liftoff-only");
// The parent has ended, and nothing is written yet.
process.on("disconnect", () => process.exit(1));
const bundled = once(process, "message");
const BLOCK = 512;

const [file = "", level] = process.argv.slice(2);
const { PGlite } = await import("@electric-sql/pglite");
// The database is made in memory, because it takes half as long again on disk. An incomplete template is discarded and needs no sync, and
// small segments of the write-ahead log make a small template (one is written out at once, mostly zeros). The buffers are those of the
// server: initdb starts Postgres five times, and would fill 128 MB each time.
const pglite = await PGlite.create("memory://", {
  initDbStartParams: ["--no-sync", "--wal-segsize=1", "--set", "shared_buffers=16MB"],
});
const [databaseModule] = await bundled;
const { openDatabase, migrate } = await import(databaseModule);
const { db, close } = await openDatabase({ url: null, dataDir: "memory://", embedded: Promise.resolve(pglite) });
await migrate(db);
const files = pglite.Module.FS;
// The database is closed before it is read: a folder that was shut down has nothing to recover when it is opened.
await close();
const draft = `${file}.${process.pid}`;
try {
  writeFileSync(draft, gzipSync(pack("/pglite/data"), { level: Number(level) }));
  renameSync(draft, file);
} catch (error) {
  rmSync(draft, { force: true });
  throw error;
}
process.exit();

/** Makes a plain ustar archive of a folder of the embedded database, which src/platform/db/pglite-template.js reads. @param {string} root */
function pack(root) {
  const parts = entries(root).map(({ path, isFolder }) => {
    const content = isFolder ? Buffer.alloc(0) : Buffer.from(files.readFile(path));
    const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
    return Buffer.concat([header(path.slice(root.length + 1), content.length, isFolder), content, padding]);
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

/** Lists the entries in order, each folder before its content. @param {string} folder @returns {{ path: string, isFolder: boolean }[]} */
function entries(folder) {
  const names = files.readdir(folder).filter((/** @type {string} */ name) => name !== "." && name !== "..");
  return names.sort().flatMap((/** @type {string} */ name) => {
    const path = `${folder}/${name}`;
    const isFolder = files.isDir(files.stat(path).mode);
    return [{ path, isFolder }, ...(isFolder ? entries(path) : [])];
  });
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
