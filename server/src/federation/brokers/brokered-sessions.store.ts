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
  /** `sid`, SessionIndex; null: the provider named none. */
  readonly id: string | null;
  /** The data for a logout there: an ID token or a NameID. Sealed in storage. */
  readonly logout: string | null;
}

/** A session here that came by a provider. */
export interface BrokeredSession extends UpstreamSession {
  readonly providerId: string;
  readonly subject: string;
}

const place = (realm: string, row: string) => ({ realm, table: "brokered_sessions", column: "sealed", row });

/** In the transaction that starts the session. A new sign-in by the same provider replaces what was known of it. */
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

/** The providers that a session came by, the latest first. To be read before the session ends: the rows go with it. */
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

/**
 * The sessions here that came by this session of the provider, or by any session of this subject there. Where both are given, both have to
 * fit.
 */
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
