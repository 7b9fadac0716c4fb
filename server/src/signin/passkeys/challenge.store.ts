import { createHmac, randomBytes } from "node:crypto";
import { MINUTE } from "../../kernel/clock.ts";
import { safeEqual, sha256, type Vault } from "../../kernel/vault.ts";
import { type Db, deleteExpired, findRow, type Tx } from "../../platform/db/index.ts";

interface SpentChallengesTable {
  realm_id: string;
  challenge_hash: string;
  expires_at: number;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    spent_challenges: SpentChallengesTable;
  }
}

/** The scope of a challenge: one ceremony, of one browser or one user, in one realm. */
export interface ChallengeFor {
  readonly realm: string;
  readonly ceremony: "get" | "create";
  /** The browser's pre-session, or the other holder for whom it was made. */
  readonly whose: string;
}

export const CHALLENGE_LIFETIME = 5 * MINUTE;
const TIME_BYTES = 6;
const RANDOM_BYTES = 16;
const MAC_BYTES = 32;

const macOf = (vault: Vault, { realm, ceremony, whose }: ChallengeFor, head: Buffer): Buffer =>
  createHmac("sha256", vault.derive("passkeys.challenge")).update([ceremony, realm, whose, ""].join("\u0000")).update(head).digest();

/** Makes a challenge that contains its time and a MAC of its scope under our key, so that its page needs no row. */
export function makeChallenge(vault: Vault, made: ChallengeFor, now: number): Uint8Array<ArrayBuffer> {
  const head = Buffer.concat([Buffer.alloc(TIME_BYTES), randomBytes(RANDOM_BYTES)]);
  head.writeUIntBE(now, 0, TIME_BYTES);
  return new Uint8Array(Buffer.concat([head, macOf(vault, made, head)]));
}

/** Judges a challenge. `foreign`: it is not ours, or was made for another realm, browser or ceremony. */
export function judgeChallenge(vault: Vault, made: ChallengeFor, challenge: string, now: number): "good" | "expired" | "foreign" {
  const bytes = Buffer.from(challenge, "base64url");
  if (bytes.length !== TIME_BYTES + RANDOM_BYTES + MAC_BYTES || bytes.toString("base64url") !== challenge) return "foreign";
  const head = bytes.subarray(0, -MAC_BYTES);
  if (!safeEqual(bytes.subarray(-MAC_BYTES).toString("base64url"), macOf(vault, made, head).toString("base64url"))) return "foreign";
  return head.readUIntBE(0, TIME_BYTES) + CHALLENGE_LIFETIME > now ? "good" : "expired";
}

/** Uses a challenge up, in the transaction in which the answer counts. Returns false if it was used before. */
export async function spendChallenge(tx: Tx, realm: string, challenge: string, now: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("spent_challenges")
    // After this time the challenge is refused for its age.
    .values({ realm_id: realm, challenge_hash: sha256(challenge), expires_at: now + CHALLENGE_LIFETIME })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function isSpent(db: Db, realm: string, challenge: string): Promise<boolean> {
  const row = await findRow(db, "spent_challenges", ["expires_at"], { realm_id: realm, challenge_hash: sha256(challenge) });
  return row !== null;
}

export const deleteExpiredChallenges = (db: Db, now: number): Promise<void> => deleteExpired(db, "spent_challenges", now);
