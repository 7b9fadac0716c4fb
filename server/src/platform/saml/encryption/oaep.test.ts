import { constants, createHash, generateKeyPairSync, hash, privateDecrypt, publicEncrypt } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { OaepHash } from "./algorithms.ts";
import { decryptKey, pad, unpad } from "./oaep.ts";

// Vectors by the classes of Wycheproof's rsa_oaep tests: valid messages of every length, and each way in which a padding can be wrong.

const SIZE = 256;
const hashes = ["sha1", "sha256", "sha384", "sha512"] as const;
const pairs = hashes.flatMap((digest) => hashes.map((mask) => ({ digest, mask })));
const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: SIZE * 8 });

const mgf1 = (seed: Buffer, length: number, mask: OaepHash): Buffer => {
  const blocks: Buffer[] = [];
  for (let counter = 0; Buffer.concat(blocks).length < length; counter++)
    blocks.push(
      createHash(mask)
        .update(seed)
        .update(Buffer.from([0, 0, 0, counter]))
        .digest(),
    );
  return Buffer.concat(blocks).subarray(0, length);
};
const xor = (a: Buffer, b: Buffer) => Buffer.from(a.map((byte, i) => byte ^ b[i]!));

/** RFC 8017 §7.1.1 step 2, with any content: `block` is lHash, PS, 0x01 and M as the vector wants them. */
function encoded(block: Buffer, digest: OaepHash, mask: OaepHash, first = 0): Buffer {
  const seed = Buffer.alloc(createHash(digest).digest().length, 0xa5);
  const masked = xor(block, mgf1(seed, block.length, mask));
  return Buffer.concat([Buffer.from([first]), xor(seed, mgf1(masked, seed.length, mask)), masked]);
}

const labelOf = (digest: OaepHash, label = "") => hash(digest, label, "buffer");
const roomOf = (digest: OaepHash) => SIZE - 1 - labelOf(digest).length;

describe.each(pairs)("OAEP with $digest, masked by $mask", ({ digest, mask }) => {
  const most = SIZE - 2 * labelOf(digest).length - 2;
  const valid = (secret: Buffer) => Buffer.concat([labelOf(digest), Buffer.alloc(most - secret.length), Buffer.from([1]), secret]);

  test("reads messages of every length, also empty, full, and those that begin like a padding", () => {
    const secrets = [
      Buffer.alloc(0),
      Buffer.alloc(1),
      Buffer.from([1]),
      Buffer.from([0, 1, 0, 1]),
      Buffer.alloc(32, 7),
      Buffer.alloc(most, 1),
    ];
    for (const secret of secrets) {
      expect(unpad(encoded(valid(secret), digest, mask), digest, mask).equals(secret)).toBe(true);
      expect(unpad(pad(secret, SIZE, digest, mask), digest, mask).equals(secret)).toBe(true);
    }
  });

  test("refuses every wrong padding by the same error", async () => {
    const good = valid(Buffer.alloc(16, 9));
    const changed = (at: number, to: number) => Buffer.from(good).fill(to, at, at + 1);
    const size = labelOf(digest).length;
    const wrong: [what: string, message: Buffer][] = [
      ["first byte of the message 1", encoded(good, digest, mask, 1)],
      ["first byte of the message 255", encoded(good, digest, mask, 255)],
      ["first bit of lHash", encoded(changed(0, good[0]! ^ 0x80), digest, mask)],
      ["last bit of lHash", encoded(changed(size - 1, good[size - 1]! ^ 1), digest, mask)],
      ["lHash of another label", encoded(Buffer.concat([labelOf(digest, "label"), good.subarray(size)]), digest, mask)],
      ["lHash of zeros", encoded(Buffer.concat([Buffer.alloc(size), good.subarray(size)]), digest, mask)],
      ["first byte of PS", encoded(changed(size, 2), digest, mask)],
      ["last byte of PS", encoded(changed(good.length - 18, 0xff), digest, mask)],
      ["2 instead of the separator", encoded(changed(good.length - 17, 2), digest, mask)],
      ["no separator", encoded(Buffer.concat([labelOf(digest), Buffer.alloc(roomOf(digest) - size)]), digest, mask)],
      ["all zeros", Buffer.alloc(SIZE)],
      ["all ones", Buffer.alloc(SIZE, 0xff)],
    ];
    for (const [what, message] of wrong) expect(() => unpad(message, digest, mask), what).toThrow(/^oaep decoding error$/);
  });

  test("refuses every single changed bit", () => {
    const message = encoded(valid(Buffer.alloc(16, 9)), digest, mask);
    for (let at = 0; at < message.length; at += 5) {
      const changed = Buffer.from(message);
      changed[at]! ^= 1 << (at % 8);
      const read = () => unpad(changed, digest, mask);
      // A change within the last bytes of the masked block is one of the message itself, which OAEP alone does not authenticate.
      if (at < SIZE - 16) expect(read, `byte ${at}`).toThrow(/^oaep decoding error$/);
    }
  });

  test("decrypts what a conforming peer encrypts, and refuses ciphertexts of another size", async () => {
    const secret = Buffer.alloc(32, 3);
    const raw = { key: publicKey, padding: constants.RSA_NO_PADDING };
    const encrypted = publicEncrypt(raw, encoded(valid(secret), digest, mask));
    expect((await decryptKey(encrypted, privateKey, { digest, mask })).equals(secret)).toBe(true);
    for (const bad of [Buffer.alloc(0), encrypted.subarray(1), Buffer.concat([Buffer.alloc(1, 1), encrypted]), Buffer.alloc(SIZE, 0xff)])
      await expect(decryptKey(bad, privateKey, { digest, mask })).rejects.toThrow();
  });
});

test("OpenSSL reads what the vectors are made by", () => {
  const block = Buffer.concat([labelOf("sha256"), Buffer.alloc(SIZE - 66 - 5), Buffer.from([1]), Buffer.from("hello")]);
  const encrypted = publicEncrypt({ key: publicKey, padding: constants.RSA_NO_PADDING }, encoded(block, "sha256", "sha256"));
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" };
  expect(privateDecrypt({ key: privateKey, ...padding }, encrypted).toString()).toBe("hello");
});
