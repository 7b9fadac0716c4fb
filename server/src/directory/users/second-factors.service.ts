import { randomInt } from "node:crypto";
import { newId } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/vault.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import {
  findRecoveryCodes,
  insertTotp,
  RECOVERY_CODE,
  replaceRecoveryCodes,
  TOTP,
  type TotpCredential,
  useRecoveryCode,
} from "../credentials/index.ts";
import type { CreatedRecoveryCodes } from "./credentials.schema.ts";
import { takeOwnUser } from "./own.service.ts";
import { dropRequiredAction } from "./required-actions.store.ts";
import { touchUser } from "./store.ts";

/** Adds an authenticator app whose first code was right. The caller has locked the user's row for writing. */
export async function addTotp(ctx: Ctx, userId: string, totp: TotpCredential): Promise<void> {
  await insertTotp(ctx.tx, ctx.realm, userId, totp, ctx.now);
  await dropRequiredAction(ctx.tx, ctx.realm, userId, "CONFIGURE_TOTP");
  await touchUser(ctx.tx, ctx.realm, userId);
  ctx.audit({ category: "SECURITY", type: "CREDENTIAL_ADDED", resourceType: "users", resourceId: userId, detail: TOTP });
  await ctx.emit("user.credentials_changed", { userId });
}

const COUNT = 10;
const LENGTH = 10;
/** Crockford's base32: 5 bits a character, and no two that look alike. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Reads a typed recovery code: in any letter case, with or without the dash, and with the letters that look like digits. */
const readRecoveryCode = (typed: string): string =>
  typed
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, "")
    .replaceAll("O", "0")
    .replace(/[IL]/g, "1");

/** Hashes a code with the id of its set, so that one table of hashes does not fit all sets. */
const hashOf = (setId: string, code: string): string => sha256(`${setId} ${readRecoveryCode(code)}`);

const newCode = () => {
  const code = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
};

/** Adds recovery codes with the first second factor of any kind, because it may be lost. Returns null if the user has some. The row must be locked. */
export async function addFirstRecoveryCodes(ctx: Ctx, userId: string): Promise<string[] | null> {
  if (await findRecoveryCodes(ctx.tx, ctx.realm, userId)) return null;
  return (await addRecoveryCodes(ctx, userId)).codes;
}

/** Replaces the recovery codes. The user sees the new ones once. The caller has locked the user's row for writing. */
async function addRecoveryCodes(ctx: Ctx, userId: string): Promise<CreatedRecoveryCodes> {
  const id = newId();
  const codes = Array.from({ length: COUNT }, newCode);
  const hashes = codes.map((code) => hashOf(id, code));
  const ended = await replaceRecoveryCodes(ctx.tx, ctx.realm, userId, { id, hashes }, ctx.now);
  await touchUser(ctx.tx, ctx.realm, userId);
  const about = { resourceType: "users", resourceId: userId, detail: RECOVERY_CODE };
  if (ended) ctx.audit({ category: "SECURITY", type: "CREDENTIAL_REVOKED", ...about });
  ctx.audit({ category: "SECURITY", type: "CREDENTIAL_ADDED", ...about });
  return { id, type: RECOVERY_CODE, label: null, createdAt: ctx.now, lastUsedAt: null, expiresAt: null, remaining: codes.length, codes };
}

export async function createOwnRecoveryCodes(ctx: Ctx): Promise<CreatedRecoveryCodes> {
  const { userId } = await takeOwnUser(ctx);
  return addRecoveryCodes(ctx, userId);
}

/** Returns the hash by which the code can be used up, or null if the code is not one of the user's. */
export async function checkRecoveryCode(db: Db, realm: string, userId: string, typed: string): Promise<string | null> {
  const codes = await findRecoveryCodes(db, realm, userId);
  if (!codes) return null;
  const hash = hashOf(codes.id, typed);
  return codes.hashes.includes(hash) ? hash : null;
}

/** Uses a recovery code up. Returns false if another request was faster. */
export async function acceptRecoveryCode(ctx: Ctx, userId: string, hash: string): Promise<boolean> {
  const left = await useRecoveryCode(ctx.tx, ctx.realm, userId, hash, ctx.now);
  if (left === null) return false;
  ctx.audit({ category: "SECURITY", type: "RECOVERY_CODE_USED", resourceType: "users", resourceId: userId, detail: `${left} left` });
  return true;
}
