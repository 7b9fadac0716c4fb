import { type Adapter, type AdapterFactory, type AdapterPayload, Provider } from "oidc-provider";
import { clock, SECOND } from "../../../kernel/clock.ts";
import { oauthErrors } from "../../../kernel/oauth-error.ts";
import { sha256 } from "../../../kernel/vault.ts";
import * as tokens from "../../tokens/index.ts";
import type { RealmParts } from "../parts.ts";
import { writeCode } from "./code.store.ts";
import { toEngineError } from "./errors.ts";
import { draftOf } from "./models/grant.ts";
import { storeRequest } from "./requests/ciba.ts";
import { storeDeviceCode } from "./requests/limits.ts";

/** The adapter of models that the engine neither stores nor reads, because other rooms own them or the endpoints that would use them. */
const nothing: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
};

const notStored = new Set(["AccessToken", "ClientCredentials", "RefreshToken", "Session", "Client", "Grant"]);

/** Creates the adapters that store the engine's state. models/ replaces those of sessions, clients and grants. */
export const createAdapters =
  (parts: RealmParts): AdapterFactory =>
  (model) =>
    notStored.has(model) ? nothing : { ...nothing, ...recordsAdapter(parts, model) };

/** Marks an id that is a hash already. Only a resumed interaction may use it, because a client could have read the hash in the table. */
const MARK = "#";

/** Returns the key of a record: the SHA-256 of the id that the client has. */
const keyOf = (id: string) => (id.startsWith(MARK) && Provider.ctx?.oidc?.route === "resume" ? id.slice(1) : sha256(id));

/** Foreign keys that fail when the grant or its session has ended meanwhile. */
const GRANT_CONSTRAINTS = new Set<string | undefined>(["oidc_records_grant", "session_participants_session"]);

/** Codes, device codes, CIBA and pushed requests, and interactions. Issued values are stored as SHA-256 only. */
function recordsAdapter(parts: RealmParts, model: string): Pick<Adapter, "upsert" | "find" | "consume" | "destroy"> {
  const { db, realm } = parts;
  const keyFor = (id: string) => ({ realm: realm.realmId, model, recordId: keyOf(id) });
  return {
    async upsert(id, payload, expiresIn: number) {
      if (!tokens.isReadable(payload)) throw toEngineError(oauthErrors.invalidRequest("a parameter of the request cannot be stored"));
      const now = clock.now();
      const { sessionUid, clientId, grantId, userCode } = payload;
      const record: tokens.NewRecord = {
        ...keyFor(id),
        payload: withoutSecrets(payload) as tokens.RecordPayload,
        // An interaction may outlive its grant, because another user may sign in.
        grantId: model === "Interaction" ? null : (grantId ?? null),
        clientId: clientId ?? null,
        userCode: userCode === undefined ? null : sha256(userCode),
        expiresAt: now + expiresIn * SECOND,
      };
      const draft = draftOf(Provider.ctx?.oidc?.entities?.Grant);
      try {
        if (model === "BackchannelAuthenticationRequest") await storeRequest(parts, record, payload.accountId!);
        else if (model === "DeviceCode") await storeDeviceCode(parts, record);
        else if (sessionUid === undefined || clientId === undefined) await tokens.writeRecord(db, record);
        // The client becomes a participant of the session, and is notified when the session ends.
        else await writeCode(db, record, draft?.grantId === grantId ? draft : null, { sessionId: sessionUid, clientId, now });
      } catch (error) {
        // The grant or its session ended during the request.
        if (GRANT_CONSTRAINTS.has((error as { constraint?: string }).constraint)) throw oauthErrors.invalidGrant("the grant has ended");
        throw error;
      }
    },
    async find(id) {
      const found = await tokens.findRecord(db, keyFor(id), clock.now());
      if (!found) return undefined;
      const consumed = found.consumedAt === null ? {} : { consumed: Math.floor(found.consumedAt / SECOND) };
      return { ...(found.payload as AdapterPayload), jti: id, ...consumed };
    },
    /** Consumes atomically: of concurrent requests one succeeds. */
    async consume(id) {
      if (!(await tokens.consumeRecord(db, keyFor(id), clock.now()))) throw oauthErrors.invalidGrant("it was used already");
    },
    destroy: (id) => tokens.deleteRecord(db, keyFor(id)),
  };
}

/** Removes secrets before the payload is stored: the id, the session cookie and the code of another record. */
function withoutSecrets({ jti: _jti, userCode: _userCode, consumed: _consumed, session, parJti, ...rest }: AdapterPayload): AdapterPayload {
  const { cookie: _cookie, ...known } = session ?? {};
  return {
    ...rest,
    ...(session && { session: known }),
    ...(parJti !== undefined && { parJti: parJti.startsWith(MARK) ? parJti : MARK + sha256(parJti) }),
  };
}
