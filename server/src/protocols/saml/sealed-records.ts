import { clock, MINUTE } from "../../kernel/clock.ts";
import { randomToken, sha256 } from "../../kernel/vault.ts";
import { findRecord, type StoredRecord, takeRecord, writeRecord } from "../tokens/index.ts";
import type { SamlParts } from "./parts.ts";

type RecordParts = Pick<SamlParts, "db" | "vault">;

/** Stores values that wait for their browser under an unguessable id. They are sealed, because erasing a user does not find them. */
export function sealedRecords<T>(model: string, lifetime: number) {
  const keyOf = (realm: string, id: string) => ({ realm, model, recordId: sha256(id) });
  const placeOf = (realm: string, row: string) => ({ realm, table: "oidc_records", column: "payload", row });
  const opened = ({ vault }: RecordParts, realm: string, id: string, record: StoredRecord | null): T | null => {
    const sealed = record?.payload.sealed;
    return typeof sealed === "string" ? (JSON.parse(vault.open(sealed, placeOf(realm, sha256(id)))) as T) : null;
  };
  return {
    /** Stores a value and returns its id. */
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
    /** Returns a value, or null if it was taken already or has expired. */
    find: async (parts: RecordParts, realm: string, id: string): Promise<T | null> =>
      opened(parts, realm, id, await findRecord(parts.db, keyOf(realm, id), clock.now())),
    /** Takes a value. Only one of concurrent callers gets it. */
    take: async (parts: RecordParts, realm: string, id: string): Promise<T | null> =>
      opened(parts, realm, id, await takeRecord(parts.db, keyOf(realm, id), clock.now())),
  };
}

/** Keeps the checked message of a cross-site POST, which has no SameSite=Lax cookies, until the browser returns with its cookies. */
export const postedMessages = <T>(model: "SamlRequest" | "SamlLogout") => sealedRecords<T>(model, 2 * MINUTE);
