import { type ColumnType, type Insertable, type RawBuilder, type Selectable, sql } from "kysely";
import { NO_ID } from "../../kernel/ids.ts";
import { cut } from "../../kernel/text.ts";
import { batched, type Db, prepared, type Tx, updateRows } from "../../platform/db/index.ts";
import { acrOf, browserOf, levelOf, proofsOf, type SessionProof, type StoredProofs, storedProofs } from "./proofs.ts";
import { type SignInUser, type SignInUserRow, signInUserColumns, toSignInUser } from "./user.store.ts";

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
  proofs: ColumnType<StoredProofs | null, string | null | undefined, string | null>;
  impersonator: string | null;
  impersonator_id: string | null;
  impersonator_realm: string | null;
  impersonator_session: string | null;
  source_ip: string | null;
  user_agent: string | null;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    sessions: SessionsTable;
  }
}

/** The key of a session and its user. */
export interface OwnSession {
  readonly realm: string;
  readonly userId: string;
  readonly sessionId: string;
}

/** A live session with its user's current permissions. */
export interface LiveSession {
  readonly realm: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly username: string;
  /** The user's present state, by which the session's proofs are judged. */
  readonly user: SignInUser;
  /** The administrator who impersonates the user, as the audit trail names them. */
  readonly impersonator: string | null;
  /** The administrator's own session. This session ends with it. */
  readonly impersonatedFrom: OwnSession | null;
  readonly remembered: boolean;
  readonly authTime: number;
  readonly acr: string;
  readonly amr: readonly string[];
  /** The passed steps. */
  readonly proofs: readonly SessionProof[];
  /** The known browser in which it began, and its address. */
  readonly browserId: string | null;
  readonly sourceIp: string | null;
  readonly requiredActions: readonly string[];
  readonly lastSeenAt: number;
  readonly absoluteExpiry: number;
  readonly permissions: ReadonlySet<string>;
}

interface LiveRow
  extends Omit<Selectable<SessionsTable>, "realm_id" | "token_hash" | "created_at" | "expires_at" | "user_agent">,
    SignInUserRow {
  n: number;
  permissions: string[];
}

interface Cookie {
  readonly realm: string;
  readonly tokenHash: string;
  readonly now: number;
}

const liveColumns = (
  now: number,
) => sql`s.session_id, s.user_id, s.impersonator, s.impersonator_id, s.impersonator_realm, s.impersonator_session,
      s.remembered, s.auth_time, s.acr, s.amr, s.proofs, s.source_ip, s.last_seen_at, s.absolute_expiry, ${signInUserColumns(now)},
      array(select p.permission from user_permissions p where p.realm_id = s.realm_id and p.user_id = s.user_id) as permissions`;

/** Reads the user of a session by a lateral lookup. See `joinUserAndSession` in protocols/tokens for why it needs `limit`. */
const joinUser = sql`cross join lateral (
      select u.realm_id, u.user_id, u.username, u.email, u.email_verified, u.attributes, u.source, u.required_actions from users u
      where u.realm_id = s.realm_id and u.user_id = s.user_id and u.enabled and not u.locked limit 1) u`;

const liveSession = (realm: string, condition: RawBuilder<unknown>, now: number) => sql<LiveRow>`
    select 1 as n, ${liveColumns(now)}
    from sessions s ${joinUser}
    where s.realm_id = ${realm} and ${condition} and s.expires_at > ${now}`;

const oneSession = prepared(({ realm, tokenHash, now }: Cookie) => liveSession(realm, sql`s.token_hash = ${tokenHash}`, now));

const sessionById = prepared(({ realm, sessionId, now }: { realm: string; sessionId: string; now: number }) =>
  liveSession(realm, sql`s.session_id = ${sessionId}`, now),
);

const manySessions = prepared(
  ({ realms, hashes, now }: { realms: readonly string[]; hashes: readonly string[]; now: number }) =>
    sql<LiveRow>`
    select asked.n::int as n, ${liveColumns(now)}
    from unnest(${realms}::text[], ${hashes}::text[]) with ordinality as asked (realm_id, token_hash, n)
    join sessions s on s.realm_id = asked.realm_id and s.token_hash = asked.token_hash
    ${joinUser}
    where s.expires_at > ${now}`,
);

