import { type ColumnType, sql } from "kysely";
import { liveClient } from "../../../applications/access/index.ts";
import type { SubjectUser } from "../../../applications/claims/index.ts";
import { type Db, deleteReturning, prepared, type Tx } from "../../../platform/db/index.ts";
import { isAtWork } from "../../../signin/sessions/index.ts";
import { type Impersonator, type ImpersonatorColumns, toImpersonator } from "../contents/act.ts";
import type { GrantPayload } from "./payload.ts";

interface GrantsTable {
  realm_id: string;
  grant_id: string;
  user_id: string;
  client_id: string;
  session_id: string | null;
  payload: ColumnType<GrantPayload, string, string>;
  created_at: number;
  expires_at: number;
}

declare module "../../../platform/db/tables.ts" {
  interface Tables {
    oidc_grants: GrantsTable;
  }
}

/** A user's grant to a client. The session, the user and the client are live. */
export interface LiveGrant {
  readonly grantId: string;
  readonly userId: string;
  readonly clientId: string;
  /** The id of the session, or null for offline access. */
  readonly sessionId: string | null;
  readonly impersonator: Impersonator | null;
  /** The time at which the session was last used. */
  readonly seenAt: number | null;
  readonly user: SubjectUser;
  readonly payload: GrantPayload;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** The user's columns in a joined row. */
export interface UserColumns {
  user_id: string;
  username: string;
  email: string | null;
  email_verified: boolean;
  attributes: SubjectUser["attributes"];
  user_created_at: number;
  user_updated_at: number;
}

export const userColumns = sql`u.user_id, u.username, u.email, u.email_verified, u.attributes, u.created_at as user_created_at,
  coalesce(u.updated_at, u.created_at) as user_updated_at`;

export const toUser = (row: UserColumns): SubjectUser => ({
  userId: row.user_id,
  username: row.username,
  email: row.email,
  emailVerified: row.email_verified,
  attributes: row.attributes,
  createdAt: row.user_created_at,
  updatedAt: row.user_updated_at,
});

export interface LiveRow extends UserColumns, ImpersonatorColumns {
  grant_id: string;
  client_id: string;
  session_id: string | null;
  last_seen_at: number | null;
  payload: GrantPayload;
  created_at: number;
  expires_at: number;
}

const impersonation = { realm: sql`s.impersonator_realm`, userId: sql`s.impersonator_id`, sessionId: sql`s.impersonator_session` };

/** Tells whether the session of grant `g` is live, and its impersonator may still act in it. A grant without a session needs none. */
export const sessionIsAlive = (now: number) => sql`(g.session_id is null or (s.session_id is not null and s.expires_at > ${now}
  and (s.impersonator_session is null or ${isAtWork(impersonation, now)})))`;

export const liveColumns = sql`g.grant_id, g.client_id, g.session_id, s.impersonator, s.impersonator_id, s.impersonator_realm, s.last_seen_at, g.payload, g.created_at, g.expires_at,
  ${userColumns}`;

/**
 * Joins the user and the session of grant `g`, each by a lateral lookup. With plain joins, Postgres infers `realm_id` for them too. Where
 * realms are small on average, its generic plan then reads all users of the realm, which is slow in a large one. `limit` prevents that
 * plan.
 */
export const joinUserAndSession = sql`
    cross join lateral (
      select u.user_id, u.username, u.email, u.email_verified, u.attributes, u.created_at, u.updated_at from users u
      where u.realm_id = g.realm_id and u.user_id = g.user_id and u.enabled and not u.locked limit 1) u
    left join lateral (
      select s.session_id, s.expires_at, s.last_seen_at, s.auth_time, s.acr, s.amr, s.impersonator, s.impersonator_id, s.impersonator_realm, s.impersonator_session
      from sessions s where s.realm_id = g.realm_id and s.session_id = g.session_id limit 1) s on true`;

/** Selects live grants as a FROM and WHERE clause, which callers extend with `and …`. */
export const liveGrants = (now: number) => sql`oidc_grants g ${joinUserAndSession}
    cross join lateral (${liveClient(sql`g.realm_id`, sql`g.client_id`, now)} limit 1) c
    where g.expires_at > ${now} and ${sessionIsAlive(now)}`;

const live = prepared(
  ({ realm, grantId, now }: { realm: string; grantId: string; now: number }) =>
    sql<LiveRow>`select ${liveColumns} from ${liveGrants(now)} and g.realm_id = ${realm} and g.grant_id = ${grantId}`,
);

export async function findLiveGrant(db: Db, realm: string, grantId: string, now: number): Promise<LiveGrant | null> {
  const [row] = await live(db, { realm, grantId, now });
  return row ? toLiveGrant(row) : null;
}

export const toLiveGrant = (row: LiveRow): LiveGrant => ({
  grantId: row.grant_id,
  userId: row.user_id,
  clientId: row.client_id,
  sessionId: row.session_id,
  impersonator: toImpersonator(row),
  seenAt: row.last_seen_at,
  user: toUser(row),
  payload: row.payload,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
});

export const grantsOfSession = prepared(({ realm, sessionId }: { realm: string; sessionId: string }, db) =>
  db
    .selectFrom("oidc_grants")
    .select(["grant_id as grantId", "client_id as clientId"])
    .where((e) => e.and({ realm_id: realm, session_id: sessionId }))
    .orderBy("grant_id"),
);

export interface NewGrant {
  readonly grantId: string;
  readonly userId: string;
  readonly clientId: string;
  readonly sessionId: string | null;
  readonly payload: GrantPayload;
  readonly now: number;
  readonly expiresAt: number;
}

/** Inserts a grant, or extends its payload and expiry, because another request may have done so. User, client and session never change. */
export const upsertGrant = (realm: string, grant: Omit<NewGrant, "payload"> & { readonly payload: string }) => sql`
    insert into oidc_grants as g (realm_id, grant_id, user_id, client_id, session_id, payload, created_at, expires_at)
    values (${realm}, ${grant.grantId}, ${grant.userId}, ${grant.clientId}, ${grant.sessionId}, ${grant.payload}::text::jsonb,
      ${grant.now}, ${grant.expiresAt})
    on conflict (realm_id, grant_id) do update set payload = merged_grants(g.payload, excluded.payload), expires_at = greatest(g.expires_at, excluded.expires_at)
      where g.user_id = excluded.user_id and g.client_id = excluded.client_id`;

export async function writeGrant(db: Db, realm: string, grant: NewGrant): Promise<void> {
  await upsertGrant(realm, { ...grant, payload: JSON.stringify(grant.payload) }).execute(db);
}

/** Deletes a grant. Its records end by their foreign key, and its access tokens because they name it. */
export async function deleteGrant(db: Db, realm: string, grantId: string): Promise<{ userId: string; clientId: string } | null> {
  return deleteReturning(db, "oidc_grants", { realm_id: realm, grant_id: grantId }, ["user_id as userId", "client_id as clientId"]);
}

/** The grants of a user, of a client, or of a user to a client, but never all of a realm. */
export type GrantsOf =
  /** Grants of `keepSession` are kept. */
  | { readonly userId: string; readonly clientId?: string; readonly keepSession?: string | null }
  | { readonly clientId: string; readonly userId?: never; readonly keepSession?: never };

export async function deleteGrantsOf(tx: Tx, realm: string, { userId, clientId, keepSession = null }: GrantsOf): Promise<void> {
  await tx
    .deleteFrom("oidc_grants")
    .where("realm_id", "=", realm)
    .$if(userId !== undefined, (q) => q.where("user_id", "=", userId!))
    .$if(clientId !== undefined, (q) => q.where("client_id", "=", clientId!))
    .$if(keepSession !== null, (q) => q.where("session_id", "is distinct from", keepSession))
    .execute();
}

export async function deleteGrantsOfSessions(tx: Tx, sessions: readonly { realm: string; sessionId: string }[]): Promise<void> {
  const ended = JSON.stringify(sessions.map(({ realm, sessionId }) => ({ realm, sessionId })));
  await sql`
    delete from oidc_grants g using json_to_recordset(${ended}::text::json) as e (realm text, "sessionId" uuid)
    where g.realm_id = e.realm and g.session_id = e."sessionId"`.execute(tx);
}
