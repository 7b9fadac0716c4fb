// Runs the embedded Postgres in a worker thread: PGlite computes in WebAssembly and would block the event loop.
import { setFlagsFromString } from "node:v8";
import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import { prepareFolder } from "./pglite-template.js";

// V8 optimizes a function of WebAssembly after 1,800,000 units of work, which most functions reach while the database opens: this takes half of the computing
// time of a start and 40 MB. With the larger budget, functions that are used much are still optimized, and queries become as fast as before.
setFlagsFromString("--wasm-tiering-budget=100000000");

const port = /** @type {import("node:worker_threads").MessagePort} */ (parentPort);
/** @type {{ dir: string, template?: import("./pglite-template.js").Template }} */
const { dir, template } = workerData;

const INT8 = 20;
const parsers = { [INT8]: Number };

// A server on the embedded database serves few people, and Postgres's usual 128 MB would be most of the memory of the process. Files that are read again come
// from the system's own cache.
const startParams = [...PGlite.defaultStartParams, "-c", "shared_buffers=16MB"];
const settings = { parsers, startParams };

async function open() {
  if (!dir.startsWith("memory:")) {
    await prepareFolder(dir, template);
    return PGlite.create(dir, settings);
  }
  // Only tests keep nothing. They bring a template or create a folder: the template of a build may be older than the migrations.
  const tar = typeof template === "string" ? undefined : template;
  return PGlite.create(dir, { ...(tar && { loadDataDir: new Blob([tar]) }), ...settings });
}

const db = await open();

/** @param {unknown} error */
const plain = (error) => {
  const { message, code, constraint, table, column, detail } = /** @type {Record<string, unknown>} */ (error);
  return { message, code, constraint, table, column, detail };
};

port.on("message", async ({ id, op, sql, params }) => {
  try {
    if (op === "close") {
      await db.close();
      port.postMessage({ id });
    } else if (op === "dump") {
      const file = await db.dumpDataDir("none");
      port.postMessage({ id, bytes: new Uint8Array(await file.arrayBuffer()) });
    } else if (op === "script") {
      await db.exec(sql);
      port.postMessage({ id });
    } else {
      const { rows, affectedRows } = await db.query(sql, params);
      port.postMessage({ id, rows, affectedRows });
    }
  } catch (error) {
    port.postMessage({ id, error: plain(error) });
  }
});
port.postMessage({ id: 0 });
