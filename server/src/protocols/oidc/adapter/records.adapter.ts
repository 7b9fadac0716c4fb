import { type Adapter, type AdapterPayload, errors, Provider } from "oidc-provider";
import { clock, SECOND } from "../../../kernel/clock.ts";
import { sha256 } from "../../../kernel/vault.ts";
import { awakeFor, keepSessionAwake } from "../../../signin/sessions/index.ts";
import { liveGrantOf } from "../grant.ts";
import { currentDraft } from "../grant-draft.ts";
import { isReadable } from "../tokens/names.ts";
import { writeCode } from "./code.store.ts";
import { addRefreshToken, findWithGrant, replaceByRefreshToken } from "./exchange.store.ts";
import { storedGrant } from "./grants.adapter.ts";
import type { NewGrant } from "./grants.store.ts";
import type { AdapterParts } from "./index.ts";
import { consumeRecord, deleteRecord, findRecord, findRecordBy, type NewRecord, type StoredRecord, writeRecord } from "./records.store.ts";
import { revokeFamily } from "./reuse.ts";
import { isExchange, rememberGrant, takeUsed, useWithSuccessor } from "./under-way.ts";

/** Stands for a record whose id nobody knows any more (found by its user code, or named by an interaction); never taken from a client. */
const MARK = "#";

const markOf = (id: string) => (id.startsWith(MARK) ? id : MARK + sha256(id));

/** What clients bring is hashed. A mark is only ours to use, so at the token endpoint there are none. */
const keyOf = (id: string) => (id.startsWith(MARK) && Provider.ctx?.oidc?.route !== "token" ? id.slice(1) : sha256(id));

/** What hangs on a grant and is exchanged for tokens. */
const exchanged = new Set(["AuthorizationCode", "RefreshToken"]);

/** Constraints that tell that it is too late. */
const endings = new Set<string | undefined>(["oidc_records_grant", "session_participants_session"]);

/** Codes, refresh tokens, device codes, pushed requests and interactions. What was handed out is stored as sha256 only. */
export class RecordsAdapter implements Adapter {
  readonly #parts: AdapterParts;
  readonly #model: string;

  constructor(parts: AdapterParts, model: string) {
    this.#parts = parts;
    this.#model = model;
  }

