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

/** Marks an id that is a hash already: of a record found by its user code, or named by an interaction. Never accepted from a client. */
const MARK = "#";

const markOf = (id: string) => (id.startsWith(MARK) ? id : MARK + sha256(id));

/** The key is the SHA-256 of the id that the client has. */
const keyOf = (id: string) => (id.startsWith(MARK) ? id.slice(1) : sha256(id));

/** Foreign keys that fail when the grant or its session has ended meanwhile. */
const GRANT_CONSTRAINTS = new Set<string | undefined>(["oidc_records_grant", "session_participants_session"]);

/** Codes, device codes, CIBA and pushed requests, and interactions. Issued values are stored as SHA-256 only. Refresh tokens are not stored here. */
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
      // An interaction may outlive its grant: another user may sign in.
      grantId: this.#model === "Interaction" ? null : (payload.grantId ?? null),
      clientId: payload.clientId ?? null,
      userCode: payload.userCode === undefined ? null : sha256(payload.userCode),
      expiresAt: now + expiresIn * SECOND,
    };
    const { sessionUid, clientId, grantId } = payload;
    try {
      if (sessionUid === undefined || clientId === undefined) await writeRecord(db, record);
      // The client becomes a participant of the session, and is notified when the session ends.
      else await writeCode(db, record, draftOf(grantId), { sessionId: sessionUid, clientId, now });
    } catch (error) {
      // The grant or its session ended during the request.
      if (GRANT_CONSTRAINTS.has((error as { constraint?: string }).constraint)) throw oauthErrors.invalidGrant("the grant has ended");
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

  /** Atomic: of concurrent requests one succeeds. */
  async consume(id: string): Promise<void> {
    if (!(await consumeRecord(this.#parts.db, this.#key(id), clock.now()))) throw oauthErrors.invalidGrant("it was used already");
  }

  async destroy(id: string): Promise<void> {
    await deleteRecord(this.#parts.db, this.#key(id));
  }

  async revokeByGrantId(): Promise<void> {
    // Records are deleted with the row of their grant.
  }
}

/** The new grant that is stored together with the record. */
function draftOf(grantId: string | undefined): NewGrant | null {
  const { grant, draft } = currentDraft() ?? {};
  return grant && draft && grant.jti === grantId ? { ...draft, grantId: grant.jti, payload: storedGrant({ ...grant }) } : null;
}

/** The payload as the engine stored it, with `jti` and `consumed`. */
function payloadOf({ payload, consumedAt }: StoredRecord, jti: string): AdapterPayload {
  const consumed = consumedAt === null ? {} : { consumed: Math.floor(consumedAt / SECOND) };
  return { ...(payload as AdapterPayload), jti, ...consumed };
}

/** The table contains no secret: neither the id, nor the session cookie, nor the code of another record. */
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
