import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

/** The place of a ciphertext. It is bound to the ciphertext as additional data, so that a row that was copied elsewhere does not open. */
export interface Place {
  readonly realm: string;
  readonly table: string;
  readonly column: string;
  readonly row: string;
}

interface MasterKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** Encryption at rest under the master key: `v1.<keyId>.<nonce>.<data>`, AES-256-GCM. */
export interface Vault {
  readonly keyId: string;
  seal(plain: string, place: Place): string;
  open(sealed: string, place: Place): string;
  /** Tells whether a ciphertext was made under an older key and should be sealed again. */
  isStale(sealed: string): boolean;
  /** Derives a key for another purpose (CSRF, cursors), which never reveals the master key: from the current one, or from the one with this id. */
  derive(purpose: string, masterKeyId?: string): KeyObject;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export class VaultError extends Error {}

/** Reads a configured master key: 32 bytes in base64, base64url or hex. */
export function parseMasterKey(text: string): MasterKey {
  const trimmed = text.trim();
  const bytes = /^[0-9a-f]{64}$/i.test(trimmed) ? Buffer.from(trimmed, "hex") : Buffer.from(trimmed, "base64");
  if (bytes.length !== 32) throw new VaultError("A master key is 32 random bytes, written in base64 or hex (try: openssl rand -base64 32)");
  return { id: createHash("sha256").update("gatehouse master key").update(bytes).digest("hex").slice(0, 8), bytes };
}

export function createVault(masterKey: string, previous: readonly string[] = []): Vault {
  const current = parseMasterKey(masterKey);
  const keys = new Map([...previous.map(parseMasterKey), current].map((key) => [key.id, key.bytes]));
  // Derived keys are kept, because purposes are few and deriving a key costs more than using it.
  const derived = new Map<string, KeyObject>();
  const aad = (place: Place) => Buffer.from([place.realm, place.table, place.column, place.row].join("\u0000"));

  return {
    keyId: current.id,
    seal(plain, place) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", current.bytes, nonce).setAAD(aad(place));
      const data = Buffer.concat([cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `v1.${current.id}.${nonce.toString("base64url")}.${data.toString("base64url")}`;
    },
    open(sealed, place) {
      const [version, keyId = "", nonce = "", data = ""] = sealed.split(".");
      const key = keys.get(keyId);
      if (version !== "v1") throw new VaultError("Unknown ciphertext version");
      if (!key) throw new VaultError(`No master key with id ${keyId} is configured`);
      const bytes = Buffer.from(data, "base64url");
      const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64url")).setAAD(aad(place));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString("utf8");
    },
    isStale: (sealed) => masterKeyIdOf(sealed) !== current.id,
    derive(purpose, masterKeyId = current.id) {
      const name = `${masterKeyId} ${purpose}`;
      const bytes = keys.get(masterKeyId);
      if (!bytes) throw new VaultError(`No master key with id ${masterKeyId} is configured`);
      const key = derived.get(name) ?? createSecretKey(Buffer.from(hkdfSync("sha256", bytes, "gatehouse", purpose, 32)));
      derived.set(name, key);
      return key;
    },
  };
}

/** Returns the id of the master key under which a ciphertext was made. */
export const masterKeyIdOf = (sealed: string): string => sealed.split(".")[1] ?? "";

/** Returns a new secret of 256 random bits, which is safe in URLs. */
export const randomToken = (): string => randomBytes(32).toString("base64url");

/** Returns the stored form of one of our own tokens. They are random, so a fast hash is enough. */
export const sha256 = (text: string): string => hash("sha256", text, "base64url");

export const hmac = (key: KeyObject, text: string): string => createHmac("sha256", key).update(text).digest("base64url");

export function safeEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
