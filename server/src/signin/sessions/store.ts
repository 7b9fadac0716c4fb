import { type ColumnType, type Selectable, sql } from "kysely";
import { isId } from "../../kernel/ids.ts";
import { likePrefix, loginKey } from "../../kernel/text.ts";
import { type Db, gathered, prepared, type Tx } from "../../platform/db/index.ts";
import { type ListOrder, type ListQuery, type Page, pageOf } from "../../platform/http/index.ts";
import type { Session } from "./schema.ts";

interface SessionsTable {
  realm_id: string;
  session_id: string;
  token_hash: string;
  user_id: string;
  created_at: number;
  auth_time: number;
  last_seen_at: number;
  expires_at: number;
  absolute_expiry: number;
  remembered: boolean;
  acr: string | null;
  amr: ColumnType<string[], string, string>;
  impersonator: string | null;
  source_ip: string | null;
  user_agent: string | null;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    sessions: SessionsTable;
  }
}

/** A session as a request meets it: alive, with what its user may do at this moment. */
export interface LiveSession {
  readonly realm: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly username: string;
  readonly impersonator: string | null;
  readonly remembered: boolean;
  readonly lastSeenAt: number;
  readonly absoluteExpiry: number;
  readonly permissions: ReadonlySet<string>;
}

interface LiveRow {
  n: number;
  session_id: string;
  user_id: string;
  username: string;
  impersonator: string | null;
  remembered: boolean;
  last_seen_at: number;
  absolute_expiry: number;
  permissions: string[];
}

interface Cookie {
  readonly realm: string;
  readonly tokenHash: string;
  readonly now: number;
}

const liveColumns = sql`s.session_id, s.user_id, u.username, s.impersonator, s.remembered, s.last_seen_at, s.absolute_expiry,
      array(select p.permission from user_permissions p where p.realm_id = s.realm_id and p.user_id = s.user_id) as permissions`;

const oneSession = prepared((db, { realm, tokenHash, now }: Cookie) => {
  const query = sql<LiveRow>`
    select 1 as n, ${liveColumns}
    from sessions s join users u on u.realm_id = s.realm_id and u.user_id = s.user_id
    where s.realm_id = ${realm} and s.token_hash = ${tokenHash} and s.expires_at > ${now} and u.enabled and not u.locked`;
  return { compile: () => query.compile(db) };
});

const manySessions = prepared((db, { realms, hashes, now }: { realms: readonly string[]; hashes: readonly string[]; now: number }) => {
  const query = sql<LiveRow>`
    select asked.n::int as n, ${liveColumns}
    from unnest(${realms}::text[], ${hashes}::text[]) with ordinality as asked (realm_id, token_hash, n)
    join sessions s on s.realm_id = asked.realm_id and s.token_hash = asked.token_hash
    join users u on u.realm_id = s.realm_id and u.user_id = s.user_id
    where s.expires_at > ${now} and u.enabled and not u.locked`;
  return { compile: () => query.compile(db) };
});

const liveRow = gathered<Cookie, LiveRow>(async (db, cookies) => {
  const [first] = cookies;
  if (cookies.length === 1) return oneSession(db, first!);
  const now = Math.max(...cookies.map((cookie) => cookie.now));
  const rows = await manySessions(db, {
    realms: cookies.map(({ realm }) => realm),
    hashes: cookies.map(({ tokenHash }) => tokenHash),
    now,
  });
  const found: LiveRow[] = [];
  for (const row of rows) found[row.n - 1] = row;
  return found;
});

/** The one query of every signed-in request: session, user and permissions, read fresh. */
export async function findLiveSession(db: Db, realm: string, tokenHash: string, now: number): Promise<LiveSession | null> {
  const row = await liveRow(db, { realm, tokenHash, now });
  if (!row) return null;
  return {
    realm,
    sessionId: row.session_id,
    userId: row.user_id,
    username: row.username,
    impersonator: row.impersonator,
    remembered: row.remembered,
    lastSeenAt: row.last_seen_at,
    absoluteExpiry: row.absolute_expiry,
    permissions: new Set(row.permissions),
  };
}

export interface NewSession {
  readonly sessionId: string;
  readonly tokenHash: string;
  readonly userId: string;
  readonly now: number;
  readonly expiresAt: number;
  readonly absoluteExpiry: number;
  readonly remembered: boolean;
  readonly acr: string | null;
  readonly amr: readonly string[];
  readonly sourceIp: string | null;
  readonly userAgent: string | null;
}

const authentication = (session: NewSession) => ({
  token_hash: session.tokenHash,
  auth_time: session.now,
  last_seen_at: session.now,
  expires_at: session.expiresAt,
  absolute_expiry: session.absoluteExpiry,
  remembered: session.remembered,
  acr: session.acr,
  amr: JSON.stringify(session.amr),
  source_ip: session.sourceIp,
  user_agent: session.userAgent,
});

