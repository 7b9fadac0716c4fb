import { createPrivateKey, createPublicKey, webcrypto } from "node:crypto";
import { type MakeKeyPair, makeKeyPair } from "../tenancy/keys/index.ts";
import { madeOnce } from "./made-once.ts";

const PAIRS = 8;
const RSA = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };

let pairs: Promise<readonly webcrypto.CryptoKeyPair[]> | undefined;
let next = 0;

/**
 * Returns the key pair of the next realm. The pairs are real, made once and used in turn: making one takes a third of a second, and a test run creates
 * thousands of realms. Realms that are made one after the other still have different keys.
 */
export const nextKeyPair: MakeKeyPair = async () => {
  pairs ??= knownPairs();
  return (await pairs)[next++ % PAIRS]!;
};

const knownPairs = async (): Promise<readonly webcrypto.CryptoKeyPair[]> =>
  Promise.all((await madeOnce("key-pairs", PAIRS, makePkcs8)).map(openPair));

async function makePkcs8(): Promise<string> {
  const { privateKey } = await makeKeyPair();
  return Buffer.from(await webcrypto.subtle.exportKey("pkcs8", privateKey)).toString("base64");
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
