import "reflect-metadata"; // @peculiar/x509 does not load without it, so it comes first
import { randomBytes, webcrypto, X509Certificate } from "node:crypto";
import { X509CertificateGenerator } from "@peculiar/x509";
import { expect, test } from "vitest";
import { selfSigned } from "./certificate.ts";

const RSA = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", publicExponent: new Uint8Array([1, 0, 1]) };

/** Returns the content of the part that is signed, after two headers of four octets. */
const signedPart = (certificate: Buffer): string => certificate.subarray(8, 8 + certificate.readUInt16BE(6)).toString("hex");

test.each([
  ["the shortest name", "r", "2026-01-02T03:04:05.678Z", "2036-01-02T03:04:05.678Z", 2048],
  ["a name longer than 127 octets", "r".repeat(200), "2049-12-31T23:59:59Z", "2050-01-01T00:00:00Z", 1024],
  ["a key of 4,096 bits", "acme-prod", "2026-06-30T00:00:00Z", "2049-12-31T23:59:59Z", 4096],
])("says what a library's certificate of the same key says, and is signed: %s", async (_case, commonName, from, to, modulusLength) => {
  const keys = await webcrypto.subtle.generateKey({ ...RSA, modulusLength }, true, ["sign", "verify"]);
  const spki = Buffer.from(await webcrypto.subtle.exportKey("spki", keys.publicKey));
  const serialNumber = randomBytes(16);
  const [notBefore, notAfter] = [Date.parse(from), Date.parse(to)];
  const sign = (data: Buffer) => webcrypto.subtle.sign(RSA.name, keys.privateKey, data);
  const made = await selfSigned({ commonName, notBefore, notAfter, spki }, sign, serialNumber);
  const expected = await X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: serialNumber.toString("hex"),
      name: [{ CN: [commonName] }, { O: ["Gatehouse"] }],
      ...{ notBefore: new Date(notBefore), notAfter: new Date(notAfter), signingAlgorithm: RSA, keys: keys as CryptoKeyPair },
    },
    webcrypto as unknown as Crypto,
  );
  // The library adds an empty list of extensions, which RFC 5280 §4.1 does not allow.
  expect(`${signedPart(made)}a3023000`).toBe(signedPart(Buffer.from(expected.rawData)));
  const { publicKey, validTo } = new X509Certificate(made);
  expect(new X509Certificate(made).verify(publicKey)).toBe(true);
  expect(Date.parse(validTo)).toBe(Math.floor(notAfter / 1000) * 1000);
});
