// Makes the folder of the embedded database: from the template that ships, in a tenth of a second, or from scratch, in seconds.
// It is plain JavaScript because the worker runs it unchanged, from the sources and from the build.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { gunzipSync } from "node:zlib";
import { PGlite } from "@electric-sql/pglite";

/** The bytes of a tar, or the path of a gzip file that holds one. @typedef {Uint8Array<ArrayBuffer> | string | undefined} Template */

/**
 * Prepares the folder. It is made under another name and moved into place, so that no process sees an incomplete one. The caller holds the folder's lock.
 * @param {string} dir @param {Template} template
 */
export async function prepareFolder(dir, template) {
  const parent = dirname(dir);
  const prefix = `${basename(dir)}.new-`;
  // These were left by a first start that was killed. Nothing was ever stored in them.
  for (const name of readdirSync(parent)) if (name.startsWith(prefix)) rmSync(join(parent, name), { recursive: true });
  if (existsSync(dir)) return;
  const draft = join(parent, `${prefix}${process.pid}`);
  const bytes = readTemplate(template);
  if (bytes) unpack(bytes, draft);
  else await (await PGlite.create(draft)).close();
  renameSync(draft, dir);
}

/** @param {Template} template @returns {Uint8Array<ArrayBuffer> | undefined} the tar */
export function readTemplate(template) {
  if (typeof template !== "string") return template;
  // A source checkout has no template until it is built.
  if (!existsSync(template)) return undefined;
  const packed = readFileSync(template);
  // A gzip file ends with the length of its content. One buffer of that size suffices, while a growing one would leave two copies behind.
  return gunzipSync(packed, { chunkSize: packed.readUInt32LE(packed.length - 4) + 1 });
}

const BLOCK = 512;
const FOLDER = "5";

/** Unpacks a dump of PGlite, which is plain ustar. PGlite's own reader takes ten times as long. @param {Uint8Array} tar @param {string} target */
function unpack(tar, target) {
  const bytes = Buffer.from(tar.buffer, tar.byteOffset, tar.byteLength);
  mkdirSync(target, { recursive: true, mode: 0o700 });
  const text = (/** @type {number} */ from, /** @type {number} */ length) =>
    bytes
      .toString("utf8", from, from + length)
      .split("\0", 1)
      .join();
  for (let at = 0; at + BLOCK <= bytes.length && bytes[at] !== 0; ) {
    const size = Number.parseInt(text(at + 124, 12).trim() || "0", 8);
    const path = join(target, normalize(`/${text(at + 345, 155)}/${text(at, 100)}`));
    if (text(at + 156, 1) === FOLDER) mkdirSync(path, { recursive: true, mode: 0o700 });
    else {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, bytes.subarray(at + BLOCK, at + BLOCK + size), { mode: 0o600 });
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
}
