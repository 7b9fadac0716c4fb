import { type Generated, sql } from "kysely";
import { NO_ID } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/vault.ts";
import { type Db, deleteExpired, findRow, prepared, type Tx } from "../../platform/db/index.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";

interface KnownDevicesTable {
  realm_id: string;
  user_id: string;
  device_id: string;
  token_hash: string;
  user_agent: string | null;
  created_at: number;
  last_seen_at: number;
  trusted_until: Generated<number>;
  trusted_by: Generated<string[]>;
  expires_at: number;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    known_devices: KnownDevicesTable;
  }
}

export interface KnownBrowser {
  readonly id: string;
  readonly tokenHash: string;
  readonly userAgent: string | null;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  /** The time at which the trust ends. 0 if there is none. */
  readonly trustedUntil: number;
  /** The authenticators that were passed when the trust began. */
  readonly trustedBy: readonly string[];
}

export interface SeenBrowser {
  readonly userId: string;
  readonly tokenHash: string;
  readonly userAgent: string | null;
  /** Null if the trust does not change. */
  readonly trust: { readonly until: number; readonly by: readonly string[] } | null;
  readonly expiresAt: number;
}

const columns = [
  ...(["device_id as id", "token_hash as tokenHash", "user_agent as userAgent", "created_at as createdAt"] as const),
  ...(["last_seen_at as lastSeenAt", "trusted_until as trustedUntil", "trusted_by as trustedBy"] as const),
] as const;

/** Finds the user's browser that has one of these values. If there are several, returns the one that is trusted longest. */
export async function findBrowser(
  db: Db,
  realm: string,
  userId: string,
  tokenHashes: readonly string[],
  now: number,
): Promise<KnownBrowser | null> {
  if (tokenHashes.length === 0) return null;
  const [row] = await byToken(db, { realm, userId, tokenHashes, now });
  return row ?? null;
}

const byToken = prepared((key: { realm: string; userId: string; tokenHashes: readonly string[]; now: number }, db) =>
  db
    .selectFrom("known_devices")
    .select(columns)
    .where((e) => e.and({ realm_id: key.realm, user_id: key.userId }))
    .where(sql<boolean>`token_hash = any(${key.tokenHashes}::text[])`)
    .where("expires_at", ">", key.now)
    .orderBy("trusted_until", "desc")
    .orderBy("last_seen_at", "desc")
    .limit(1),
);

type Trust = Pick<KnownBrowser, "trustedUntil" | "trustedBy">;

/** Returns the trust of the browser in which a session began. */
async function findTrust(db: Db, realm: string, userId: string, id: string): Promise<Trust | null> {
  return findRow(db, "known_devices", ["trusted_until as trustedUntil", "trusted_by as trustedBy"], {
    realm_id: realm,
    user_id: userId,
    device_id: id,
  });
}

/** Updates a browser. A new `tokenHash` begins the trust. It replaces the former trust, which is not prolonged without a new proof. */
export async function touchBrowser(tx: Tx, realm: string, id: string, { userId, tokenHash, trust, expiresAt }: SeenBrowser, now: number) {
  await sql`
    update known_devices set last_seen_at = ${now}, expires_at = ${expiresAt}, token_hash = ${tokenHash},
      trusted_until = coalesce(${trust?.until ?? null}::bigint, trusted_until), trusted_by = coalesce(${trust?.by ?? null}::text[], trusted_by)
    where realm_id = ${realm} and user_id = ${userId} and device_id = ${id}`.execute(tx);
}

/** Inserts a browser. Returns true if the user has others. */
export async function insertBrowser(tx: Tx, realm: string, id: string, seen: SeenBrowser, now: number): Promise<boolean> {
  const { userId, tokenHash, userAgent, trust, expiresAt } = seen;
  const { rows } = await sql<{ has_others: boolean }>`
    insert into known_devices as d
      (realm_id, user_id, device_id, token_hash, user_agent, created_at, last_seen_at, trusted_until, trusted_by, expires_at)
    values (${realm}, ${userId}, ${id}, ${tokenHash}, ${userAgent}, ${now}, ${now}, ${trust?.until ?? 0}, ${trust?.by ?? []}::text[], ${expiresAt})
    returning exists (select from known_devices o
      where o.realm_id = d.realm_id and o.user_id = d.user_id and o.token_hash <> d.token_hash) as has_others`.execute(tx);
  return rows[0]?.has_others ?? false;
}

