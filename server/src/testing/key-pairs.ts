import { createPrivateKey, createPublicKey, webcrypto } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { newId } from "../kernel/ids.ts";
import { type MakeKeyPair, makeKeyPair } from "../tenancy/keys/index.ts";

const PAIRS = 8;
const RSA = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const CACHE = new URL("../../.cache/", import.meta.url);
const FILE = new URL(`key-pairs-${PAIRS}.json`, CACHE);

let pairs: Promise<readonly webcrypto.CryptoKeyPair[]> | undefined;
let next = 0;

/**
 * The key pair of the next realm: real ones, made once and used in turn. Making one takes a third of a second, and a test run creates
 * thousands of realms; realms that are made one after the other still have different keys.
 */
export const nextKeyPair: MakeKeyPair = async () => {
  pairs ??= knownPairs();
  return (await pairs)[next++ % PAIRS]!;
};

async function knownPairs(): Promise<readonly webcrypto.CryptoKeyPair[]> {
  const known = await readFile(FILE, "utf8").catch(() => null);
  const privateKeys = known === null ? await makePairs() : (JSON.parse(known) as string[]);
  return Promise.all(privateKeys.map(openPair));
}

async function makePairs(): Promise<string[]> {
  const made = await Promise.all(Array.from({ length: PAIRS }, makeKeyPair));
  const exported = await Promise.all(made.map(({ privateKey }) => webcrypto.subtle.exportKey("pkcs8", privateKey)));
  const privateKeys = exported.map((pkcs8) => Buffer.from(pkcs8).toString("base64"));
  await mkdir(CACHE, { recursive: true });
  const draft = new URL(`${newId()}.draft`, CACHE);
  await writeFile(draft, JSON.stringify(privateKeys));
  await rename(draft, FILE);
  return privateKeys;
}

async function openPair(pkcs8: string): Promise<webcrypto.CryptoKeyPair> {
  const key = createPrivateKey({ key: Buffer.from(pkcs8, "base64"), format: "der", type: "pkcs8" });
  const spki = createPublicKey(key).export({ format: "der", type: "spki" });
  const [privateKey, publicKey] = await Promise.all([
    webcrypto.subtle.importKey("pkcs8", Buffer.from(pkcs8, "base64"), RSA, true, ["sign"]),
    webcrypto.subtle.importKey("spki", spki, RSA, true, ["verify"]),
  ]);
  return { privateKey, publicKey };
}
