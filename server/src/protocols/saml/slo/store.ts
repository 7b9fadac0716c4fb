import { type ColumnType, sql } from "kysely";
import { MINUTE } from "../../../kernel/clock.ts";
import { isId } from "../../../kernel/ids.ts";
import { sha256 } from "../../../kernel/vault.ts";
import type { LogoutFrame } from "../../../pages/index.ts";
import { type Db, findRow, insertRow, type Tx, updateRows } from "../../../platform/db/index.ts";
import type { EndedSession } from "../../../signin/sessions/index.ts";
import { type BrowserBinding, type SamlParticipant, toParticipant } from "./endpoints.ts";

type State = "waiting" | "asked" | "done" | "failed";

interface LogoutsTable {
  realm_id: string;
  logout_id: string;
  session_id: string;
  user_id: string;
  browser_hash: string | null;
  requester: ColumnType<Requester | null, string | null, string | null>;
  next: string;
  frames: ColumnType<LogoutFrame[], string, string>;
  created_at: number;
  expires_at: number;
}

interface LogoutParticipantsTable {
  realm_id: string;
  logout_id: string;
  entity_id: string;
  participant: ColumnType<Record<string, unknown>, string, string>;
  state: ColumnType<State, State | undefined, State>;
  request_id: string | null;
}

declare module "../../../platform/db/tables.ts" {
  interface Tables {
    saml_logouts: LogoutsTable;
    saml_logout_participants: LogoutParticipantsTable;
  }
}

/** The service provider that requested a logout, and the data for its response. */
export interface Requester {
  readonly entityId: string;
  readonly requestId: string;
  readonly relayState: string | null;
  readonly binding: BrowserBinding;
}

export interface Logout {
  readonly realm: string;
  readonly logoutId: string;
  readonly requester: Requester | null;
  readonly next: string;
  readonly frames: readonly LogoutFrame[];
}

/** A service provider that took part in the session. */
export interface LogoutParticipant extends SamlParticipant {
  readonly entityId: string;
  readonly state: State;
}

/** The time that a user may take for a logout. */
const LIFETIME = 10 * MINUTE;

export interface NewLogout {
  readonly logoutId: string;
  readonly ended: EndedSession;
  /** The browser's pre-session, or null if there is no browser. */
  readonly browser: string | null;
  readonly requester: Requester | null;
  readonly next: string;
  readonly frames: readonly LogoutFrame[];
  readonly now: number;
}

/** Inserts a logout. Returns null if no participant has to be notified. */
export async function insertLogout(tx: Tx, { logoutId, ended, browser, requester, next, frames, now }: NewLogout): Promise<string | null> {
  const { realm, sessionId, userId } = ended;
  const participants = ended.participants.filter(({ protocol }) => protocol === "saml");
  if (participants.length === 0 && requester === null) return null;
  await insertRow(tx, "saml_logouts", {
    ...{ realm_id: realm, logout_id: logoutId, session_id: sessionId, user_id: userId, next },
    browser_hash: browser === null ? null : sha256(browser),
    requester: requester === null ? null : JSON.stringify(requester),
    frames: JSON.stringify(frames),
    ...{ created_at: now, expires_at: now + LIFETIME },
  });
  if (participants.length > 0)
    await tx
      .insertInto("saml_logout_participants")
      .values(
        participants.map(({ clientId, participant }) => ({
          ...{ realm_id: realm, logout_id: logoutId, entity_id: clientId, request_id: null },
          participant: JSON.stringify(participant),
        })),
      )
      .execute();
  return logoutId;
}

/** Finds a logout of one of these browsers. Returns null if it is another browser's, unknown or expired. */
export async function findLogout(
  db: Db,
  realm: string,
  logoutId: string,
  { browsers, now }: { readonly browsers: readonly string[]; readonly now: number },
): Promise<Logout | null> {
  if (!isId(logoutId) || browsers.length === 0) return null;
  const row = await db
    .selectFrom("saml_logouts")
    .select(["requester", "next", "frames"])
    .where("realm_id", "=", realm)
    .where("logout_id", "=", logoutId)
    .where("browser_hash", "in", browsers.map(sha256))
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return row ? { realm, logoutId, ...row } : null;
}

type OfLogout = Pick<Logout, "realm" | "logoutId">;

export async function participantsOf(db: Db, { realm, logoutId }: OfLogout): Promise<LogoutParticipant[]> {
  const rows = await db
    .selectFrom("saml_logout_participants")
    .select(["entity_id", "participant", "state"])
    .where("realm_id", "=", realm)
    .where("logout_id", "=", logoutId)
    .orderBy("entity_id")
    .execute();
  return rows.map(({ entity_id, participant, state }) => ({ entityId: entity_id, state, ...toParticipant(participant) }));
}

/** Marks a participant as asked. Returns false if another tab is asking it. */
export async function markAsked(db: Db, { realm, logoutId }: OfLogout, entityId: string, requestId: string): Promise<boolean> {
  return updateRows(
    db,
    "saml_logout_participants",
    { realm_id: realm, logout_id: logoutId, entity_id: entityId, state: "waiting" },
    { state: "asked", request_id: requestId },
  );
}

