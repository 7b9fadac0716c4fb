import { generateKeyPairSync, verify } from "node:crypto";
import { expect, test } from "vitest";
import { signWith } from "./signature.ts";

const der = { type: "pkcs8", format: "der" } as const;
const pairs = {
  rsa: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  ec: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  ed: generateKeyPairSync("ed25519"),
};
const p1363 = { dsaEncoding: "ieee-p1363" } as const;
const kinds = [
  { name: "rsa", pair: pairs.rsa, digest: "sha256", options: {} },
  { name: "ec", pair: pairs.ec, digest: "sha256", options: p1363 },
  { name: "ed", pair: pairs.ed, digest: null, options: {} },
] as const;

test("every signature of many that are asked for at once is of its own data and key", async () => {
  const made = await Promise.all(
    kinds.flatMap(({ name, pair, digest, options }) => {
      const sign = signWith(pair.privateKey.export(der), { digest, options });
      return Array.from({ length: 40 }, async (_, n) => {
        const data = Buffer.from(`${name} ${n}`);
        return verify(digest, data, { key: pair.publicKey, ...options }, await sign(data));
      });
    }),
  );
  expect(made).toHaveLength(120);
  expect(made.every(Boolean)).toBe(true);
});

test("other work of the event loop goes on between many signatures", async () => {
  const sign = signWith(pairs.ec.privateKey.export(der), { digest: "sha256", options: p1363 });
  let finished = 0;
  const all = Promise.all(Array.from({ length: 100 }, (_, n) => sign(Buffer.from(`${n}`)).then(() => finished++)));
  const seen = new Set<number>();
  while (finished < 100) {
    await new Promise(setImmediate);
    seen.add(finished);
  }
  await all;
  expect(seen.size).toBeGreaterThan(2);
});

test("a signature that fails takes no other with it", async () => {
  const sign = signWith(pairs.ec.privateKey.export(der), { digest: "sha256", options: p1363 });
  const outcomes = await Promise.allSettled([sign(Buffer.from("a")), sign(null as never), sign(Buffer.from("b"))]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});
