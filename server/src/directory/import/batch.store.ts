// Inserts many users in a few statements. The tables belong to users, credentials and roles.
import { sql } from "kysely";
import { newId } from "../../kernel/ids.ts";
import type { Db, Tx } from "../../platform/db/index.ts";
import { awaitPasswords } from "../credentials/index.ts";
import { inactiveKey, type User, withCleanNames } from "../users/index.ts";

export interface NewUser {
  readonly userId: string;
  readonly username: string;
  readonly usernameKey: string;
  readonly email: string | null;
  readonly emailKey: string | null;
  /** The keys, of these two, by which the user does not sign in. */
  readonly inactiveKeys?: ReadonlySet<string>;
  readonly emailVerified: boolean;
  readonly enabled: boolean;
  /** True if an administrator locked the user. */
  readonly locked?: boolean;
  readonly attributes: User["attributes"];
  readonly requiredActions: readonly string[];
  readonly passwordHash: string | null;
  readonly roleIds: readonly string[];
  readonly createdAt: number;
  /** The source of the account, if not `local`. */
  readonly source?: string;
}

/** Finds the users who sign in by these keys. `byUsername`: the key is the username, not the email address. */
export async function findTaken(
  tx: Db,
  realm: string,
  keys: readonly string[],
): Promise<Map<string, { userId: string; byUsername: boolean }>> {
  const { rows } = await sql<{ key: string; user_id: string; by_username: boolean }>`
    select n.key, n.user_id, n.key = u.username_key as by_username
    from login_names n
    -- The limit makes it look the users up one by one: a kept plan might read all users of the realm for every batch.
    cross join lateral (select u.username_key from users u where u.realm_id = n.realm_id and u.user_id = n.user_id limit 1) u
    where n.realm_id = ${realm} and n.key = any(${[...keys]}::text[])`.execute(tx);
  return new Map(rows.map((row) => [row.key, { userId: row.user_id, byUsername: row.by_username }]));
}

/** Returns the ids of the inserted users. The others lost a name to a concurrent insert, and are removed. */
export async function insertNewUsers(tx: Tx, realm: string, users: readonly NewUser[], now: number): Promise<Set<string>> {
  if (users.length === 0) return new Set();
  await sql`
    insert into users (realm_id, user_id, username, username_key, email, email_key, email_verified, enabled, locked, attributes, required_actions,
      created_at, source)
    select ${realm}, r.* from json_to_recordset(${JSON.stringify(users.map(userColumns))}::text::json) as r(user_id uuid, username text,
      username_key text, email text, email_key text, email_verified boolean, enabled boolean, locked boolean, attributes jsonb,
      required_actions jsonb, created_at bigint, source text)`.execute(tx);
  const names = users.flatMap(({ userId, usernameKey, emailKey, inactiveKeys }) =>
    [...new Set([usernameKey, emailKey])]
      .filter((key) => key !== null)
      .map((key) => ({ key: inactiveKeys?.has(key) ? inactiveKey(key, userId) : key, user_id: userId })),
  );
  // Keys are inserted in order, so that two imports of the same users cannot deadlock.
  const { rows } = await sql<{ user_id: string }>`
    insert into login_names (realm_id, key, user_id)
    select ${realm}, r.key, r.user_id from json_to_recordset(${JSON.stringify(names)}::text::json) as r(key text, user_id uuid)
    order by r.key collate "C" on conflict (realm_id, key) do nothing returning user_id`.execute(tx);
  const kept = await dropNameless(tx, realm, users, names, rows);
  const stay = users.filter(({ userId }) => kept.has(userId));
  await insertPasswords(tx, realm, stay, now);
  const isAwaited = ({ passwordHash, source = "local" }: NewUser) => passwordHash === null && source === "local";
  await awaitPasswords(
    tx,
    realm,
    stay.filter(isAwaited).map(({ userId }) => userId),
  );
  await insertRoles(tx, realm, stay);
  return kept;
}

const userColumns = (user: NewUser) => ({
  user_id: user.userId,
  username: user.username,
  username_key: user.usernameKey,
  email: user.email,
  email_key: user.emailKey,
  email_verified: user.emailVerified,
  enabled: user.enabled,
  locked: user.locked ?? false,
  attributes: withCleanNames(user.attributes),
  required_actions: user.requiredActions,
  created_at: user.createdAt,
  source: user.source ?? "local",
});

