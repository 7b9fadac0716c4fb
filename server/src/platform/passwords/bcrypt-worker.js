// Computes bcrypt in a worker thread, because it is plain JavaScript and a hash takes at least a quarter of a second.
import { timingSafeEqual } from "node:crypto";
import { parentPort } from "node:worker_threads";
import { decodeBase64, hashSync } from "bcryptjs";

const port = /** @type {import("node:worker_threads").MessagePort} */ (parentPort);

const SETTINGS = "$2b$10$".length + 22;
const OUTPUT_BYTES = 23;
/** @param {string} hash */
const outputOf = (hash) => Buffer.from(decodeBase64(hash.slice(SETTINGS), OUTPUT_BYTES));

port.on("message", (/** @type {{ password: string, encoded: string }} */ { password, encoded }) => {
  // The bytes are compared and not the text, because some systems leave meaningless bits in the last character of the salt.
  port.postMessage(timingSafeEqual(outputOf(hashSync(password, encoded.slice(0, SETTINGS))), outputOf(encoded)));
});