const liveRow = batched<Cookie, LiveRow>(async (db, cookies) => {
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

/** Finds a session, its user and permissions, in the single query of every signed-in request. */
export async function findLiveSession(db: Db, realm: string, tokenHash: string, now: number): Promise<LiveSession | null> {
  const row = await liveRow(db, { realm, tokenHash, now });
  return row ? toLiveSession(realm, row) : null;
}

/** Finds the session behind a token, by the id that its grant names. */
export async function findSessionBehind(db: Db, realm: string, sessionId: string, now: number): Promise<LiveSession | null> {
  const [row] = await sessionById(db, { realm, sessionId, now });
  return row ? toLiveSession(realm, row) : null;
}

/** Returns a sign-in that began no session in the form of one, for the rule that judges sessions. */
export const unstoredSession = (
  realm: string,
  user: SignInUser,
  { at, proofs }: { readonly at: number; readonly proofs: readonly SessionProof[] },
): LiveSession => ({
  ...{
    realm,
    sessionId: NO_ID,
    userId: user.userId,
    username: user.username,
    user,
    proofs,
    authTime: at,
    lastSeenAt: at,
    absoluteExpiry: at,
  },
  ...{ acr: levelOf(proofs) ?? "0", amr: proofs.flatMap(({ amr }) => amr), impersonator: null, impersonatedFrom: null, remembered: false },
  ...{ browserId: null, sourceIp: null, requiredActions: user.requiredActions, permissions: new Set<string>() },
});

function toLiveSession(realm: string, row: LiveRow): LiveSession {
  return {
    realm,
    sessionId: row.session_id,
    userId: row.user_id,
    username: row.username,
    user: toSignInUser(row),
    impersonator: row.impersonator,
    impersonatedFrom:
      row.impersonator_session === null
        ? null
        : { realm: row.impersonator_realm!, userId: row.impersonator_id!, sessionId: row.impersonator_session },
    remembered: row.remembered,
    authTime: row.auth_time,
    acr: acrOf(row),
    amr: row.amr,
    proofs: row.impersonator === null ? proofsOf(row.proofs, { authTime: row.auth_time, amr: row.amr }) : [],
    browserId: browserOf(row.proofs, row.auth_time),
    sourceIp: row.source_ip,
    requiredActions: row.actions,
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
  readonly authTime: number;
  readonly expiresAt: number;
  readonly absoluteExpiry: number;
  readonly remembered: boolean;
  readonly acr: string;
  readonly amr: readonly string[];
  /** The passed steps. */
  readonly proofs: readonly SessionProof[];
  /** The known browser in which it begins. */
  readonly browserId?: string | null;
  readonly sourceIp: string | null;
  readonly userAgent: string | null;
  readonly impersonator?: OwnSession & { readonly name: string };
}

const authentication = (session: NewSession) => ({
  token_hash: session.tokenHash,
  auth_time: session.authTime,
  last_seen_at: session.now,
  expires_at: session.expiresAt,
  absolute_expiry: session.absoluteExpiry,
  remembered: session.remembered,
  acr: session.acr,
  amr: JSON.stringify(session.amr),
  proofs: JSON.stringify(storedProofs(session.authTime, session.proofs, session.browserId ?? null)),
  source_ip: session.sourceIp,
  user_agent: session.userAgent === null ? null : cut(session.userAgent, 512),
});

export async function insertSession(tx: Tx, realm: string, session: NewSession): Promise<void> {
  await insert(tx, {
    realm_id: realm,
    session_id: session.sessionId,
    user_id: session.userId,
    created_at: session.now,
    impersonator: session.impersonator?.name ?? null,
    impersonator_id: session.impersonator?.userId ?? null,
    impersonator_realm: session.impersonator?.realm ?? null,
    impersonator_session: session.impersonator?.sessionId ?? null,
    ...authentication(session),
  });
}

const insert = prepared((row: Insertable<SessionsTable>, db) =>
  db.insertInto("sessions").values({
    ...{ realm_id: row.realm_id, session_id: row.session_id, user_id: row.user_id, created_at: row.created_at },
    ...{ impersonator: row.impersonator, impersonator_id: row.impersonator_id, impersonator_realm: row.impersonator_realm },
    ...{ impersonator_session: row.impersonator_session, token_hash: row.token_hash, auth_time: row.auth_time },
    ...{ last_seen_at: row.last_seen_at, expires_at: row.expires_at, absolute_expiry: row.absolute_expiry, remembered: row.remembered },
    ...{ acr: row.acr, amr: row.amr, proofs: row.proofs, source_ip: row.source_ip, user_agent: row.user_agent },
  }),
);

/** Renews the session when the same user signs in again in the same browser: it gets a new cookie value. */
export async function renewSession(tx: Tx, realm: string, session: NewSession): Promise<boolean> {
  return updateRows(tx, "sessions", { realm_id: realm, session_id: session.sessionId, user_id: session.userId }, authentication(session));
}

/** Records activity with optimistic locking: only one of concurrent requests writes, and none overwrites a newer sign-in. */
export async function touchSession(
  db: Db,
  realm: string,
  { sessionId, lastSeenAt }: Pick<LiveSession, "sessionId" | "lastSeenAt">,
  now: number,
  expiresAt: number,
): Promise<void> {
  await updateRows(
    db,
    "sessions",
    { realm_id: realm, session_id: sessionId, last_seen_at: lastSeenAt },
    { last_seen_at: now, expires_at: expiresAt },
  );
}
