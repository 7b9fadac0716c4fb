import { type Generated, sql } from "kysely";
import type { Ctx, DomainEvents, ReadCtx } from "../../platform/context.ts";
import { type Db, deleteRows, type Tx, translating } from "../../platform/db/index.ts";
import { sourceOf } from "../providers/control.ts";
import { providerErrors } from "../providers/errors.ts";
import { groupsOfClaims } from "./mapper-claims.ts";
import { groupsHash } from "./memberships.ts";
import type { Person } from "./person.ts";

declare module "../../platform/db/tables.ts" {
  interface Tables {
    directory_entries: {
      realm_id: string;
      provider_id: string;
      subject: string;
      dn: string;
      fingerprint: string;
      disabled_by_sync: Generated<boolean>;
      groups: Generated<string>;
    };
    directory_erasures: { realm_id: string; provider_id: string; hash: string; erased_at: number };
  }
}

interface Owner {
  readonly realm: string;
  readonly providerId: string;
}

/** An entry that already has a user, in the state in which it was last read. */
export interface KnownEntry {
  readonly subject: string;
  readonly userId: string;
  readonly dn: string | null;
  readonly fingerprint: string | null;
  readonly disabledBySync: boolean;
  /** A hash of the person's groups, among those that mappers name. */
  readonly groups: string;
}

interface KnownRow {
  subject: string;
  user_id: string;
  dn: string | null;
  fingerprint: string | null;
  disabled_by_sync: boolean | null;
  groups: string | null;
}

const toKnown = (row: KnownRow): KnownEntry => ({
  subject: row.subject,
  userId: row.user_id,
  dn: row.dn,
  fingerprint: row.fingerprint,
  disabledBySync: row.disabled_by_sync ?? false,
  groups: row.groups ?? "",
});

const known = ({ realm, providerId }: Owner) => sql`
  select l.subject, l.user_id, e.dn, e.fingerprint, e.disabled_by_sync, e.groups
  from identity_links l
  left join directory_entries e on e.realm_id = l.realm_id and e.provider_id = l.provider_id and e.subject = l.subject
  where l.realm_id = ${realm} and l.provider_id = ${providerId}`;

export async function knownEntry(db: Db, owner: Owner, subject: string): Promise<KnownEntry | null> {
  const { rows } = await sql<KnownRow>`${known(owner)} and l.subject = ${subject}`.execute(db);
  return rows[0] ? toKnown(rows[0]) : null;
}

/** Tells whether the directory disabled the user; returns null if nothing is stored of the entry. The caller must hold the lock on the user. */
export async function isDisabledBySync(tx: Tx, { realm, providerId }: Owner, subject: string): Promise<boolean | null> {
  const { rows } = await sql<{ disabled_by_sync: boolean }>`select disabled_by_sync from directory_entries
    where realm_id = ${realm} and provider_id = ${providerId}::uuid and subject = ${subject}`.execute(tx);
  return rows[0]?.disabled_by_sync ?? null;
}

/** Handles `user.enabled_set`: an administrator decided, so the return of the entry does not enable the user. */
export async function clearDisabledBySync(ctx: Ctx, { userId }: DomainEvents["user.enabled_set"]): Promise<void> {
  await sql`update directory_entries e set disabled_by_sync = false from identity_links l
    where l.realm_id = ${ctx.realm} and l.user_id = ${userId}
      and e.realm_id = l.realm_id and e.provider_id = l.provider_id and e.subject = l.subject and e.disabled_by_sync`.execute(ctx.tx);
}

/**
 * Handles `user.grants_removing`: marks the entry as changed, so that the next sync or sign-in grants again what mappers still give. Otherwise the entry would
 * count as unchanged. The empty fingerprint of an entry that is gone stays.
 */
export async function rereadEntry(ctx: Ctx, { userId }: DomainEvents["user.grants_removing"]): Promise<void> {
  await sql`update directory_entries e set fingerprint = 'grants removed', groups = '' from identity_links l
    where l.realm_id = ${ctx.realm} and l.user_id = ${userId}
      and e.realm_id = l.realm_id and e.provider_id = l.provider_id and e.subject = l.subject and e.fingerprint <> ''`.execute(ctx.tx);
}

