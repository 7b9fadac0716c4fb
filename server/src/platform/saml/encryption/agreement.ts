import { createDecipheriv, createPublicKey, diffieHellman, hash, type KeyObject } from "node:crypto";
import { decodeBase64 } from "../base64.ts";
import { SamlError } from "../errors.ts";
import { NS } from "../names.ts";
import { attributeOf, onlyChild, requiredAttribute, textOf, type XmlElement } from "../xml/tree.ts";
import { KEY_AGREEMENT, KEY_DERIVATION, KEY_WRAP, OAEP_DIGEST } from "./algorithms.ts";

/** A key agreement (XML Encryption 1.1 §5.6.4): both sides derive a key, which wraps the key of the data. */
export interface Agreement {
  readonly curve: Curve;
  /** The sender's ephemeral public key as an uncompressed point. */
  readonly point: Buffer;
  readonly digest: "sha256" | "sha384" | "sha512";
  readonly otherInfo: Buffer;
  readonly wrap: (typeof KEY_WRAP)[keyof typeof KEY_WRAP];
}

type Curve = "P-256" | "P-384" | "P-521";

/** RFC 5480 §2.1.1.1 */
const CURVES = new Map<string, Curve>([
  ["urn:oid:1.2.840.10045.3.1.7", "P-256"],
  ["urn:oid:1.3.132.0.34", "P-384"],
  ["urn:oid:1.3.132.0.35", "P-521"],
]);
const COORDINATE = { "P-256": 32, "P-384": 48, "P-521": 66 } as const;
const DIGESTS = ["sha256", "sha384", "sha512"] as const;
const OTHER_INFO = ["AlgorithmID", "PartyUInfo", "PartyVInfo", "SuppPubInfo", "SuppPrivInfo"] as const;

const notAllowed = (what: string) => new SamlError("encryption_algorithm", `${what} is not allowed`);

function only(element: XmlElement, allowed: string): void {
  const algorithm = requiredAttribute(element, "Algorithm");
  if (algorithm !== allowed) throw notAllowed(`The key agreement ${algorithm}`);
}

/** Reads the agreement by which an EncryptedKey was wrapped. */
export function agreementOf(encryptedKey: XmlElement, wrap: Agreement["wrap"]): Agreement {
  const method = onlyChild(onlyChild(encryptedKey, NS.ds, "KeyInfo"), NS.xenc, "AgreementMethod");
  only(method, KEY_AGREEMENT);
  const derivation = onlyChild(method, NS.xenc11, "KeyDerivationMethod");
  only(derivation, KEY_DERIVATION);
  const parameters = onlyChild(derivation, NS.xenc11, "ConcatKDFParams");
  const named = requiredAttribute(onlyChild(parameters, NS.ds, "DigestMethod"), "Algorithm");
  const digest = DIGESTS.find((one) => OAEP_DIGEST[one] === named);
  if (!digest) throw notAllowed(`The key derivation by ${named}`);
  const value = onlyChild(onlyChild(onlyChild(method, NS.xenc, "OriginatorKeyInfo"), NS.ds, "KeyValue"), NS.dsig11, "ECKeyValue");
  const uri = requiredAttribute(onlyChild(value, NS.dsig11, "NamedCurve"), "URI");
  const curve = CURVES.get(uri);
  if (!curve) throw notAllowed(`The curve ${uri}`);
  return {
    ...{ wrap, curve, digest },
    point: decodeBase64(textOf(onlyChild(value, NS.dsig11, "PublicKey")), "message", "PublicKey"),
    otherInfo: Buffer.concat(OTHER_INFO.map((name) => bitsOf(attributeOf(parameters, name) ?? ""))),
  };
}

/** Reads hexadecimal bits (XML Encryption 1.1 §5.4.1): the first octet says how many bits pad the last one. Only whole octets are in use. */
function bitsOf(text: string): Buffer {
  if (text === "") return Buffer.alloc(0);
  if (!/^00(?:[0-9a-f]{2}){0,512}$/i.test(text)) throw new SamlError("message", "ConcatKDFParams are not whole octets in hexadecimal");
  return Buffer.from(text.slice(2), "hex");
}

/** Unwraps the key of the data. Throws if that fails, without saying why. */
export function unwrapKey(wrapped: Buffer, key: KeyObject, { curve, point, digest, otherInfo, wrap }: Agreement): Buffer {
  const shared = diffieHellman({ privateKey: key, publicKey: publicKeyOf(curve, point) });
  const { cipher, keyBytes } = WRAPS[wrap];
  const opened = createDecipheriv(cipher, concatKdf(shared, keyBytes, digest, otherInfo), Buffer.alloc(8, 0xa6));
  return Buffer.concat([opened.update(wrapped), opened.final()]);
}

/** RFC 3394 */
const WRAPS = {
  [KEY_WRAP.aes128]: { cipher: "id-aes128-wrap", keyBytes: 16 },
  [KEY_WRAP.aes192]: { cipher: "id-aes192-wrap", keyBytes: 24 },
  [KEY_WRAP.aes256]: { cipher: "id-aes256-wrap", keyBytes: 32 },
} as const;

/** Imports a public key. The import refuses a point that is not on the curve: answers to such points would reveal the private key. */
function publicKeyOf(crv: Curve, point: Buffer): KeyObject {
  const size = COORDINATE[crv];
  if (point.length !== 1 + 2 * size || point[0] !== 4) throw new Error("The public key is no uncompressed point of its curve");
  const coordinate = (from: number) => point.subarray(from, from + size).toString("base64url");
  return createPublicKey({ key: { kty: "EC", crv, x: coordinate(1), y: coordinate(1 + size) }, format: "jwk" });
}

/** NIST SP 800-56A §5.8.1. */
function concatKdf(shared: Buffer, length: number, digest: Agreement["digest"], otherInfo: Buffer): Buffer {
  const blocks: Buffer[] = [];
  for (let made = 0, counter = 1; made < length; counter++) {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const block = hash(digest, Buffer.concat([count, shared, otherInfo]), "buffer");
    blocks.push(block);
    made += block.length;
  }
  return Buffer.concat(blocks).subarray(0, length);
}
