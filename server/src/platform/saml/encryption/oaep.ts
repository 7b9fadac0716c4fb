import { constants, hash, type KeyObject, privateDecrypt, publicEncrypt, randomBytes, timingSafeEqual, webcrypto } from "node:crypto";
import type { OaepHash } from "./algorithms.ts";

export interface OaepHashes {
  readonly digest: OaepHash;
  readonly mask: OaepHash;
}

const WEB_NAMES: Record<OaepHash, string> = { sha1: "SHA-1", sha256: "SHA-256", sha384: "SHA-384", sha512: "SHA-512" };

/** Encrypts a key. This takes some 30 µs, because public operations are cheap. */
export function encryptKey(secret: Buffer, key: KeyObject, { digest, mask }: OaepHashes): Buffer {
  if (digest === mask) return publicEncrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: digest }, secret);
  return publicEncrypt({ key, padding: constants.RSA_NO_PADDING }, pad(secret, modulusBytes(key), digest, mask));
}

/**
 * Decrypts a key off the main thread, unless digest and mask differ. For those Node has only RSA without padding, which blocks for the millisecond of a private
 * operation. Throws if it fails, without saying why.
 */
export async function decryptKey(encrypted: Buffer, key: KeyObject, { digest, mask }: OaepHashes): Promise<Buffer> {
  // RFC 8017 §7.1.2: OpenSSL would also accept a number without its leading zeros.
  if (encrypted.length !== modulusBytes(key)) throw new Error("the ciphertext is not of the key's size");
  if (digest === mask)
    return Buffer.from(await webcrypto.subtle.decrypt({ name: "RSA-OAEP" }, await imported(key, digest), view(encrypted)));
  return unpad(privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, encrypted), digest, mask);
}

const view = (bytes: Buffer): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);

const modulusBytes = (key: KeyObject): number => (key.asymmetricKeyDetails?.modulusLength ?? 0) / 8;

const importedKeys = new WeakMap<KeyObject, Map<OaepHash, Promise<webcrypto.CryptoKey>>>();

function imported(key: KeyObject, digest: OaepHash): Promise<webcrypto.CryptoKey> {
  const known = importedKeys.get(key) ?? new Map<OaepHash, Promise<webcrypto.CryptoKey>>();
  importedKeys.set(key, known);
  let one = known.get(digest);
  if (!one) {
    const pkcs8 = view(key.export({ type: "pkcs8", format: "der" }));
    one = webcrypto.subtle.importKey("pkcs8", pkcs8, { name: "RSA-OAEP", hash: WEB_NAMES[digest] }, false, ["decrypt"]);
    known.set(digest, one);
  }
  return one;
}

/** RFC 8017 §B.2.1. */
function mgf1(seed: Buffer, length: number, mask: OaepHash): Buffer {
  const blocks: Buffer[] = [];
  for (let made = 0, counter = 0; made < length; counter++) {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const block = hash(mask, Buffer.concat([seed, count]), "buffer");
    blocks.push(block);
    made += block.length;
  }
  return Buffer.concat(blocks).subarray(0, length);
}

const xor = (a: Buffer, b: Buffer): Buffer => Buffer.from(a.map((byte, i) => byte ^ b[i]!));

/** RFC 8017 §7.1.1, with an empty label. */
export function pad(secret: Buffer, size: number, digest: OaepHash, mask: OaepHash): Buffer {
  const label = hash(digest, "", "buffer");
  const filler = Buffer.alloc(size - secret.length - 2 * label.length - 2);
  const block = Buffer.concat([label, filler, Buffer.from([1]), secret]);
  const seed = randomBytes(label.length);
  const masked = xor(block, mgf1(seed, block.length, mask));
  return Buffer.concat([Buffer.from([0]), xor(seed, mgf1(masked, seed.length, mask)), masked]);
}

/** Removes the padding (RFC 8017 §7.1.2). Every check is made before an error is thrown, so that an attacker cannot learn which one failed. */
export function unpad(message: Buffer, digest: OaepHash, mask: OaepHash): Buffer {
  const label = hash(digest, "", "buffer");
  const size = label.length;
  const masked = message.subarray(1 + size);
  const seed = xor(message.subarray(1, 1 + size), mgf1(masked, size, mask));
  const block = xor(masked, mgf1(seed, masked.length, mask));
  let wrong = message[0]! | (timingSafeEqual(block.subarray(0, size), label) ? 0 : 1);
  let start = 0;
  for (let i = size; i < block.length; i++) {
    const byte = block[i]!;
    if (start === 0 && byte === 1) start = i + 1;
    else if (start === 0) wrong |= byte;
  }
  if (wrong !== 0 || start === 0) throw new Error("oaep decoding error");
  return block.subarray(start);
}