/** Marks a participant to be asked again, as the user wishes. */
export async function askAgain(db: Db, { realm, logoutId }: OfLogout, entityId: string): Promise<void> {
  await db
    .updateTable("saml_logout_participants")
    .set({ state: "waiting" })
    .where("realm_id", "=", realm)
    .where("logout_id", "=", logoutId)
    .where("entity_id", "=", entityId)
    .where("state", "in", ["asked", "failed"])
    .execute();
}

/** Finds the logout of these browsers and the service provider for a request of ours. */
export async function findAsked(
  db: Db,
  realm: string,
  requestId: string,
  { browsers, now }: { readonly browsers: readonly string[]; readonly now: number },
): Promise<{ readonly logoutId: string; readonly entityId: string } | null> {
  const row = await db
    .selectFrom("saml_logout_participants as p")
    .innerJoin("saml_logouts as l", (join) => join.onRef("l.realm_id", "=", "p.realm_id").onRef("l.logout_id", "=", "p.logout_id"))
    .select(["p.logout_id", "p.entity_id"])
    .where("p.realm_id", "=", realm)
    .where("p.request_id", "=", requestId)
    .where("l.browser_hash", "in", browsers.map(sha256))
    .where("l.expires_at", ">", now)
    .executeTakeFirst();
  return row ? { logoutId: row.logout_id, entityId: row.entity_id } : null;
}

export async function settleAsked(db: Db, realm: string, requestId: string, state: "done" | "failed"): Promise<void> {
  await updateRows(db, "saml_logout_participants", { realm_id: realm, request_id: requestId, state: "asked" }, { state });
}

/** Stores the result of the back channel. Most sessions have no logout that waits for it. */
export async function settleBySession(
  db: Db,
  { realm, sessionId, entityId }: { readonly realm: string; readonly sessionId: string; readonly entityId: string },
  state: "done" | "failed",
): Promise<void> {
  await sql`
    update saml_logout_participants p set state = ${state} from saml_logouts l
    where l.realm_id = ${realm} and l.session_id = ${sessionId} and p.realm_id = l.realm_id and p.logout_id = l.logout_id
      and p.entity_id = ${entityId}`.execute(db);
}

/** Finds the newest logout of one of these browsers. */
export async function findLatestLogout(db: Db, realm: string, browsers: readonly string[], now: number): Promise<string | null> {
  const row = await db
    .selectFrom("saml_logouts")
    .select("logout_id")
    .where("realm_id", "=", realm)
    .where("browser_hash", "in", browsers.map(sha256))
    .where("expires_at", ">", now)
    .orderBy("created_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.logout_id ?? null;
}

export interface JoinedSession extends SamlParticipant {
  readonly sessionId: string;
  readonly userId: string;
  readonly username: string;
}

/** The limit of sessions that end at once. Only programs have more sessions of one user at one service provider. */
const MANY = 100;

/**
 * Finds and locks the live sessions in which the service provider knows a user by this NameID, with these SessionIndexes or, without any,
 * with all. `more` tells whether there are others beyond the limit.
 */
export async function sessionsByNameId(
  tx: Tx,
  realm: string,
  { entityId, nameId, sessionIndexes }: { readonly entityId: string; readonly nameId: string; readonly sessionIndexes: readonly string[] },
  now: number,
): Promise<{ readonly joined: JoinedSession[]; readonly more: boolean }> {
  const isAsked = sessionIndexes.length === 0 ? sql`true` : sql`p.participant ->> 'sessionIndex' = any(${[...sessionIndexes]}::text[])`;
  const { rows } = await sql<{ session_id: string; user_id: string; username: string; participant: Record<string, unknown> }>`
    select s.session_id, s.user_id, u.username, p.participant
    from session_participants p
    join sessions s on s.realm_id = p.realm_id and s.session_id = p.session_id
    join users u on u.realm_id = s.realm_id and u.user_id = s.user_id
    where p.realm_id = ${realm} and p.client_id = ${entityId} and p.protocol = 'saml' and s.expires_at > ${now}
      and md5(p.participant -> 'nameId' ->> 'value') = md5(${nameId}::text) and ${isAsked}
    order by s.session_id limit ${MANY + 1} for update of s`.execute(tx);
  const joined = rows.slice(0, MANY).map((row) => ({
    ...{ sessionId: row.session_id, userId: row.user_id, username: row.username },
    ...toParticipant(row.participant),
  }));
  return { joined, more: rows.length > MANY };
}

/** Returns the service provider's part in a session, or null if it has none, or the session is over. */
export async function participantIn(tx: Tx, realm: string, sessionId: string, entityId: string): Promise<SamlParticipant | null> {
  const row = await findRow(tx, "session_participants", ["participant"], {
    realm_id: realm,
    session_id: sessionId,
    protocol: "saml",
    client_id: entityId,
  });
  return row ? toParticipant(row.participant) : null;
}

const CLEANUP_BATCH = 5_000;

export async function deleteExpiredLogouts(db: Db, now: number): Promise<void> {
  for (;;) {
    const { numAffectedRows } = await sql`
      delete from saml_logouts where (realm_id, logout_id) in
        (select realm_id, logout_id from saml_logouts where expires_at <= ${now} limit ${CLEANUP_BATCH})`.execute(db);
    if (Number(numAffectedRows ?? 0n) < CLEANUP_BATCH) return;
  }
}
