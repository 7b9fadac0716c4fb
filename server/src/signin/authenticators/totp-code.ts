import { createHmac, randomBytes } from "node:crypto";
import { base32 } from "../../kernel/base32.ts";
import { SECOND } from "../../kernel/clock.ts";
import { safeEqual } from "../../kernel/vault.ts";

type TotpAlgorithm = "SHA1" | "SHA256" | "SHA512";

/** The parameters of an authenticator app besides the secret. They are fixed when it is set up. */
export interface TotpForm {
  readonly algorithm: TotpAlgorithm;
  readonly digits: number;
  /** In seconds. */
  readonly period: number;
}

/** RFC 4226 §4: the secret is at least as long as the output of the hash. */
const SECRET_BYTES: Record<TotpAlgorithm, number> = { SHA1: 20, SHA256: 32, SHA512: 64 };

export const newTotpSecret = ({ algorithm }: TotpForm): Buffer => randomBytes(SECRET_BYTES[algorithm]);

/** Returns the number of the time step (T in RFC 6238 §4.2). */
export const totpStep = (now: number, { period }: TotpForm): number => Math.floor(now / (period * SECOND));

/** Returns the code of a time step (RFC 4226 §5.3, with the hash functions of RFC 6238 §1.2). */
export function totpCode(secret: Buffer, step: number, { algorithm, digits }: TotpForm): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac(algorithm, secret).update(counter).digest();
  const offset = digest.at(-1)! & 0xf;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/** Finds the time step of a code: one of those around now, later than the last that was used (RFC 6238 §5.2). Null if there is none. */
export function matchingStep(
  secret: Buffer,
  code: string,
  form: TotpForm,
  at: { now: number; drift: number; after: number },
): number | null {
  const present = totpStep(at.now, form);
  let found: number | null = null;
  // All steps are always tried, so that the time reveals nothing.
  for (let step = present - at.drift; step <= present + at.drift; step++)
    if (safeEqual(totpCode(secret, Math.max(step, 0), form), code) && step > at.after) found ??= step;
  return found;
}

/** Returns the content of the QR code: the key URI of authenticator apps. A colon would end the issuer. */
export function totpUri(secret: Buffer, form: TotpForm, { issuer, account }: { issuer: string; account: string }): string {
  const label = [issuer.replaceAll(":", " "), account].map(encodeURIComponent).join(":");
  const parameters = { secret: base32(secret), issuer: issuer.replaceAll(":", " "), ...form };
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `otpauth://totp/${label}?${query.join("&")}`;
}