export async function insertSession(tx: Tx, realm: string, session: NewSession): Promise<void> {
  await tx
    .insertInto("sessions")
    .values({
      realm_id: realm,
      session_id: session.sessionId,
      user_id: session.userId,
      created_at: session.now,
      impersonator: null,
      ...authentication(session),
    })
    .execute();
}

/** The same person signs in again in the same browser: a new cookie value, the same session. */
export async function renewSession(tx: Tx, realm: string, session: NewSession): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("sessions")
    .set(authentication(session))
    .where("realm_id", "=", realm)
    .where("session_id", "=", session.sessionId)
    .where("user_id", "=", session.userId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Of requests at the same time one writes; and none writes over a sign-in that happened since the session was read. */
export async function touchSession(
  db: Db,
  realm: string,
  { sessionId, lastSeenAt }: Pick<LiveSession, "sessionId" | "lastSeenAt">,
  now: number,
  expiresAt: number,
): Promise<void> {
  await db
    .updateTable("sessions")
    .set({ last_seen_at: now, expires_at: expiresAt })
    .where("realm_id", "=", realm)
    .where("session_id", "=", sessionId)
    .where("last_seen_at", "=", lastSeenAt)
    .execute();
}

export async function deleteSession(tx: Tx, realm: string, sessionId: string): Promise<{ userId: string } | null> {
  const row = await tx
    .deleteFrom("sessions")
    .where("realm_id", "=", realm)
    .where("session_id", "=", sessionId)
    .returning("user_id")
    .executeTakeFirst();
  return row ? { userId: row.user_id } : null;
}

export async function deleteSessionsOfUser(tx: Tx, realm: string, userId: string, except: string | null): Promise<void> {
  await tx
    .deleteFrom("sessions")
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .$if(except !== null, (q) => q.where("session_id", "!=", except!))
    .execute();
}

const CLEANUP_BATCH = 5_000;

export async function deleteExpiredSessions(db: Db, now: number): Promise<void> {
  for (;;) {
    const { numAffectedRows } = await sql`
      delete from sessions where (realm_id, session_id) in (select realm_id, session_id from sessions where expires_at <= ${now} limit ${CLEANUP_BATCH})`.execute(
      db,
    );
    if (Number(numAffectedRows ?? 0n) < CLEANUP_BATCH) return;
  }
}

const listed = [
  "sessions.session_id",
  "sessions.realm_id",
  "sessions.user_id",
  "users.username",
  "sessions.created_at",
  "sessions.auth_time",
  "sessions.last_seen_at",
  "sessions.expires_at",
  "sessions.remembered",
  "sessions.acr",
  "sessions.amr",
  "sessions.impersonator",
  "sessions.source_ip",
  "sessions.user_agent",
] as const;

const order: ListOrder = {
  sorts: { lastSeenAt: sql.ref("sessions.last_seen_at"), createdAt: sql.ref("sessions.created_at") },
  defaultSort: "-lastSeenAt",
  id: sql.ref("sessions.session_id"),
};

export async function listSessions(db: Db, realm: string, query: ListQuery, now: number): Promise<Page<Omit<Session, "current">>> {
  const search = query.search ?? "";
  const base = db
    .selectFrom("sessions")
    .innerJoin("users", (join) => join.onRef("users.realm_id", "=", "sessions.realm_id").onRef("users.user_id", "=", "sessions.user_id"))
    .select(listed)
    .where("sessions.realm_id", "=", realm)
    .where("sessions.expires_at", ">", now)
    .$if(search !== "", (q) =>
      isId(search)
        ? q.where((eb) => eb.or([eb("sessions.session_id", "=", search), eb("sessions.user_id", "=", search)]))
        : q.where("users.username_key", "like", likePrefix(loginKey(search))),
    );
  const page = await pageOf(db, base, order, query);
  return { ...page, rows: page.rows.map(toSession) };
}

const toSession = (
  row: Omit<Selectable<SessionsTable>, "token_hash" | "absolute_expiry"> & { username: string },
): Omit<Session, "current"> => ({
  id: row.session_id,
  realmId: row.realm_id,
  userId: row.user_id,
  username: row.username,
  createdAt: row.created_at,
  authTime: row.auth_time,
  lastSeenAt: row.last_seen_at,
  expiresAt: row.expires_at,
  remembered: row.remembered,
  amr: row.amr,
  acr: row.acr,
  impersonator: row.impersonator,
  sourceIp: row.source_ip,
  userAgent: row.user_agent,
});