/** Removes users who did not get all of their names. */
async function dropNameless(
  tx: Tx,
  realm: string,
  users: readonly NewUser[],
  requested: readonly { user_id: string }[],
  got: readonly { user_id: string }[],
): Promise<Set<string>> {
  const kept = new Set(users.map(({ userId }) => userId));
  if (got.length === requested.length) return kept;
  const open = new Map<string, number>();
  for (const { user_id } of requested) open.set(user_id, (open.get(user_id) ?? 0) + 1);
  for (const { user_id } of got) open.set(user_id, (open.get(user_id) ?? 0) - 1);
  const nameless = [...open].filter(([, missing]) => missing > 0).map(([userId]) => userId);
  await sql`delete from users where realm_id = ${realm} and user_id = any(${nameless}::uuid[])`.execute(tx);
  for (const userId of nameless) kept.delete(userId);
  return kept;
}

async function insertPasswords(tx: Tx, realm: string, users: readonly NewUser[], now: number): Promise<void> {
  const passwords = users.flatMap(({ userId, passwordHash }) =>
    passwordHash === null ? [] : [{ user_id: userId, credential_id: newId(), secret: passwordHash }],
  );
  if (passwords.length === 0) return;
  await sql`
    insert into credentials (realm_id, user_id, credential_id, type, secret, created_at)
    select ${realm}, r.user_id, r.credential_id, 'password', r.secret, ${now}
    from json_to_recordset(${JSON.stringify(passwords)}::text::json) as r(user_id uuid, credential_id uuid, secret text)`.execute(tx);
}

export interface NewCredential {
  readonly userId: string;
  readonly id: string;
  readonly type: string;
  readonly secret: string;
  readonly data: object;
  readonly createdAt: number;
}

/** Inserts the second factors of imported users. */
export async function insertCredentials(tx: Tx, realm: string, credentials: readonly NewCredential[]): Promise<void> {
  if (credentials.length === 0) return;
  await sql`
    insert into credentials (realm_id, user_id, credential_id, type, secret, data, created_at)
    select ${realm}, r."userId", r.id, r.type, r.secret, r.data, r."createdAt"
    from json_to_recordset(${JSON.stringify(credentials)}::text::json) as r("userId" uuid, id uuid, type text, secret text, data jsonb,
      "createdAt" bigint)`.execute(tx);
}

/** Returns the names of the realm roles that mappers of providers and directories gave a user. */
export async function rolesByMappers(tx: Tx, realm: string, userId: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct r.name from identity_provider_grants g join roles r on r.realm_id = g.realm_id and r.role_id = g.target_id
    where g.realm_id = ${realm} and g.user_id = ${userId} and g.kind = 'role' and r.client_id is null`.execute(tx);
  return rows.map(({ name }) => name);
}

/** Returns the ids that users of the realm have already, with the keys of their usernames. */
export async function findTakenIds(tx: Tx, realm: string, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ user_id: string; username_key: string }>`
    select user_id, username_key from users where realm_id = ${realm} and user_id = any(${[...ids]}::uuid[])`.execute(tx);
  return new Map(rows.map((row) => [row.user_id, row.username_key]));
}

/** Returns the ids that are the client id of a client of the realm. */
export async function findClientsCalled(tx: Tx, realm: string, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ client_key: string }>`
    select client_key from clients where realm_id = ${realm} and client_key = any(${[...ids]}::text[])`.execute(tx);
  return new Set(rows.map((row) => row.client_key));
}

async function insertRoles(tx: Tx, realm: string, users: readonly NewUser[]): Promise<void> {
  const mappings = users.flatMap(({ userId, roleIds }) => roleIds.map((roleId) => ({ user_id: userId, role_id: roleId })));
  if (mappings.length === 0) return;
  await sql`
    insert into user_roles (realm_id, user_id, role_id)
    select ${realm}, r.user_id, r.role_id
    from json_to_recordset(${JSON.stringify(mappings)}::text::json) as r(user_id uuid, role_id uuid)`.execute(tx);
}
