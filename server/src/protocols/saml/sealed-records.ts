import { clock, MINUTE } from "../../kernel/clock.ts";
import { randomToken, sha256 } from "../../kernel/vault.ts";
import { findRecord, type StoredRecord, takeRecord, writeRecord } from "../tokens/index.ts";
import type { SamlParts } from "./parts.ts";

type RecordParts = Pick<SamlParts, "db" | "vault">;

/** Something that waits for its browser under an unguessable id. It is sealed, because it may name the user, whose erasure does not find it. */
export function sealedRecords<T>(model: string, lifetime: number) {
  const keyOf = (realm: string, id: string) => ({ realm, model, recordId: sha256(id) });
  const placeOf = (realm: string, row: string) => ({ realm, table: "oidc_records", column: "payload", row });
  const opened = ({ vault }: RecordParts, realm: string, id: string, record: StoredRecord | null): T | null => {
    const sealed = record?.payload.sealed;
    return typeof sealed === "string" ? (JSON.parse(vault.open(sealed, placeOf(realm, sha256(id)))) as T) : null;
  };
  return {
    /** Answers its id. */
    async keep({ db, vault }: RecordParts, realm: string, value: T): Promise<string> {
      const id = randomToken();
      const key = keyOf(realm, id);
      await writeRecord(db, {
        ...{ ...key, grantId: null, clientId: null, userCode: null },
        payload: { sealed: vault.seal(JSON.stringify(value), placeOf(realm, key.recordId)) },
        expiresAt: clock.now() + lifetime,
      });
      return id;
    },
    /** Null: it was taken already, or is too old. */
    find: async (parts: RecordParts, realm: string, id: string): Promise<T | null> =>
      opened(parts, realm, id, await findRecord(parts.db, keyOf(realm, id), clock.now())),
    /** Concurrent callers get the record once. */
    take: async (parts: RecordParts, realm: string, id: string): Promise<T | null> =>
      opened(parts, realm, id, await takeRecord(parts.db, keyOf(realm, id), clock.now())),
  };
}

/** A form of another site comes without our cookies, which are SameSite=Lax: its message, checked, is kept until the browser comes with them. */
export const postedMessages = <T>(model: "SamlRequest" | "SamlLogout") => sealedRecords<T>(model, 2 * MINUTE);
