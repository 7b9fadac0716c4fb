import { type Generated, sql } from "kysely";
import { permissionsAmong } from "../../directory/roles/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { type Db, deleteRows, inTransaction, prepared, type Tx } from "../../platform/db/index.ts";
import { enqueue } from "../../platform/jobs/index.ts";
import { providerErrors } from "./errors.ts";

declare module "../../platform/db/tables.ts" {
  interface Tables {
    identity_links: {
      realm_id: string;
      provider_id: string;
      subject: string;
      user_id: string;
      username: string | null;
      linked_at: number;
      used_at: number | null;
      supplied: Generated<string[]>;
    };
    identity_provider_grants: { realm_id: string; user_id: string; provider_id: string; kind: "role" | "group"; target_id: string };
  }
}

/** A user's account at a provider. */
export interface Link {
  readonly alias: string;
  readonly displayName: string;
  readonly protocol: string;
  readonly providerId: string;
  readonly subject: string;
  readonly username: string | null;
  readonly linkedAt: number;
  readonly lastUsedAt: number | null;
  readonly enabled: boolean;
  readonly tokensKept: boolean;
}

interface Owner {
  readonly realmId: string;
  readonly providerId: string;
}

export async function hasLinks(db: Db, { realmId, providerId }: Owner): Promise<boolean> {
  const { rows } = await sql`select 1 from identity_links where realm_id = ${realmId} and provider_id = ${providerId} limit 1`.execute(db);
  return rows.length > 0;
}

/** Returns the links of a user to providers that exist. */
export async function linksOfUser(db: Db, realm: string, userId: string): Promise<Link[]> {
  const { rows } = await sql<{
    alias: string;
    display_name: string;
    protocol: string;
    provider_id: string;
    subject: string;
    username: string | null;
    linked_at: number;
    used_at: number | null;
    enabled: boolean;
    tokens_kept: boolean;
  }>`
    select p.alias, p.display_name, p.protocol, p.provider_id, l.subject, l.username, l.linked_at, l.used_at, p.enabled,
      exists (select 1 from identity_link_tokens t where t.realm_id = l.realm_id and t.user_id = l.user_id
        and t.provider_id = l.provider_id) as tokens_kept
    from identity_links l join identity_providers p on p.realm_id = l.realm_id and p.provider_id = l.provider_id
    where l.realm_id = ${realm} and l.user_id = ${userId} order by p.alias`.execute(db);
  return rows.map((row) => ({
    alias: row.alias,
    displayName: row.display_name,
    protocol: row.protocol,
    providerId: row.provider_id,
    subject: row.subject,
    username: row.username,
    linkedAt: row.linked_at,
    lastUsedAt: row.used_at,
    enabled: row.enabled,
    tokensKept: row.tokens_kept,
  }));
}

export interface LinkedUser {
  readonly userId: string;
  /** True if the user has roles or groups from the provider's mappers, including mappers that were deleted since. */
  readonly hasGrants: boolean;
}

/** Tells whether the user of the link `l` has grants from mappers of its provider. */
export const hasGrants = sql<boolean>`exists (select 1 from identity_provider_grants g
  where g.realm_id = l.realm_id and g.user_id = l.user_id and g.provider_id = l.provider_id)`;

/** Returns the user that a subject is linked to. */
export async function findLinkedUser(db: Db, realm: string, providerId: string, subject: string): Promise<LinkedUser | null> {
  const [row] = await linkedUser(db, { realm, providerId, subject });
  return row ?? null;
}

const linkedUser = prepared(
  ({ realm, providerId, subject }: { realm: string; providerId: string; subject: string }) => sql<LinkedUser>`
    select l.user_id as "userId", ${hasGrants} as "hasGrants"
    from identity_links l where l.realm_id = ${realm} and l.provider_id = ${providerId} and l.subject = ${subject}`,
);

