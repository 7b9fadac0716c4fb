import { createDecipheriv, type KeyObject } from "node:crypto";
import { decodeBase64 } from "../base64.ts";
import { SamlError } from "../errors.ts";
import { NS } from "../names.ts";
import { MESSAGE_LIMITS, parseXml } from "../xml/parse.ts";
import { attributeOf, childrenNamed, isNamed, onlyChild, optionalChild, requiredAttribute, textOf, type XmlElement } from "../xml/tree.ts";
import { agreementOf, unwrapKey } from "./agreement.ts";
import { type DataEncryptionAlgorithm, dataEncryption, hashNamed, KEY_TRANSPORT, KEY_WRAP, OAEP_DIGEST, OAEP_MASK } from "./algorithms.ts";
import { decryptKey, type OaepHashes } from "./oaep.ts";

export interface Decryption {
  /** Our private keys, RSA or EC, with the present one first. */
  readonly keys: readonly KeyObject[];
  /** Our entityID, because a message may contain the same key once for each of several recipients. */
  readonly recipient?: string;
  /**
   * True if AES-CBC is allowed, because this peer supports nothing else. AES-CBC does not authenticate its content, and error answers reveal the content. It is
   * therefore accepted only if the ciphertext is covered by a signature that was verified before.
   */
  readonly allowCbc?: boolean;
  /** The ciphers that this provider may use. Without it, all that we support are allowed. */
  readonly ciphers?: readonly DataEncryptionAlgorithm[];
}

interface EncryptedKey {
  /** Returns the key of the data, decrypted by one of our keys. Throws if that fails, without saying why. */
  open(key: KeyObject): Promise<Buffer>;
}

const MAX_ENCRYPTED_KEYS = 4;

/** The only error after a key was used, whatever failed: different errors would be an oracle. */
const failed = (cause: unknown) => new SamlError("decryption", "The message cannot be decrypted", { cause });

/** Tells whether the element contains something encrypted (SAML core §2.2.4, §2.3.4). */
export const isEncrypted = (element: XmlElement): boolean =>
  isNamed(element, NS.saml, "EncryptedAssertion") || isNamed(element, NS.saml, "EncryptedID");

/** Returns the content of an EncryptedAssertion or EncryptedID. `local` is the expected name. */
export async function decrypted(
  holder: XmlElement,
  local: "Assertion" | "NameID",
  { keys, recipient, allowCbc = false, ciphers }: Decryption,
  underVerifiedSignature: boolean,
): Promise<XmlElement> {
  const data = onlyChild(holder, NS.xenc, "EncryptedData");
  const algorithm = requiredAttribute(onlyChild(data, NS.xenc, "EncryptionMethod"), "Algorithm");
  const { mode } = dataEncryption(algorithm);
  if (ciphers && !ciphers.some((one) => one === algorithm))
    throw new SamlError("encryption_algorithm", `The encryption algorithm ${algorithm} is not allowed for this provider`);
  if (mode === "cbc") cbcIsUnderASignature(allowCbc, underVerifiedSignature);
  const type = attributeOf(data, "Type");
  if (type !== null && type !== `${NS.xenc}Element`) throw new SamlError("message", "EncryptedData does not hold an element");
  const ciphertext = cipherValueOf(data);
  const encryptedKeys = encryptedKeysFor(holder, data, recipient);
  if (keys.length === 0) throw new SamlError("decryption", "No key is configured that could decrypt the message");

  let cause: unknown = "there is no key for us";
  for (const encryptedKey of encryptedKeys) {
    for (const key of keys) {
      try {
        const plain = decryptData(ciphertext, await encryptedKey.open(key), algorithm);
        const element = parseXml(plain, MESSAGE_LIMITS);
        if (!isNamed(element, NS.saml, local)) throw new SamlError("message", `What was encrypted is no ${local}`);
        return element;
      } catch (error) {
        cause = error;
      }
    }
  }
  throw failed(cause);
}

function cbcIsUnderASignature(allowCbc: boolean, underVerifiedSignature: boolean): void {
  if (!allowCbc) throw new SamlError("encryption_algorithm", "AES-CBC is not allowed for this provider");
  if (!underVerifiedSignature) throw new SamlError("encryption_algorithm", "AES-CBC is accepted only under a signature");
}

