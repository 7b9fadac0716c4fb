// Measures the limits of this machine: the two cryptographic operations that an identity provider cannot avoid.
import { availableParallelism } from "node:os";
import { hash } from "@node-rs/argon2";
import { serveSlices } from "./slices.mjs";

const ARGON2ID = 2;
const argon2 = { algorithm: ARGON2ID, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

const rsa = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const { privateKey } = await crypto.subtle.generateKey({ ...rsa, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) }, false, [
  "sign",
  "verify",
]);
// About as long as the signed part of an ID token.
const text = new Uint8Array(700).fill(97);

/** @type {Record<string, import("./slices.mjs").Work>} */
const work = {
  // Twice the thread pool, so that a thread never waits for the main one.
  rsa: { atOnce: 8, once: () => crypto.subtle.sign(rsa, privateKey, text) },
  // The minimum cost of a response with an access token and an ID token.
  "rsa-twice": {
    atOnce: 8,
    once: () => Promise.all([crypto.subtle.sign(rsa, privateKey, text), crypto.subtle.sign(rsa, privateKey, text)]),
  },
  // The minimum cost of a sign-in by password through the code flow.
  "sign-in": {
    atOnce: availableParallelism(),
    once: async () => {
      await hash("a password of usual length", argon2);
      await Promise.all([crypto.subtle.sign(rsa, privateKey, text), crypto.subtle.sign(rsa, privateKey, text)]);
    },
  },
  // One per core, as in the product.
  argon2: { atOnce: availableParallelism(), once: () => hash("a password of usual length", argon2) },
};

serveSlices(work);