  #key(id: string) {
    return { realm: this.#parts.realm, model: this.#model, recordId: keyOf(id) };
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    const { db } = this.#parts;
    if (!isReadable(payload)) throw new errors.InvalidRequest("a parameter of the request is nested too deeply");
    const now = clock.now();
    const record: NewRecord = {
      ...this.#key(id),
      payload: withoutSecrets(payload),
      // An interaction outlives the grant it began with: somebody else may sign in.
      grantId: this.#model === "Interaction" ? null : (payload.grantId ?? null),
      clientId: payload.clientId ?? null,
      userCode: payload.userCode === undefined ? null : sha256(payload.userCode),
      expiresAt: now + expiresIn * SECOND,
    };
    const { sessionUid, clientId, grantId } = payload;
    try {
      if (this.#model === "RefreshToken") await this.#writeRefreshToken(record, now);
      else if (sessionUid === undefined || clientId === undefined) await writeRecord(db, record);
      // With its first code a client takes part in the session: it is told when that ends.
      else await writeCode(db, record, draftOf(grantId), { sessionId: sessionUid, clientId, now });
    } catch (error) {
      // The grant or its session ended while the request was under way: whatever was to hang on it is not given.
      if (endings.has((error as { constraint?: string }).constraint)) throw new errors.InvalidGrant("the grant has ended");
      throw error;
    }
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const now = clock.now();
    const found = await this.#found(this.#key(id), now);
    if (!found) return undefined;
    if (this.#model === "RefreshToken" && found.consumedAt !== null) {
      if (this.#isRepeated(found, now)) return payloadOf(found, id, false);
      await revokeFamily(this.#parts, found);
      return undefined;
    }
    return payloadOf(found, id);
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    const { db, realm } = this.#parts;
    const found = await findRecordBy(db, realm, this.#model, "user_code", sha256(userCode), clock.now());
    return found ? { ...payloadOf(found, MARK + found.recordId), userCode } : undefined;
  }

  async findByUid(): Promise<undefined> {
    return undefined; // of sessions only
  }

  /** Atomic: of many who bring the same, one gets it, and for the others it was used already. */
  async consume(id: string): Promise<void> {
    const now = clock.now();
    const key = this.#key(id);
    refuseOtherResources();
    if (this.#model === "RefreshToken" && useWithSuccessor(key.recordId)) return;
    if (await consumeRecord(this.#parts.db, key, now)) return;
    await this.#refuseUnlessRepeated(key, now);
  }

  /** The first of its grant, or the next for the one that is used up with it. */
  async #writeRefreshToken(record: NewRecord, now: number): Promise<void> {
    const { db } = this.#parts;
    const used = takeUsed();
    if (used === null) return addRefreshToken(db, record);
    if (await replaceByRefreshToken(db, { model: this.#model, recordId: used }, record, now)) return this.#used(now);
    await this.#refuseUnlessRepeated({ ...record, recordId: used }, now);
    await addRefreshToken(db, record);
  }

  async #refuseUnlessRepeated(key: Parameters<typeof findRecord>[1], now: number): Promise<void> {
    const found = await findRecord(this.#parts.db, key, now);
    if (found && this.#model === "RefreshToken" && this.#isRepeated(found, now)) return;
    if (found) await revokeFamily(this.#parts, found);
    throw new errors.InvalidGrant("it was used already");
  }

  /** What is brought to be exchanged comes together with its grant, which is asked for next. */
  async #found(key: Parameters<typeof findRecord>[1], now: number): Promise<StoredRecord | null> {
    if (!exchanged.has(this.#model) || !isExchange()) return findRecord(this.#parts.db, key, now);
    const found = await findWithGrant(this.#parts.db, key, now);
    if (found?.grant) rememberGrant(found.grant);
    return found?.record ?? null;
  }

  async destroy(id: string): Promise<void> {
    await deleteRecord(this.#parts.db, this.#key(id));
  }

  async revokeByGrantId(): Promise<void> {
    // What hangs on a grant goes with its row.
  }

  /** Whoever refreshes is still there, whether or not their browser asks us anything. */
  async #used(now: number): Promise<void> {
    const { sessionId, seenAt } = liveGrantOf(Provider.ctx?.oidc?.grant) ?? {};
    const { db, realm, sessionIdleMs } = this.#parts;
    if (sessionId && seenAt != null && seenAt <= now - awakeFor(sessionIdleMs))
      await keepSessionAwake(db, realm, sessionId, sessionIdleMs, now);
  }

  /** The answer to the first use may have been lost: for a moment the same is allowed again. */
  #isRepeated({ consumedAt }: StoredRecord, now: number): boolean {
    return (
      consumedAt !== null && now - consumedAt <= this.#parts.refreshReuseGraceSeconds * SECOND && this.#parts.refreshReuseGraceSeconds > 0
    );
  }
}

/** The grant that something hangs on, where it is stored together with that. */
function draftOf(grantId: string | undefined): NewGrant | null {
  const { grant, draft } = currentDraft() ?? {};
  return grant && draft && grant.jti === grantId ? { ...draft, grantId: grant.jti, payload: storedGrant({ ...grant }) } : null;
}

/** RFC 8707 §2.2. The engine would find out too late: the token would be used up, and the client without its successor. */
function refuseOtherResources(): void {
  const { refreshToken, params } = Provider.ctx?.oidc ?? {};
  const asked = [params?.resource ?? []].flat() as string[];
  if (refreshToken && (asked.length > 1 || asked.some((resource) => !refreshToken.resourceIndicators.has(resource))))
    throw new errors.InvalidTarget();
}

/** As the engine stored it, with what was kept elsewhere. */
function payloadOf(found: StoredRecord, jti: string, tellConsumed = true): AdapterPayload {
  const consumed = tellConsumed && found.consumedAt !== null ? { consumed: Math.floor(found.consumedAt / SECOND) } : {};
  return { ...found.payload, jti, ...consumed };
}

/** Nothing that opens a door is left in the table: not the id, not the session's cookie, not the code that another record stands for. */
function withoutSecrets({
  jti: _jti,
  userCode: _userCode,
  consumed: _consumed,
  session,
  parJti,
  deviceCode,
  ...rest
}: AdapterPayload): AdapterPayload {
  const { cookie: _cookie, ...known } = session ?? {};
  return {
    ...rest,
    ...(session && { session: known }),
    ...(parJti !== undefined && { parJti: markOf(parJti) }),
    ...(deviceCode !== undefined && { deviceCode: markOf(deviceCode) }),
  };
}