/** Deletes old browsers of a user: a browser that never keeps our cookie would add a row at each sign-in. */
export async function keepNewestBrowsers(tx: Tx, realm: string, userId: string, count: number): Promise<void> {
  await sql`
    delete from known_devices where realm_id = ${realm} and user_id = ${userId} and device_id in (
      select device_id from known_devices where realm_id = ${realm} and user_id = ${userId}
      order by last_seen_at desc, device_id desc offset ${count})`.execute(tx);
}

/** Lists the user's browsers, last used first. */
export async function listBrowsers(db: Db, realm: string, userId: string, now: number): Promise<KnownBrowser[]> {
  return db
    .selectFrom("known_devices")
    .select(columns)
    .where((e) => e.and({ realm_id: realm, user_id: userId }))
    .where("expires_at", ">", now)
    .orderBy("last_seen_at", "desc")
    .orderBy("device_id", "desc")
    .execute();
}

/** Deletes a browser. Returns the time until which it was trusted, or null if there was no such browser. */
export async function deleteBrowser(tx: Tx, realm: string, userId: string, id: string): Promise<number | null> {
  const row = await tx
    .deleteFrom("known_devices")
    .where((e) => e.and({ realm_id: realm, user_id: userId, device_id: id }))
    .returning("trusted_until")
    .executeTakeFirst();
  return row?.trusted_until ?? null;
}

/** Ends the trust of all users of the realm, or of one user. */
export async function distrustBrowsers(tx: Tx, realm: string, userId?: string): Promise<void> {
  const trusted = tx.updateTable("known_devices").set({ trusted_until: 0 }).where("realm_id", "=", realm).where("trusted_until", ">", 0);
  await (userId === undefined ? trusted : trusted.where("user_id", "=", userId)).execute();
}

export const deleteExpiredBrowsers = (db: Db, now: number): Promise<void> => deleteExpired(db, "known_devices", now);

/** A browser that several people use has a value for each of them, the newest first. */
export const MAX_VALUES = 5;
export const valuesIn = (cookie: string | null): readonly string[] =>
  (cookie ?? "").split(".", MAX_VALUES).filter((value) => /^[\w-]{43}$/.test(value));
export const hashesIn = (cookie: string | null): readonly string[] => valuesIn(cookie).map(sha256);

/** Tells whether the cookie contains the value of this hash. */
export const isBrowserOf = (cookie: string | null, tokenHash: string): boolean => hashesIn(cookie).includes(tokenHash);

/**
 * Returns the authenticators that need not be asked again in this browser: the one with this cookie, or the one in which the session began.
 * Returns null if it is not trusted.
 */
export async function findTrustedBy(
  db: Db,
  { realmId, settings }: RealmSnapshot,
  userId: string,
  { cookie, id }: { readonly cookie: string | null; readonly id: string | null },
  now: number,
): Promise<readonly string[] | null> {
  if (!settings.trustedDevices.enabled) return null;
  const trustedBy = (trust: Trust | null) => (trust !== null && trust.trustedUntil > now ? trust.trustedBy : null);
  const ofSession = id === null ? null : trustedBy(await findTrust(db, realmId, userId, id));
  return ofSession ?? trustedBy(await findBrowser(db, realmId, userId, hashesIn(cookie), now));
}

/** Returns the id of the browser, if the user has signed in with it before. */
export async function knownBrowser(
  db: Db,
  realm: string,
  userId: string | null,
  token: string | null,
  now: number,
): Promise<string | null> {
  return (await findBrowser(db, realm, userId ?? NO_ID, hashesIn(token), now))?.id ?? null;
}
