// What this machine can do at best: the two pieces of cryptography that an identity provider cannot avoid.
import { availableParallelism } from "node:os";
import { hash } from "@node-rs/argon2";

const ARGON2ID = 2;
const argon2 = { algorithm: ARGON2ID, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

const rsa = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const { privateKey } = await crypto.subtle.generateKey({ ...rsa, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) }, false, [
  "sign",
  "verify",
]);
// About as long as what is signed of an ID token.
const text = new Uint8Array(700).fill(97);

/** @type {Record<string, { atOnce: number, once: () => Promise<unknown> }>} */
const work = {
  // Twice the thread pool, so that a thread never waits for the main one.
  rsa: { atOnce: 8, once: () => crypto.subtle.sign(rsa, privateKey, text) },
  // What an answer with an access token and an ID token costs at least.
  "rsa-twice": {
    atOnce: 8,
    once: () => Promise.all([crypto.subtle.sign(rsa, privateKey, text), crypto.subtle.sign(rsa, privateKey, text)]),
  },
  // What a sign-in by password through the code flow costs at least.
  "sign-in": {
    atOnce: availableParallelism(),
    once: async () => {
      await hash("a password of usual length", argon2);
      await Promise.all([crypto.subtle.sign(rsa, privateKey, text), crypto.subtle.sign(rsa, privateKey, text)]);
    },
  },
  // As many as cores, which is how the product does it.
  argon2: { atOnce: availableParallelism(), once: () => hash("a password of usual length", argon2) },
};

/** @param {{ row: string, seconds: number }} task @returns {Promise<import("./load.mjs").Slice>} */
async function slice({ row, seconds }) {
  const { atOnce, once } = /** @type {typeof work[string]} */ (work[row]);
  /** @type {number[]} */
  const times = [];
  const began = performance.now();
  const until = began + seconds * 1000;
  const worker = async () => {
    while (performance.now() < until) {
      const at = performance.now();
      await once();
      times.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  times.sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { count: times.length, seconds: (performance.now() - began) / 1000, p50: at(0.5), p99: at(0.99) };
}

process.on("message", (task) => {
  slice(/** @type {any} */ (task)).then(
    (result) => process.send?.(result),
    (error) => process.send?.({ error: String(error) }),
  );
});
process.send?.({ ready: true });