/** Returns the people whose entry differs from the stored state, with that state, or with null if the person has no user yet. */
export async function changedEntries(
  db: Db,
  { realm, providerId }: Owner,
  people: readonly Pick<Person, "subject" | "fingerprint">[],
): Promise<Map<string, KnownEntry | null>> {
  if (people.length === 0) return new Map();
  const [subjects, fingerprints] = [people.map(({ subject }) => subject), people.map(({ fingerprint }) => fingerprint)];
  const { rows } = await sql<Omit<KnownRow, "user_id"> & { user_id: string | null }>`
    select r.subject, l.user_id, e.dn, e.fingerprint, e.disabled_by_sync, e.groups
    from unnest(${subjects}::text[], ${fingerprints}::text[]) as r(subject, fingerprint)
    left join directory_entries e on e.realm_id = ${realm} and e.provider_id = ${providerId} and e.subject = r.subject
    left join identity_links l on l.realm_id = ${realm} and l.provider_id = ${providerId} and l.subject = r.subject
    where e.fingerprint is distinct from r.fingerprint`.execute(db);
  return new Map(rows.map(({ user_id, ...row }) => [row.subject, user_id === null ? null : toKnown({ ...row, user_id })]));
}

/** Returns the ids after `after` of entries that were present when they were last read, in order, of users that were linked before `linkedBefore`. */
export async function presentAfter(
  db: Db,
  { realm, providerId }: Owner,
  { after, linkedBefore, limit }: { readonly after: string; readonly linkedBefore: number; readonly limit: number },
): Promise<string[]> {
  // A subquery instead of a join: right after a run has written all entries, their statistics are missing, and Postgres would plan a join for a single row,
  // which compares all entries with all links.
  const { rows } = await sql<{ subject: string }>`
    select e.subject from directory_entries e
    where e.realm_id = ${realm} and e.provider_id = ${providerId} and e.fingerprint <> '' and e.subject > ${after}
      and (select l.linked_at from identity_links l
        where l.realm_id = e.realm_id and l.provider_id = e.provider_id and l.subject = e.subject) < ${linkedBefore}
    order by e.subject limit ${limit}`.execute(db);
  return rows.map(({ subject }) => subject);
}

export async function knownEntries(db: Db, owner: Owner, subjects: readonly string[]): Promise<KnownEntry[]> {
  const { rows } = await sql<KnownRow>`${known(owner)} and l.subject = any(${[...subjects]}::text[]) order by l.subject`.execute(db);
  return rows.map(toKnown);
}

/** Returns present entries in the order of their ids, with the names by which groups list them and the hash of their groups. */
export async function groupedEntriesAfter(
  db: Db,
  { realm, providerId }: Owner,
  after: string,
  limit: number,
): Promise<{ subject: string; dn: string; username: string; groups: string }[]> {
  // A lateral lookup for each entry, for the same reason as in `presentAfter`.
  const { rows } = await sql<{ subject: string; dn: string; username: string; groups: string }>`
    select e.subject, e.dn, u.username, e.groups from directory_entries e
    cross join lateral (select u.username from identity_links l join users u on u.realm_id = l.realm_id and u.user_id = l.user_id
      where l.realm_id = e.realm_id and l.provider_id = e.provider_id and l.subject = e.subject limit 1) u
    where e.realm_id = ${realm} and e.provider_id = ${providerId} and e.fingerprint <> '' and e.subject > ${after}
    order by e.subject limit ${limit}`.execute(db);
  return rows;
}

/** Returns the source of a user, and the entries that the user is linked with. */
export async function entryOfUser(
  db: Db,
  realm: string,
  userId: string,
): Promise<{ source: string; links: { providerId: string; subject: string }[] } | null> {
  const { rows } = await sql<{ source: string; links: { providerId: string; subject: string }[] }>`
    select u.source, coalesce((select json_agg(json_build_object('providerId', l.provider_id, 'subject', l.subject)) from identity_links l
      where l.realm_id = u.realm_id and l.user_id = u.user_id), '[]') as links
    from users u where u.realm_id = ${realm} and u.user_id = ${userId}`.execute(db);
  return rows[0] ?? null;
}

/** Returns the directory entries of a user, for the export of their data. */
export async function entriesOfUser(
  { tx, realm }: Pick<ReadCtx, "tx" | "realm">,
  userId: string,
): Promise<{ source: string; entryId: string; dn: string; lastSyncAt: number | null }[]> {
  const { rows } = await sql<{ protocol: string; alias: string; subject: string; dn: string; synced_at: number | null }>`
    select p.protocol, p.alias, e.subject, e.dn, (select max(r.finished_at) from directory_runs r
      where r.realm_id = e.realm_id and r.provider_id = e.provider_id and r.state = 'done' and not r.dry_run) as synced_at
    from identity_links l
    join directory_entries e on e.realm_id = l.realm_id and e.provider_id = l.provider_id and e.subject = l.subject
    join identity_providers p on p.realm_id = l.realm_id and p.provider_id = l.provider_id
    where l.realm_id = ${realm} and l.user_id = ${userId} order by p.alias`.execute(tx);
  return rows.map(({ protocol, alias, subject, dn, synced_at }) => ({
    ...{ source: sourceOf(protocol, alias), entryId: subject, dn, lastSyncAt: synced_at },
  }));
}

