import type { Adapter, AdapterPayload } from "oidc-provider";
import { clock, SECOND } from "../../../../kernel/clock.ts";
import { oauthErrors } from "../../../../kernel/oauth-error.ts";
import { sha256 } from "../../../../kernel/vault.ts";
import {
  consumeRecord,
  deleteRecord,
  findRecord,
  findRecordBy,
  isReadable,
  type NewGrant,
  type NewRecord,
  type RecordPayload,
  type StoredRecord,
  writeRecord,
} from "../../../tokens/index.ts";
import { toEngineError } from "../errors.ts";
import { currentDraft } from "../models/grant-draft.ts";
import { writeCode } from "./code.store.ts";
import { storedGrant } from "./grants.adapter.ts";
import type { AdapterParts } from "./parts.ts";

/** Stands for a record whose id is not known any more (found by its user code, or named by an interaction); never taken from a client. */
const MARK = "#";

const markOf = (id: string) => (id.startsWith(MARK) ? id : MARK + sha256(id));

/** What clients bring is hashed. */
const keyOf = (id: string) => (id.startsWith(MARK) ? id.slice(1) : sha256(id));

/** Constraints that tell that it is too late. */
const endings = new Set<string | undefined>(["oidc_records_grant", "session_participants_session"]);

/** Codes, device codes, CIBA and pushed requests, and interactions; refresh tokens are not the engine's. What was handed out is stored as sha256 only. */
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
    if (!isReadable(payload)) throw toEngineError(oauthErrors.invalidRequest("a parameter of the request is nested too deeply"));
    const now = clock.now();
    const record: NewRecord = {
      ...this.#key(id),
      payload: withoutSecrets(payload) as RecordPayload,
      // An interaction outlives the grant it began with: another user may sign in.
      grantId: this.#model === "Interaction" ? null : (payload.grantId ?? null),
      clientId: payload.clientId ?? null,
      userCode: payload.userCode === undefined ? null : sha256(payload.userCode),
      expiresAt: now + expiresIn * SECOND,
    };
    const { sessionUid, clientId, grantId } = payload;
    try {
      if (sessionUid === undefined || clientId === undefined) await writeRecord(db, record);
      // With its first code a client takes part in the session: it is notified when the session ends.
      else await writeCode(db, record, draftOf(grantId), { sessionId: sessionUid, clientId, now });
    } catch (error) {
      // The grant or its session ended while the request was under way: whatever was to hang on it is not given.
      if (endings.has((error as { constraint?: string }).constraint)) throw oauthErrors.invalidGrant("the grant has ended");
      throw error;
    }
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const found = await findRecord(this.#parts.db, this.#key(id), clock.now());
    return found ? payloadOf(found, id) : undefined;
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
    if (!(await consumeRecord(this.#parts.db, this.#key(id), clock.now()))) throw oauthErrors.invalidGrant("it was used already");
  }

  async destroy(id: string): Promise<void> {
    await deleteRecord(this.#parts.db, this.#key(id));
  }

  async revokeByGrantId(): Promise<void> {
    // What hangs on a grant goes with its row.
  }
}

/** The grant that something hangs on, where it is stored together with that. */
function draftOf(grantId: string | undefined): NewGrant | null {
  const { grant, draft } = currentDraft() ?? {};
  return grant && draft && grant.jti === grantId ? { ...draft, grantId: grant.jti, payload: storedGrant({ ...grant }) } : null;
}

/** As the engine stored it, with what was kept elsewhere. */
function payloadOf({ payload, consumedAt }: StoredRecord, jti: string): AdapterPayload {
  const consumed = consumedAt === null ? {} : { consumed: Math.floor(consumedAt / SECOND) };
  return { ...(payload as AdapterPayload), jti, ...consumed };
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
