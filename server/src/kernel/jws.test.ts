import { constants, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { describe, expect, test } from "vitest";
import { isSignedBy, isSignedByAny, parseJws } from "./jws.ts";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const small = generateKeyPairSync("rsa", { modulusLength: 1024 });
const ed = generateKeyPairSync("ed25519");
const [p256, p384, p521] = ["P-256", "P-384", "P-521"].map((namedCurve) => generateKeyPairSync("ec", { namedCurve })) as [Pair, Pair, Pair];
type Pair = { readonly publicKey: KeyObject; readonly privateKey: KeyObject };

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const pss = (bits: number) => ({ padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: bits / 8 });
const dsaEncoding = "ieee-p1363" as const;

function signedWith(alg: string, pair: Pair, digest: string | null, options = {}, header = {}): string {
  const text = `${base64url({ alg, ...header })}.${base64url({ sub: "ann" })}`;
  return `${text}.${sign(digest, Buffer.from(text), { key: pair.privateKey, ...options }).toString("base64url")}`;
}

const valid: [string, string, Pair][] = [
  ...[256, 384, 512].map((n): [string, string, Pair] => [`RS${n}`, signedWith(`RS${n}`, rsa, `sha${n}`), rsa]),
  ...[256, 384, 512].map((n): [string, string, Pair] => [`PS${n}`, signedWith(`PS${n}`, rsa, `sha${n}`, pss(n)), rsa]),
  ["ES256", signedWith("ES256", p256, "sha256", { dsaEncoding }), p256],
  ["ES384", signedWith("ES384", p384, "sha384", { dsaEncoding }), p384],
  ["ES512", signedWith("ES512", p521, "sha512", { dsaEncoding }), p521],
  ["EdDSA", signedWith("EdDSA", ed, null), ed],
  ["Ed25519", signedWith("Ed25519", ed, null), ed],
];

describe("a signature", () => {
  test.each(valid)("of %s is accepted of its key, and of no other", async (_alg, jws, { publicKey }) => {
    const parsed = parseJws(jws)!;
    expect(parsed.payload).toEqual({ sub: "ann" });
    for (const key of [rsa, p256, p384, p521, ed].map((pair) => pair.publicKey)) {
      expect(isSignedBy(parsed, key)).toBe(key === publicKey);
      expect(await isSignedByAny(parsed, key)).toBe(key === publicKey);
    }
  });

  test.each(valid)("of %s is of this content", async (_alg, jws, { publicKey }) => {
    const [head, , signature] = jws.split(".");
    const other = parseJws(`${head}.${base64url({ sub: "bob" })}.${signature}`)!;
    expect(isSignedBy(other, publicKey)).toBe(false);
    expect(await isSignedByAny(other, publicKey)).toBe(false);
  });

  test("is of the algorithm that the header names, for keys that are long enough and on its curve", () => {
    for (const [name, jws, pair] of [
      ["a PSS signature called RS256", signedWith("RS256", rsa, "sha256", pss(256)), rsa],
      ["another digest", signedWith("RS256", rsa, "sha512"), rsa],
      ["ES256 by P-384", signedWith("ES256", p384, "sha256", { dsaEncoding }), p384],
      ["ASN.1", signedWith("ES256", p256, "sha256"), p256],
      ["1,024 bits", signedWith("RS256", small, "sha256"), small],
      ["an unknown algorithm", signedWith("RS1", rsa, "sha1"), rsa],
      ["a member that every object has", signedWith("constructor", rsa, "sha256"), rsa],
      ["none", signedWith("none", rsa, "sha256"), rsa],
      ["a secret that is a public key", signedWith("HS256", rsa, "sha256"), rsa],
    ] as const)
      expect([name, isSignedBy(parseJws(jws)!, pair.publicKey)]).toEqual([name, false]);
  });

  test("by a key with a long exponent is verified as well", async () => {
    const odd = generateKeyPairSync("rsa", { modulusLength: 2048, publicExponent: 0x1000_0001 });
    const jws = parseJws(signedWith("RS256", odd, "sha256"))!;
    expect(await isSignedByAny(jws, odd.publicKey)).toBe(true);
    expect(await isSignedByAny(jws, rsa.publicKey)).toBe(false);
  });
});

test("a text that is no compact JWS with a JSON object, or needs an extension, is none", () => {
  const [head, body, signature] = valid[0]![1].split(".");
  expect(parseJws(`${head}.${body}.${signature}`)).not.toBeNull();
  for (const text of [
    "",
    "..",
    `${head}.${body}`,
    `${head}.${body}.`,
    `${head}..${signature}`,
    `${head}.${body}.${signature}.`,
    `${head}.${body}.${signature} `,
    `${head}.${body}.${signature}\n`,
    `${head}.${body}.${signature}=`,
    `${base64url([])}.${body}.${signature}`,
    `${head}.${base64url("text")}.${signature}`,
    `${head}.${base64url(null)}.${signature}`,
    `${Buffer.from("{").toString("base64url")}.${body}.${signature}`,
    signedWith("RS256", rsa, "sha256", {}, { crit: ["b64"], b64: false }),
  ])
    expect([text, parseJws(text)]).toEqual([text, null]);
});
