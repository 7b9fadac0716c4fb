import { sql } from "kysely";
import { MINUTE } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { randomToken, sha256, type Vault } from "../../kernel/vault.ts";
import { type Db, deleteExpired } from "../../platform/db/index.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";

declare module "../../platform/db/tables.ts" {
  interface Tables {
    broker_answers: {
      realm_id: string;
      answer_id: string;
      provider_id: string;
      assertion_hash: string;
      handle_hash: string | null;
      sealed: string | null;
      waits_until: number;
      expires_at: number;
    };
  }
}

type Owner = Pick<ProviderSnapshot, "realm" | "providerId">;

/** The time that an answer waits. The browser comes for it at once. */
const WAIT = 2 * MINUTE;

const place = (realm: string, row: string) => ({ realm, table: "broker_answers", column: "sealed", row });

/**
 * Stores a posted and verified message (a Response or a LogoutRequest) until its browser comes with its cookies. Returns the handle, or null if the message was
 * used. A message that is posted twice before it is used is stored once, under its last handle.
 */
export async function keepAnswer(
  db: Db,
  vault: Vault,
  { realm, providerId }: Owner,
  { assertionId, answer, until }: { readonly assertionId: string; readonly answer: unknown; readonly until: number },
  now: number,
): Promise<string | null> {
  const [handle, answerId] = [randomToken(), newId()];
  const sealed = vault.seal(JSON.stringify(answer), place(realm, answerId));
  const { rows } = await sql`
    insert into broker_answers (realm_id, answer_id, provider_id, assertion_hash, handle_hash, sealed, waits_until, expires_at)
    values (${realm}, ${answerId}, ${providerId}, ${sha256(assertionId)}, ${sha256(handle)}, ${sealed}, ${now + WAIT}, ${until})
    on conflict on constraint broker_answers_once do update set
      answer_id = excluded.answer_id, handle_hash = excluded.handle_hash, sealed = excluded.sealed, waits_until = excluded.waits_until
    where broker_answers.handle_hash is not null
    returning answer_id`.execute(db);
  return rows.length > 0 ? handle : null;
}

/** Takes a stored message. Of several requests at once only one succeeds. Returns null if it was taken, has expired, or never existed. */
export async function takeAnswer<T>(db: Db, vault: Vault, { realm, providerId }: Owner, handle: string, now: number): Promise<T | null> {
  const { rows } = await sql<{ answer_id: string; sealed: string }>`
    update broker_answers a set handle_hash = null, sealed = null
    from (
      select answer_id, sealed from broker_answers
      where realm_id = ${realm} and handle_hash = ${sha256(handle)} and provider_id = ${providerId} and waits_until > ${now}
      for update
    ) kept
    where a.realm_id = ${realm} and a.answer_id = kept.answer_id
    returning kept.answer_id, kept.sealed`.execute(db);
  const [row] = rows;
  return row ? (JSON.parse(vault.open(row.sealed, place(realm, row.answer_id))) as T) : null;
}

/** Uses an assertion that did not have to wait. Returns false if it was used before. */
export async function useAssertion(db: Db, { realm, providerId }: Owner, assertionId: string, until: number): Promise<boolean> {
  const { rows } = await sql`
    insert into broker_answers (realm_id, answer_id, provider_id, assertion_hash, waits_until, expires_at)
    values (${realm}, ${newId()}, ${providerId}, ${sha256(assertionId)}, 0, ${until})
    on conflict on constraint broker_answers_once do nothing returning answer_id`.execute(db);
  return rows.length > 0;
}

export const deleteExpiredAnswers = (db: Db, now: number): Promise<void> => deleteExpired(db, "broker_answers", now);
