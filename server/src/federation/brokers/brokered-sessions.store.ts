import { sql } from "kysely";
import { newId } from "../../kernel/ids.ts";
import type { Vault } from "../../kernel/vault.ts";
import { type Db, prepared, type Tx } from "../../platform/db/index.ts";

declare module "../../platform/db/tables.ts" {
  interface Tables {
    brokered_sessions: {
      realm_id: string;
      brokered_session_id: string;
      session_id: string;
      provider_id: string;
      subject: string;
      upstream_session_id: string | null;
      sealed: string | null;
      created_at: number;
    };
  }
}

/** The session at the provider that a sign-in reported. */
export interface UpstreamSession {
  /** The `sid` or SessionIndex; null if the provider named none. */
  readonly id: string | null;
  /** The data for a logout at the provider: an ID token or a NameID. It is sealed in storage. */
  readonly logout: string | null;
}

/** A session here that began with a sign-in at a provider. */
export interface BrokeredSession extends UpstreamSession {
  readonly providerId: string;
  readonly subject: string;
}

const place = (realm: string, row: string) => ({ realm, table: "brokered_sessions", column: "sealed", row });

/** Records the provider's session, in the transaction that starts the session here. A new sign-in by the same provider replaces the record. */
export async function recordBrokeredSession(
  tx: Tx,
  vault: Vault,
  realm: string,
  sessionId: string,
  { providerId, subject, id, logout }: BrokeredSession,
  now: number,
): Promise<void> {
  const rowId = newId();
  const sealed = logout === null ? null : vault.seal(logout, place(realm, rowId));
  await upsert(tx, { realm, rowId, sessionId, providerId, subject, id, sealed, now });
}

interface Row extends Omit<BrokeredSession, "logout"> {
  readonly realm: string;
  readonly rowId: string;
  readonly sessionId: string;
  readonly sealed: string | null;
  readonly now: number;
}

const upsert = prepared(
  ({ realm, rowId, sessionId, providerId, subject, id, sealed, now }: Row) => sql`
    insert into brokered_sessions
      (realm_id, brokered_session_id, session_id, provider_id, subject, upstream_session_id, sealed, created_at)
    values (${realm}, ${rowId}, ${sessionId}, ${providerId}, ${subject}, ${id}, ${sealed}, ${now})
    on conflict (realm_id, session_id, provider_id) do update set
      brokered_session_id = excluded.brokered_session_id, subject = excluded.subject,
      upstream_session_id = excluded.upstream_session_id, sealed = excluded.sealed, created_at = excluded.created_at`,
);

/** Returns the sessions at providers behind a session here, the latest first. They must be read before the session ends, which deletes the rows. */
export async function brokeredSessionsOf(db: Db, vault: Vault, realm: string, sessionId: string): Promise<BrokeredSession[]> {
  const rows = await db
    .selectFrom("brokered_sessions")
    .select(["brokered_session_id", "provider_id", "subject", "upstream_session_id", "sealed"])
    .where("realm_id", "=", realm)
    .where("session_id", "=", sessionId)
    .orderBy("created_at", "desc")
    .execute();
  return rows.map((row) => ({
    providerId: row.provider_id,
    subject: row.subject,
    id: row.upstream_session_id,
    logout: row.sealed === null ? null : vault.open(row.sealed, place(realm, row.brokered_session_id)),
  }));
}

/** Returns the sessions here that began with this session at the provider, or with any session of this subject there. If both are given, both have to match. */
export async function sessionsByProvider(
  db: Db,
  realm: string,
  providerId: string,
  { subject, id }: { readonly subject?: string | undefined; readonly id?: string | undefined },
): Promise<string[]> {
  if (subject === undefined && id === undefined) return [];
  const { rows } = await sql<{ session_id: string }>`
    select session_id from brokered_sessions
    where realm_id = ${realm} and provider_id = ${providerId}
      ${subject === undefined ? sql`` : sql`and md5(subject) = md5(${subject}) and subject = ${subject}`}
      ${id === undefined ? sql`` : sql`and md5(upstream_session_id) = md5(${id}) and upstream_session_id = ${id}`}`.execute(db);
  return rows.map((row) => row.session_id);
}