export interface NewEntry {
  readonly userId: string;
  readonly person: Person;
}

/** Links new users to their entries. Returns the subjects that this call linked; another node was quicker with the others. */
export async function insertEntries(tx: Tx, { realm, providerId }: Owner, entries: readonly NewEntry[], now: number): Promise<Set<string>> {
  if (entries.length === 0) return new Set();
  const rows = entries.map(({ userId, person: { subject, username, dn, fingerprint, enabled, claims } }) => ({
    ...{ subject, user_id: userId, username, dn, fingerprint, disabled_by_sync: !enabled, groups: groupsHash(groupsOfClaims({ claims })) },
  }));
  const asked = sql`json_to_recordset(${JSON.stringify(rows)}::text::json)
    as r(subject text, user_id uuid, username text, dn text, fingerprint text, disabled_by_sync boolean, groups text)`;
  const linked = await sql<{ subject: string }>`
    insert into identity_links (realm_id, provider_id, subject, user_id, username, linked_at)
    select ${realm}, ${providerId}::uuid, r.subject, r.user_id, r.username, ${now} from ${asked}
    order by r.subject collate "C" on conflict do nothing returning subject`.execute(tx);
  const subjects = new Set(linked.rows.map(({ subject }) => subject));
  await sql`
    insert into directory_entries (realm_id, provider_id, subject, dn, fingerprint, disabled_by_sync, groups)
    select ${realm}, ${providerId}::uuid, r.subject, r.dn, r.fingerprint, r.disabled_by_sync, r.groups from ${asked}
    where r.subject = any(${[...subjects]}::text[])`.execute(tx);
  return subjects;
}

/**
 * Links a user whose entry is gone to another entry, found by the username. Only users whom the directory disabled count. Returns null if there is no such
 * user, or more than one.
 */
export async function takeFormerEntry(
  tx: Tx,
  { realm, providerId }: Owner,
  { subject, usernameKey }: { readonly subject: string; readonly usernameKey: string },
): Promise<string | null> {
  const { rows } = await sql<{ user_id: string; subject: string }>`
    select l.user_id, l.subject from users u
    join identity_links l on l.realm_id = u.realm_id and l.user_id = u.user_id and l.provider_id = ${providerId}::uuid
    join directory_entries e on e.realm_id = l.realm_id and e.provider_id = l.provider_id and e.subject = l.subject
    where u.realm_id = ${realm} and u.username_key = ${usernameKey} and not u.enabled and e.fingerprint = '' and e.disabled_by_sync
    for update of u, e`.execute(tx);
  const [former, ...others] = rows;
  if (!former || others.length > 0) return null;
  await sql`delete from directory_entries
    where realm_id = ${realm} and provider_id = ${providerId}::uuid and subject = ${former.subject}`.execute(tx);
  await translating(
    { identity_links_subject_taken: providerErrors.subject_linked },
    sql`update identity_links set subject = ${subject}
      where realm_id = ${realm} and provider_id = ${providerId}::uuid and subject = ${former.subject}`.execute(tx),
  );
  return former.user_id;
}

/** Stores the present state of an entry. */
export async function saveEntry(
  tx: Tx,
  { realm, providerId }: Owner,
  entry: {
    readonly subject: string;
    readonly dn: string;
    readonly fingerprint: string;
    readonly groups: string;
    readonly disabledBySync: boolean;
  },
): Promise<void> {
  const state = { dn: entry.dn, fingerprint: entry.fingerprint, groups: entry.groups, disabled_by_sync: entry.disabledBySync };
  await tx
    .insertInto("directory_entries")
    .values({ realm_id: realm, provider_id: providerId, subject: entry.subject, ...state })
    .onConflict((conflict) => conflict.columns(["realm_id", "provider_id", "subject"]).doUpdateSet(state))
    .execute();
}

/** Returns those of the hashes that belong to entries of erased users. */
export async function erasedAmong(db: Db, { realm, providerId }: Owner, hashes: readonly string[]): Promise<Set<string>> {
  if (hashes.length === 0) return new Set();
  const rows = await db
    .selectFrom("directory_erasures")
    .select("hash")
    .where("realm_id", "=", realm)
    .where("provider_id", "=", providerId)
    .where("hash", "in", [...hashes])
    .execute();
  return new Set(rows.map(({ hash }) => hash));
}

export async function forgetErasure(tx: Tx, { realm, providerId }: Owner, hash: string): Promise<void> {
  await deleteRows(tx, "directory_erasures", { realm_id: realm, provider_id: providerId, hash });
}
