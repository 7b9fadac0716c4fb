import { createCipheriv, type KeyObject, randomBytes } from "node:crypto";
import { NS } from "../names.ts";
import { element, type Fragment, render } from "../xml/write.ts";
import {
  DATA_ENCRYPTION,
  type DataEncryptionAlgorithm,
  dataEncryption,
  KEY_TRANSPORT,
  OAEP_DIGEST,
  OAEP_MASK,
  type OaepHash,
} from "./algorithms.ts";
import { encryptKey } from "./oaep.ts";

/** The recipient of something encrypted, and the algorithms for it. */
export interface Recipient {
  /** The recipient's RSA key. */
  readonly key: KeyObject;
  /** The recipient's entityID, if several share a message. */
  readonly entityId?: string;
  /** AES-256-GCM unless given. CBC is only for peers that support nothing else. */
  readonly algorithm?: DataEncryptionAlgorithm;
  /** `mgf1p` with SHA-1, which every peer supports, or `oaep` 1.1 with these hashes if the peer's metadata lists it. */
  readonly keyTransport?: { readonly algorithm: keyof typeof KEY_TRANSPORT; readonly digest: OaepHash; readonly mask?: OaepHash };
}

const MOST_COMPATIBLE = { algorithm: "mgf1p", digest: "sha1" } as const;

/** SAML core §2.3.4. */
export const encryptedAssertion = (assertion: Fragment, recipient: Recipient): Fragment =>
  element("saml:EncryptedAssertion", {}, encryptedData(render(assertion), recipient));

/** SAML core §2.2.4. */
export const encryptedId = (nameId: Fragment, recipient: Recipient): Fragment =>
  element("saml:EncryptedID", {}, encryptedData(render(nameId), recipient));

/** XML Encryption §3.1, with the key inside (§3.5.1). */
function encryptedData(
  xml: string,
  { key, entityId, algorithm = DATA_ENCRYPTION.aes256gcm, keyTransport = MOST_COMPATIBLE }: Recipient,
): Fragment {
  const { keyBytes } = dataEncryption(algorithm);
  const secret = randomBytes(keyBytes);
  const mask = keyTransport.algorithm === "oaep" ? (keyTransport.mask ?? keyTransport.digest) : "sha1";
  const wrapped = encryptKey(secret, key, { digest: keyTransport.digest, mask });
  return element(
    "xenc:EncryptedData",
    { Type: `${NS.xenc}Element` },
    element("xenc:EncryptionMethod", { Algorithm: algorithm }),
    element(
      "ds:KeyInfo",
      {},
      element(
        "xenc:EncryptedKey",
        { Recipient: entityId },
        element(
          "xenc:EncryptionMethod",
          { Algorithm: KEY_TRANSPORT[keyTransport.algorithm] },
          element("ds:DigestMethod", { Algorithm: OAEP_DIGEST[keyTransport.digest] }),
          keyTransport.algorithm === "oaep" && element("xenc11:MGF", { Algorithm: OAEP_MASK[mask] }),
        ),
        cipherData(wrapped),
      ),
    ),
    cipherData(encrypt(xml, secret, algorithm)),
  );
}

const cipherData = (bytes: Buffer): Fragment => element("xenc:CipherData", {}, element("xenc:CipherValue", {}, bytes.toString("base64")));

/** XML Encryption 1.1 §5.2: the IV first, and for GCM the tag last. */
function encrypt(xml: string, secret: Buffer, algorithm: DataEncryptionAlgorithm): Buffer {
  const { cipher, mode } = dataEncryption(algorithm);
  const iv = randomBytes(mode === "gcm" ? 12 : 16);
  if (mode === "gcm") {
    const gcm = createCipheriv(cipher as "aes-256-gcm", secret, iv);
    return Buffer.concat([iv, gcm.update(xml, "utf8"), gcm.final(), gcm.getAuthTag()]);
  }
  const cbc = createCipheriv(cipher, secret, iv);
  // PKCS#7 is one of the paddings that §5.2 allows.
  return Buffer.concat([iv, cbc.update(xml, "utf8"), cbc.final()]);
}
