import { sha256 } from "../../../kernel/vault.ts";
import { type Db, deleteExpired, prepared, type Tx } from "../../../platform/db/index.ts";

declare module "../../../platform/db/tables.ts" {
  interface Tables {
    saml_name_ids: { realm_id: string; entity_id: string; user_id: string; name_id: string; created_at: number };
    saml_answered_requests: { realm_id: string; request: string; expires_at: number };
  }
}

interface Pair {
  readonly realm: string;
  readonly entityId: string;
  readonly userId: string;
}

const nameIdOf = prepared(({ realm, entityId, userId }: Pair, db) =>
  db
    .selectFrom("saml_name_ids")
    .select("name_id")
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .where("entity_id", "=", entityId),
);

/** Finds the persistent NameID by which the service provider knows the user, or null if there is none yet. */
export async function findNameId(db: Db, pair: Pair): Promise<string | null> {
  const [row] = await nameIdOf(db, pair);
  return row?.name_id ?? null;
}

/** Inserts a NameID. Returns false if another request has just inserted one. */
export async function insertNameId(tx: Tx, { realm, entityId, userId }: Pair, nameId: string, now: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("saml_name_ids")
    .values({ realm_id: realm, entity_id: entityId, user_id: userId, name_id: nameId, created_at: now })
    .onConflict((clash) => clash.columns(["realm_id", "user_id", "entity_id"]).doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

const markAnswered = prepared(({ realm, request, until }: { realm: string; request: string; until: number }, db) =>
  db
    .insertInto("saml_answered_requests")
    .values({ realm_id: realm, request, expires_at: until })
    .onConflict((clash) => clash.columns(["realm_id", "request"]).doNothing())
    .returning("request"),
);

/** Marks a request as answered. It is answered once, at any time and on any node: later calls return false. */
export async function isFirstAnswer(tx: Tx, realm: string, entityId: string, requestId: string, until: number): Promise<boolean> {
  return (await markAnswered(tx, { realm, request: sha256(`${entityId}\n${requestId}`), until })).length > 0;
}

export const deleteAnsweredRequests = (db: Db, now: number): Promise<void> => deleteExpired(db, "saml_answered_requests", now);
