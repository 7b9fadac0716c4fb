import type { Clients } from "../../applications/clients/index.ts";
import { holdUserForSignIn } from "../../directory/users/index.ts";
import { clock, SECOND } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/vault.ts";
import type { Ctx } from "../../platform/context.ts";
import { authenticators, type Question, type SignInParts } from "../../signin/authenticators/index.ts";
import { deviceNamedIn, findDevice, markDeviceUsed, readProof } from "../../signin/enrolled-devices/index.ts";
import { askedSecondFactors, type Flows } from "../../signin/flows/index.ts";
import { continueDirectly, openConfirmation, positionOf, type Standings } from "../../signin/run/index.ts";
import { factorOf, findSessionBehind, insufficientAuthentication } from "../../signin/sessions/index.ts";
import { issuerOf } from "../tokens/index.ts";
import { maySee, type TransactionCaller } from "./caller.ts";
import { transactionErrors } from "./errors.ts";
import { type EvidenceParts, signEvidence } from "./evidence.ts";
import type { CreateTransaction, SignTransaction, Transaction } from "./schema.ts";
import { countPending, findTransaction, insertTransaction, moveTransaction, raiseWrong } from "./store.ts";

export interface TransactionParts extends SignInParts, EvidenceParts {
  readonly baseUrl: string;
  readonly clients: Clients;
  readonly flows: Flows;
  /** Judges whether a session is sufficient for a request. */
  readonly standings: Standings;
}

const MAX_PENDING = 50;
const MAX_WRONG = 5;

const originOf = ({ realm, actor, sourceIp, requestId }: TransactionCaller) => ({ realm: realm.realmId, actor, sourceIp, requestId });

export async function createTransaction(
  parts: TransactionParts,
  caller: TransactionCaller,
  input: CreateTransaction,
): Promise<Transaction> {
  const { user, client } = caller;
  const userId = input.userId ?? user?.userId;
  if (userId === undefined) throw transactionErrors.field("userId", "required", "an application says who has to sign");
  if (user && user.userId !== userId) throw transactionErrors.field("userId", "other_user", "with a user's token it is that user");
  const payloadHash = hashOf(input);
  return parts.work.transact(originOf(caller), async (ctx) => {
    // Held to write: of two at once, the second counts the first.
    if (!(await holdUserForSignIn(ctx.tx, ctx.realm, userId, { toWrite: true })))
      throw transactionErrors.field("userId", "unknown_user", "there is no such user who may sign in");
    if ((await countPending(ctx.tx, ctx.realm, userId, ctx.now)) >= MAX_PENDING) throw transactionErrors.too_many();
    const made = {
      ...{ id: newId(), userId, clientId: client!.clientId, type: input.type, summary: input.summary, payloadHash },
      ...{ acr: input.acr ?? "1", createdAt: ctx.now, expiresAt: ctx.now + (input.expiresIn ?? 300) * SECOND },
    } as const;
    await insertTransaction(ctx.tx, ctx.realm, made);
    return { ...made, status: "PENDING", signedAt: null, consumedAt: null, jws: null };
  });
}

/** Reads a transaction. One that the caller may not see is a 404. */
export async function readTransaction({ db }: Pick<TransactionParts, "db">, caller: TransactionCaller, id: string): Promise<Transaction> {
  const transaction = await findTransaction(db, caller.realm.realmId, id, clock.now());
  if (!transaction || !maySee(caller, transaction)) throw transactionErrors.not_found();
  return transaction;
}

/** Returns the user who signs, and refuses an impersonator or actor. */
function signerOf({ user, actor }: TransactionCaller): NonNullable<TransactionCaller["user"]> {
  if (!user) throw transactionErrors.only_users();
  if (actor.impersonator !== null) throw transactionErrors.impersonated();
  return user;
}

/** Returns the level: the fresh factor is possession, so with knowledge in the session it is 2. */
const levelWith = (amr: readonly string[]): "1" | "2" => (["knowledge", "both"].includes(factorOf(amr) ?? "") ? "2" : "1");

/** Signs a transaction with a fresh factor of the user. Factor, signature and event are committed together. */
export async function signTransaction(
  parts: TransactionParts,
  caller: TransactionCaller,
  id: string,
  input: SignTransaction,
): Promise<Transaction> {
  const transaction = await readTransaction(parts, caller, id);
  const user = signerOf(caller);
  if (transaction.status !== "PENDING") throw transactionErrors.not_pending();
  if (Number(levelWith(user.amr)) < Number(transaction.acr)) throw transactionErrors.acr();
  await assertStands(parts, caller, transaction, input.factor);
  const { realm, sourceIp, requestId, actor } = caller;
  const factor = { name: input.factor, question: confirmBy(input.factor, transaction) };
  const run = await openConfirmation(parts, { realm, user, actor, sourceIp, requestId, factor });
  let jws = "";
  let isDeclined = false;
  const outcome = await continueDirectly(
    parts,
    await positionOf(parts, run),
    { code: input.value },
    {
      async prepare({ acr, amr }) {
        jws = await signEvidence(parts, realm, transaction, { acr, amr, at: clock.now() });
      },
      async complete(ctx) {
        const moved = await moveTransaction(ctx.tx, ctx.realm, id, "PENDING", { status: "SIGNED", jws }, ctx.now);
        if (!moved) throw transactionErrors.not_pending();
        ctx.audit({ category: "SECURITY", type: "TX_SIGNED", resourceType: "tx", resourceId: id, detail: transaction.type });
        return moved;
      },
      async failed(ctx) {
        isDeclined = (await raiseWrong(ctx.tx, ctx.realm, id)) >= MAX_WRONG;
        if (isDeclined) await decline(ctx, id, transaction.type, "too many wrong attempts");
      },
    },
  );
  if (outcome.outcome === "pass") return outcome.value;
  const after = outcome.outcome === "ask" ? outcome.after : undefined;
  if (after?.kind === "wait") throw transactionErrors.wait(after.retryAfterSeconds);
  throw isDeclined ? transactionErrors.declined() : transactionErrors.wrong_factor();
}

