import { readFileSync } from "node:fs";

/** The bytes that are kept of each SHA-1. About one in ten million unlisted passwords is therefore taken for a listed one. */
const DIGEST_BYTES = 5;

/**
 * Loads the passwords that are guessed first, as sorted beginnings of their SHA-1. The file lies beside this code, in the sources and in the build;
 * `server/corpus/make.mjs` makes it.
 */
export function loadCommonPasswords(): (sha1: Buffer) => boolean {
  const sorted = Buffer.from(readFileSync(new URL("./common-passwords.txt", import.meta.url), "latin1"), "base64");
  const at = (index: number) => sorted.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES);
  return (sha1) => {
    const digest = sha1.subarray(0, DIGEST_BYTES);
    let [low, high] = [0, sorted.length / DIGEST_BYTES - 1];
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const order = at(middle).compare(digest);
      if (order === 0) return true;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return false;
  };
}
