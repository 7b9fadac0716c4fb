import { acceptRecoveryCode, checkRecoveryCode } from "../../directory/users/index.ts";
import { clock } from "../../kernel/clock.ts";
import type { Vault } from "../../kernel/vault.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { checkTotp, typedDigits } from "../../signin/authenticators/index.ts";
import { deviceNamedIn, findDevice, markDeviceUsed, readProof } from "../../signin/devices/index.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import { issuerOf } from "../tokens/index.ts";
import type { SignTransaction, Transaction } from "./schema.ts";

export interface FactorParts {
  readonly db: Db;
  readonly vault: Vault;
  readonly baseUrl: string;
}

/** A factor that was right; `accept` uses it up in the transaction in which it counts. */
export interface FreshFactor {
  readonly amr: readonly string[];
  accept(ctx: Ctx): Promise<boolean>;
}

/** Null: it is wrong. */
export async function checkFactor(
  parts: FactorParts,
  realm: RealmSnapshot,
  userId: string,
  transaction: Transaction,
  { factor, value }: SignTransaction,
): Promise<FreshFactor | null> {
  if (factor === "push") return checkDevice(parts, realm.realmId, userId, transaction, value);
  if (factor === "recovery-code") {
    const hash = await checkRecoveryCode(parts.db, realm.realmId, userId, value);
    return hash === null ? null : { amr: ["recovery"], accept: (ctx) => acceptRecoveryCode(ctx, userId, hash) };
  }
  const proof = await checkTotp({ parts, realm, user: { userId }, now: clock.now() }, typedDigits(value));
  return proof && { amr: proof.amr, accept: async (ctx) => (await proof.accept?.(ctx)) ?? true };
}

/** The device signs this transaction and what it is about: a proof for another one, or for another payload, is none. */
async function checkDevice(
  { db, baseUrl }: FactorParts,
  realm: string,
  userId: string,
  { id, payloadHash }: Transaction,
  jws: string,
): Promise<FreshFactor | null> {
  const device = await findDevice(db, realm, deviceNamedIn(jws) ?? "");
  if (device?.userId !== userId) return null;
  const audience = `${issuerOf(baseUrl, realm)}/tx/${id}/sign`;
  const signed = await readProof(device.key, jws, { typ: "gatehouse-tx+jwt", audience });
  if (signed?.txn !== id || signed.payload_hash !== payloadHash) return null;
  return { amr: ["swk"], accept: (ctx) => markDeviceUsed(ctx.tx, ctx.realm, device, ctx.now) };
}