/**
 * Checks that the session, with the factor that signs, has proven what the flow of the requesting client requires of this user. Without a
 * session (offline access), only the client that created the transaction can have it signed.
 */
async function assertStands(
  { db, clients, flows, standings, baseUrl }: TransactionParts,
  { realm, session: known, client, sourceIp, userAgent }: TransactionCaller,
  { clientId }: Transaction,
  factor: SignTransaction["factor"],
): Promise<void> {
  const session = known && "user" in known ? known : known && (await findSessionBehind(db, realm.realmId, known.sessionId, clock.now()));
  if (!session) {
    if (client?.clientId !== clientId) throw transactionErrors.no_session();
    return;
  }
  const signs = { flow: "", authenticator: factor, factor: "possession", amr: [], at: clock.now() } as const;
  const asked = { clientId, flow: (await clients.get(realm.realmId, clientId))?.settings.browserFlow ?? undefined };
  const standing = await standings(realm, { ...session, proofs: [...session.proofs, signs] }, { sourceIp, userAgent }, asked);
  if (standing === "proof") throw insufficientAuthentication(session, await askedSecondFactors(flows, realm.realmId), baseUrl);
}

async function decline(ctx: Ctx, id: string, type: string, why: string): Promise<Transaction | null> {
  const declined = await moveTransaction(ctx.tx, ctx.realm, id, "PENDING", { status: "DECLINED" }, ctx.now);
  if (declined)
    ctx.audit({
      ...{ category: "SECURITY", type: "TX_SIGNED", outcome: "FAILURE", resourceType: "tx", resourceId: id },
      detail: `${type}: ${why}`,
    });
  return declined;
}

export async function declineTransaction(parts: TransactionParts, caller: TransactionCaller, id: string): Promise<Transaction> {
  const { type } = await readTransaction(parts, caller, id);
  signerOf(caller);
  const declined = await parts.work.transact(originOf(caller), (ctx) => decline(ctx, id, type, "declined"));
  if (!declined) throw transactionErrors.not_pending();
  return declined;
}

/**
 * Returns the transaction once, to the client that created it. The user's token, which others may have as well, is enough only if the
 * client cannot get one of its own.
 */
export async function consumeTransaction(parts: TransactionParts, caller: TransactionCaller, id: string): Promise<Transaction> {
  const { clientId, type } = await readTransaction(parts, caller, id);
  if (caller.client?.clientId !== clientId) throw transactionErrors.only_creator();
  if (caller.user && caller.client.grantTypes.includes("client_credentials")) throw transactionErrors.own_token();
  return parts.work.transact(originOf(caller), async (ctx) => {
    const consumed = await moveTransaction(ctx.tx, ctx.realm, id, "SIGNED", { status: "CONSUMED" }, ctx.now);
    if (!consumed) throw transactionErrors.not_signed();
    ctx.audit({ category: "SECURITY", type: "TX_CONSUMED", resourceType: "tx", resourceId: id, detail: type });
    return consumed;
  });
}

/** Returns the question by which a user confirms a transaction in the sign-in run. Its form has one field, `code`. */
const confirmBy = (factor: SignTransaction["factor"], transaction: Transaction): Question =>
  factor === "push" ? byDevice(transaction) : (authenticators[factor] as Question);

/** Makes the question for a device, whose proof is bound to the transaction and its payload hash. */
const byDevice = ({ id, payloadHash }: Transaction): Question => ({
  ...(authenticators.push as Question),
  counted: "push",
  fields: ["code"],
  answer: async ({ parts, realm: { realmId }, user }, { code: jws = "" }) => {
    const wrong = { outcome: "wrong", text: "codeWrongText" } as const;
    const device = await findDevice(parts.db, realmId, deviceNamedIn(jws) ?? "");
    if (!user || device?.userId !== user.userId) return wrong;
    const audience = `${issuerOf(parts.baseUrl, realmId)}/tx/${id}/sign`;
    const signed = await readProof(device.key, jws, { typ: "gatehouse-tx+jwt", audience });
    if (signed?.txn !== id || signed.payload_hash !== payloadHash) return wrong;
    return {
      outcome: "passed",
      proof: {
        ...{ userId: user.userId, factor: "possession", amr: ["swk"] },
        accept: (ctx) => markDeviceUsed(ctx.tx, ctx.realm, device, ctx.now),
      },
    };
  },
});

const MAX_BYTES = 16 * 1024;

/** RFC 8785 (JCS): serialises a value with members sorted by UTF-16 code units, no spaces, and numbers and texts as in ECMAScript. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
}

/** Returns the hash to sign. If payload and hash are both sent, they must match. */
export function hashOf({ payload, payloadHash }: Pick<CreateTransaction, "payload" | "payloadHash">): string {
  if (payload === undefined) {
    if (payloadHash === undefined) throw transactionErrors.field("payload", "required", "send payload, or payloadHash");
    return payloadHash;
  }
  if (typeof payload !== "string" && (typeof payload !== "object" || payload === null || Array.isArray(payload)))
    throw transactionErrors.field("payload", "type", "a text or an object");
  const text = typeof payload === "string" ? payload : canonicalJson(payload);
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw transactionErrors.field("payload", "too_long", "at most 16 KiB; send payloadHash instead of a larger one");
  const made = sha256(text);
  if (payloadHash !== undefined && payloadHash !== made)
    throw transactionErrors.field("payloadHash", "mismatch", "it is not the hash of payload");
  return made;
}
