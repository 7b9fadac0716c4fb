import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { transferErrors } from "./errors.ts";

const derive = promisify(scrypt) as (
  passphrase: string,
  salt: Buffer,
  length: number,
  cost: { N: number; r: number; p: number; maxmem: number },
) => Promise<Buffer>;

/** Fixed for this version of the format: a document cannot demand more work. */
const COST = { N: 1 << 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const [NONCE, TAG] = [12, 16];
const PROOF = "gatehouse";

export interface SealingHeader {
  /** Encoded in base64url. */
  readonly salt: string;
  /** Only the right passphrase opens it, so that a wrong one is noticed first. */
  readonly proof: string;
}

export interface Sealing {
  readonly header: SealingHeader;
  seal(plain: string, place: string): string;
  /** Returns null if the text was changed, or taken from another place of the document. */
  open(sealed: string, place: string): string | null;
}

const sealingOf = (key: Buffer, salt: Buffer): Omit<Sealing, "header"> & { readonly salt: string } => ({
  salt: salt.toString("base64url"),
  seal(plain, place) {
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(place));
    const data = Buffer.concat([cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return `v1.${nonce.toString("base64url")}.${data.toString("base64url")}`;
  },
  open(sealed, place) {
    const [version, nonce = "", data = ""] = sealed.split(".");
    const bytes = Buffer.from(data, "base64url");
    if (version !== "v1" || bytes.length < TAG) return null;
    try {
      const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64url")).setAAD(Buffer.from(place));
      decipher.setAuthTag(bytes.subarray(-TAG));
      return Buffer.concat([decipher.update(bytes.subarray(0, -TAG)), decipher.final()]).toString("utf8");
    } catch {
      return null;
    }
  },
});

/** Returns the sealing of a new document. */
export async function newSealing(passphrase: string): Promise<Sealing> {
  const salt = randomBytes(16);
  const sealing = sealingOf(await derive(passphrase.normalize("NFKC"), salt, 32, COST), salt);
  return { ...sealing, header: { salt: sealing.salt, proof: sealing.seal(PROOF, "proof") } };
}

/** Returns the sealing of a received document. A wrong passphrase is refused before anything of the document is read. */
export async function openSealing(passphrase: string, header: SealingHeader): Promise<Sealing> {
  const salt = Buffer.from(header.salt, "base64url");
  const sealing = sealingOf(await derive(passphrase.normalize("NFKC"), salt, 32, COST), salt);
  if (sealing.open(header.proof, "proof") !== PROOF) throw transferErrors.wrong_passphrase();
  return { ...sealing, header };
}