/** Tells whether the user is linked to an account at the provider. */
export async function isLinkedTo(db: Db, realm: string, providerId: string, userId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from identity_links where realm_id = ${realm} and user_id = ${userId} and provider_id = ${providerId}`.execute(db);
  return rows.length > 0;
}

export interface NewLink {
  readonly providerId: string;
  readonly subject: string;
  readonly userId: string;
  readonly username: string | null;
}

/**
 * Inserts a link. The database ensures that a subject belongs to one user, and that a user has one account at each provider. Returns false if the same link
 * exists, even if another request has just made it.
 */
export async function insertLink(tx: Tx, realm: string, link: NewLink, now: number): Promise<boolean> {
  const { providerId, subject, userId, username } = link;
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("identity_links")
    .values({ realm_id: realm, provider_id: providerId, subject, user_id: userId, username, linked_at: now, used_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if ((numInsertedOrUpdatedRows ?? 0n) > 0n) return true;
  if (await touchLink(tx, realm, link, now)) return false;
  throw (await findLinkedUser(tx, realm, providerId, subject)) === null ? providerErrors.already_linked() : providerErrors.subject_linked();
}

/** Returns false if the link no longer exists. */
export async function touchLink(tx: Tx, realm: string, link: NewLink, now: number): Promise<boolean> {
  const touched = await touch(tx, { ...link, realm, now });
  return touched.length > 0;
}

/** Keeps a link from being deleted until commit. Returns false if it no longer exists, or if its provider is disabled. */
export const holdLink = async (tx: Tx, realm: string, link: Omit<NewLink, "username">): Promise<boolean> =>
  (await held(tx, { ...link, realm })).length > 0;

const held = prepared(
  ({ realm, providerId, subject, userId }: Omit<NewLink, "username"> & { realm: string }) => sql`
    select 1 from identity_links l
    join identity_providers p on p.realm_id = l.realm_id and p.provider_id = l.provider_id and p.enabled
    where l.realm_id = ${realm} and l.provider_id = ${providerId} and l.subject = ${subject} and l.user_id = ${userId}
    for key share of l`,
);

/** The username may be null: the provider does not name it in every answer. */
const touch = prepared(
  ({ realm, providerId, subject, userId, username, now }: NewLink & { realm: string; now: number }) => sql`
    update identity_links set used_at = ${now}, username = coalesce(${username}::text, username)
    where realm_id = ${realm} and provider_id = ${providerId} and subject = ${subject} and user_id = ${userId} returning 1`,
);

/** Returns the members of a user that schemes have supplied, such as `firstName` or `email`. */
export async function suppliedMembers(db: Db, realm: string, userId: string): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom("identity_links")
    .select("supplied")
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .execute();
  return new Set(rows.flatMap(({ supplied }) => supplied));
}

/** Records what a scheme supplied. `names` is null if this sign-in took no names; then the names of earlier sign-ins stay recorded. */
export async function recordSupplied(
  tx: Tx,
  realm: string,
  { providerId, userId }: { readonly providerId: string; readonly userId: string },
  { names, attributes }: { readonly names: readonly string[] | null; readonly attributes: readonly string[] },
): Promise<void> {
  const kept =
    names === null ? sql`array(select m from unnest(supplied) m where m = any(${[...PROFILE]}::text[]))` : sql`${[...names]}::text[]`;
  await sql`update identity_links set supplied = ${kept} || ${[...attributes]}::text[]
    where realm_id = ${realm} and provider_id = ${providerId}::uuid and user_id = ${userId}::uuid`.execute(tx);
}

const PROFILE = ["firstName", "lastName", "email"] as const;

export async function deleteLink(tx: Tx, realm: string, userId: string, providerId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("identity_links")
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .where("provider_id", "=", providerId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export const FORGET_LINKS_JOB = "identity-providers.forget-links";
const BATCH = 5_000;

/** Enqueues the deletion of a provider's links. A directory may have linked a million users, and until the job has run their links lead to no provider. */
export const forgetLinksLater = (ctx: Ctx, { realmId, providerId }: Owner): Promise<unknown> =>
  enqueue(ctx.tx, { kind: FORGET_LINKS_JOB, realm: realmId, payload: { providerId }, runAt: ctx.now }, ctx.now);

export async function forgetLinks(db: Db, realm: string, providerId: string): Promise<void> {
  for (const table of ["identity_links", "identity_provider_grants"] as const) {
    const target = sql.table(table);
    let found = 1n;
    while (found > 0n)
      found = await inTransaction(db, async (tx) => {
        const { numAffectedRows } = await sql`delete from ${target} where ctid = any (array(select ctid from ${target}
          where realm_id = ${realm} and provider_id = ${providerId} limit ${BATCH}))`.execute(tx);
        return numAffectedRows ?? 0n;
      });
  }
}

export interface MadeGrant {
  readonly kind: "role" | "group";
  readonly targetId: string;
}

/** Returns the roles and groups that a user has from mappers of a provider. */
export async function grantsMadeBy(db: Db, realm: string, providerId: string, userId: string): Promise<MadeGrant[]> {
  const rows = await db
    .selectFrom("identity_provider_grants")
    .select(["kind", "target_id"])
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .where("provider_id", "=", providerId)
    .execute();
  return rows.map(({ kind, target_id: targetId }) => ({ kind, targetId }));
}

export async function recordGrants(tx: Tx, realm: string, providerId: string, userId: string, grants: readonly MadeGrant[]): Promise<void> {
  const key = { realm_id: realm, user_id: userId, provider_id: providerId };
  await deleteRows(tx, "identity_provider_grants", key);
  if (grants.length === 0) return;
  const rows = grants.map(({ kind, targetId }) => ({ ...key, kind, target_id: targetId }));
  await tx.insertInto("identity_provider_grants").values(rows).execute();
}

/** Records the grants of users who had none. */
export async function recordNewGrants(
  tx: Tx,
  realm: string,
  providerId: string,
  grants: readonly (MadeGrant & { readonly userId: string })[],
): Promise<void> {
  if (grants.length === 0) return;
  const rows = JSON.stringify(grants.map(({ userId, kind, targetId }) => ({ user_id: userId, kind, target_id: targetId })));
  await sql`insert into identity_provider_grants (realm_id, user_id, provider_id, kind, target_id)
    select ${realm}, r.user_id, ${providerId}::uuid, r.kind, r.target_id
    from json_to_recordset(${rows}::text::json) as r(user_id uuid, kind text, target_id uuid) on conflict do nothing`.execute(tx);
}

/** Returns the permissions of users who are linked to a provider, or whose account came from one of `sources`. */
export function permissionsThrough(
  db: Db,
  realm: string,
  { providerId, sources }: { providerId: string | null; sources: readonly string[] },
) {
  const isLinked = sql`exists (select 1 from identity_links l
    where l.realm_id = ${realm} and l.user_id = h.user_id and l.provider_id = ${providerId}::uuid)`;
  const isSourced = sql`exists (select 1 from users u
    where u.realm_id = ${realm} and u.user_id = h.user_id and u.source = any(${[...sources]}::text[]))`;
  return permissionsAmong(db, realm, sql`(${isLinked} or ${isSourced})`);
}
