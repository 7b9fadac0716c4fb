import { randomBytes } from "node:crypto";

// A self-signed certificate (RFC 5280) in DER (X.690 §10), as SAML metadata and JWKS publish it. Node reads certificates, but makes none.

/** Encodes an element. Unlike BER, DER wants the shortest length. */
function der(tag: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "utf8") : part)));
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const octets = Buffer.from(length.toString(16).padStart(length < 0x100 ? 2 : 4, "0"), "hex");
  return Buffer.concat([Buffer.from([tag, 0x80 | octets.length]), octets, content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"));

const SHA256_WITH_RSA = sequence(oid("2a864886f70d01010b"), der(0x05));
const COMMON_NAME = oid("550403");
const ORGANIZATION = oid("55040a");
/** RFC 5280 §4.1.2.1: version 3, which is what others expect, although there are no extensions. */
const VERSION = der(0xa0, der(0x02, Buffer.from([2])));

/** The names of realms have only letters that a PrintableString may have. */
const attribute = (type: Buffer, value: string): Buffer => der(0x31, sequence(type, der(0x13, value)));

/** RFC 5280 §4.1.2.5: the year has two digits until 2049. */
function time(at: number): Buffer {
  const digits = new Date(at).toISOString().replace(/\.\d+|[-:T]/g, "");
  return digits < "2050" ? der(0x17, digits.slice(2)) : der(0x18, digits);
}

export interface Certified {
  readonly commonName: string;
  readonly notBefore: number;
  readonly notAfter: number;
  /** The public key, as SubjectPublicKeyInfo. */
  readonly spki: Buffer;
}

/** Makes a certificate. `sign` signs with RSASSA-PKCS1-v1_5 and SHA-256. */
export async function selfSigned(
  { commonName, notBefore, notAfter, spki }: Certified,
  sign: (data: Buffer) => Promise<ArrayBuffer>,
  serialNumber: Buffer = randomBytes(16),
): Promise<Buffer> {
  // RFC 5280 §4.1.2.2: the number must be positive. It has no leading zero either, which DER drops.
  serialNumber[0] = (serialNumber[0]! & 0x7f) | 0x40;
  const name = sequence(attribute(COMMON_NAME, commonName), attribute(ORGANIZATION, "Gatehouse"));
  const validity = sequence(time(notBefore), time(notAfter));
  const signed = sequence(VERSION, der(0x02, serialNumber), SHA256_WITH_RSA, name, validity, name, spki);
  const signature = Buffer.from(await sign(signed));
  return sequence(signed, SHA256_WITH_RSA, der(0x03, Buffer.from([0]), signature));
}