/** Returns the ciphertext (XML Encryption §3.3). A CipherReference, which would make us fetch something, is refused. */
function cipherValueOf(encrypted: XmlElement): Buffer {
  const value = onlyChild(onlyChild(encrypted, NS.xenc, "CipherData"), NS.xenc, "CipherValue");
  return decodeBase64(textOf(value), "message", "CipherValue");
}

/** Returns the encrypted keys: XML Encryption §3.5.1 has them inside of the data, SAML core §2.2.4 beside it, once for each recipient. */
function encryptedKeysFor(holder: XmlElement, data: XmlElement, recipient: string | undefined): EncryptedKey[] {
  const info = optionalChild(data, NS.ds, "KeyInfo");
  const all = [...(info ? childrenNamed(info, NS.xenc, "EncryptedKey") : []), ...childrenNamed(holder, NS.xenc, "EncryptedKey")];
  const isForUs = (key: XmlElement): boolean => {
    const named = attributeOf(key, "Recipient");
    return named === null || recipient === undefined || named === recipient;
  };
  const ours = all.filter(isForUs);
  if (ours.length > MAX_ENCRYPTED_KEYS) throw new SamlError("message", "There are too many encrypted keys");
  return ours.map(readEncryptedKey);
}

/** Reads a key that is encrypted with our key (RSA-OAEP), or with a key that is agreed on (ECDH-ES). */
function readEncryptedKey(element: XmlElement): EncryptedKey {
  const method = onlyChild(element, NS.xenc, "EncryptionMethod");
  const algorithm = requiredAttribute(method, "Algorithm");
  const encrypted = cipherValueOf(element);
  const wrap = Object.values(KEY_WRAP).find((one) => one === algorithm);
  if (wrap !== undefined) {
    const agreement = agreementOf(element, wrap);
    return { open: async (key) => unwrapKey(encrypted, key, agreement) };
  }
  const hashes = oaepHashesOf(method);
  return { open: (key) => decryptKey(encrypted, key, hashes) };
}

/** XML Encryption 1.1 §5.5.2. */
function oaepHashesOf(method: XmlElement): OaepHashes {
  const algorithm = requiredAttribute(method, "Algorithm");
  if (algorithm !== KEY_TRANSPORT.mgf1p && algorithm !== KEY_TRANSPORT.oaep)
    throw new SamlError("encryption_algorithm", `The key transport ${algorithm} is not allowed`);
  if (optionalChild(method, NS.xenc, "OAEPparams")) throw new SamlError("encryption_algorithm", "OAEPparams are not supported");
  const named = (namespace: string, local: string): string | null => {
    const parameter = optionalChild(method, namespace, local);
    return parameter && requiredAttribute(parameter, "Algorithm");
  };
  const digest = hashNamed(OAEP_DIGEST, named(NS.ds, "DigestMethod"));
  const mask = algorithm === KEY_TRANSPORT.oaep ? hashNamed(OAEP_MASK, named(NS.xenc11, "MGF")) : "sha1";
  return { digest, mask };
}

/** XML Encryption 1.1 §5.2. */
function decryptData(ciphertext: Buffer, secret: Buffer, algorithm: string): Buffer {
  const { cipher, keyBytes, mode } = dataEncryption(algorithm);
  if (secret.length !== keyBytes) throw new Error("The key does not fit the algorithm");
  if (mode === "gcm") {
    // §5.2.4: an IV of 96 bits and a tag of 128. A shorter tag would be easier to guess.
    if (ciphertext.length < 28) throw new Error("The ciphertext is too short");
    const gcm = createDecipheriv(cipher as "aes-256-gcm", secret, ciphertext.subarray(0, 12), { authTagLength: 16 });
    gcm.setAuthTag(ciphertext.subarray(-16));
    return Buffer.concat([gcm.update(ciphertext.subarray(12, -16)), gcm.final()]);
  }
  if (ciphertext.length < 32 || ciphertext.length % 16 !== 0) throw new Error("The ciphertext is no whole number of blocks");
  const cbc = createDecipheriv(cipher, secret, ciphertext.subarray(0, 16)).setAutoPadding(false);
  const padded = Buffer.concat([cbc.update(ciphertext.subarray(16)), cbc.final()]);
  // §5.2.1: only the last byte of the padding counts; the others may be anything.
  const padding = padded.at(-1)!;
  if (padding < 1 || padding > 16) throw new Error("The padding is not valid");
  return padded.subarray(0, -padding);
}
