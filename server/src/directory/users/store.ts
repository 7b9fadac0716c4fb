import { type ColumnType, type Generated, type Selectable, sql } from "kysely";
import { newId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import { type Db, deleteRows, findRow, insertRow, nextVersion, prepared, type Tx, updateRows } from "../../platform/db/index.ts";
import { USER_COUNTERS } from "../credentials/index.ts";
import { roleOf } from "../roles/index.ts";
import { type AddressProof, insertLoginNames, isActiveKey, reclaimLoginNames, replaceLoginNames } from "./login-names.store.ts";
import { withCleanNames } from "./names.ts";
import { type RequiredAction, requiredActions } from "./required-actions.schema.ts";
import type { User } from "./schema.ts";

type Attributes = User["attributes"];

interface UsersTable {
  realm_id: string;
  user_id: string;
  username: string;
  username_key: string;
  email: string | null;
  email_key: string | null;
  email_verified: boolean;
  enabled: boolean;
  locked: Generated<boolean>;
  attributes: ColumnType<Attributes, string, string>;
  source: Generated<string>;
  required_actions: ColumnType<string[], never, never>;
  created_at: number;
  /** Null if the user was not changed since creation, or only by a release that did not record this. */
  updated_at: ColumnType<number | null, never, number>;
  version: Generated<number>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    users: UsersTable;
    login_names: { realm_id: string; key: string; user_id: string };
  }
}

export interface UserRow extends User {
  readonly version: number;
  /** True if an administrator locked the user; `locked` includes the temporary lock. */
  readonly lockedByAdmin: boolean;
}

/** The credential types that count as a second factor. */
const SECOND_FACTORS = sql.raw("('totp', 'passkey', 'push')");

export const userColumns = [
  "users.realm_id",
  "users.user_id",
  "users.username",
  "users.email",
  "users.email_verified",
  "users.enabled",
  "users.locked",
  "users.attributes",
  "users.source",
  "users.created_at",
  "users.version",
] as const;

/**
 * Derived columns: role names, whether there is a second factor, whether too many attempts failed.
 * They are scalar subqueries: Postgres would answer `exists` for a hundred users by reading the whole table.
 */
const workedOut = (now: number) =>
  [
    sql<string[]>`array(select r.name from user_roles ur ${roleOf("ur")}
      where ur.realm_id = users.realm_id and ur.user_id = users.user_id and r.client_id is null order by r.name_key)`.as("roles"),
    sql<boolean>`coalesce((select true from credentials c
      where c.realm_id = users.realm_id and c.user_id = users.user_id and c.type in ${SECOND_FACTORS} limit 1), false)`.as("mfa_enabled"),
    sql<boolean>`coalesce((select true from login_attempts a where a.realm_id = users.realm_id and a.kind in (${USER_COUNTERS})
      and a.subject = users.user_id::text and a.locked_until > 0 and a.locked_until > ${now} limit 1), false)`.as("locked_for_now"),
  ] as const;

/** Users without the derived columns: a list finds its page first, and reads these columns for that page only. */
export const plainUsers = (db: Db) => db.selectFrom("users").select(userColumns);

export type PlainUser = Pick<
  Selectable<UsersTable>,
  | "realm_id"
  | "user_id"
  | "username"
  | "email"
  | "email_verified"
  | "enabled"
  | "locked"
  | "attributes"
  | "source"
  | "created_at"
  | "version"
>;

/**
 * Makes Postgres look users up one by one. Where realms are small on average, a cached plan would read and compare all users of the realm instead,
 * which a large realm would pay for with every request.
 */
const ONE = sql<number>`1`;

/** Completes one page of a list, in its order. Users who were deleted in between are left out. */
export async function completeUsers(db: Db, realm: string, users: readonly PlainUser[], now: number): Promise<UserRow[]> {
  if (users.length === 0) return [];
  const ids = users.map(({ user_id }) => user_id);
  const rows = await db
    .selectFrom(sql<{ user_id: string }>`unnest(${ids}::uuid[])`.as<"asked">(sql`asked (user_id)`))
    .innerJoinLateral(
      ({ selectFrom }) =>
        selectFrom("users")
          .select(["users.realm_id", "users.user_id"])
          .where("users.realm_id", "=", realm)
          .whereRef("users.user_id", "=", "asked.user_id")
          .limit(ONE)
          .as("users"),
      (join) => join.onTrue(),
    )
    .select("users.user_id")
    .select(workedOut(now))
    .execute();
  const byId = new Map(rows.map((row) => [row.user_id, row]));
  return users.flatMap((user) => {
    const more = byId.get(user.user_id);
    return more ? [toUser({ ...user, ...more })] : [];
  });
}

const userById = prepared(({ realm, userId, now }: { realm: string; userId: string; now: number }, db) =>
  plainUsers(db).select(workedOut(now)).where("users.realm_id", "=", realm).where("users.user_id", "=", userId),
);

export async function findUser(db: Db, realm: string, userId: string, now: number): Promise<UserRow | null> {
  const [row] = await userById(db, { realm, userId, now });
  return row ? toUser(row) : null;
}

/** Locks the row until commit, so that two changes of one user take turns. */
export async function lockUser(tx: Tx, realm: string, userId: string, now: number): Promise<UserRow | null> {
  const held = await findRow(tx, "users", ["user_id"], { realm_id: realm, user_id: userId }, "update");
  return held ? findUser(tx, realm, userId, now) : null;
}

export interface UserFields {
  readonly username: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly enabled: boolean;
  readonly attributes: Attributes;
}

const columnsOf = (user: UserFields) => ({
  username: user.username,
  username_key: loginKey(user.username),
  email: user.email,
  email_key: user.email === null ? null : loginKey(user.email),
  email_verified: user.emailVerified,
  enabled: user.enabled,
  attributes: JSON.stringify(withCleanNames(user.attributes)),
});

/** `claimedFrom` lists the users whose username was this address. */
export async function insertUser(
  tx: Tx,
  realm: string,
  user: UserFields,
  now: number,
  proof: AddressProof = "given",
  source = "local",
): Promise<{ userId: string; claimedFrom: string[] }> {
  const userId = newId();
  await insertRow(tx, "users", { realm_id: realm, user_id: userId, ...columnsOf(user), source, created_at: now });
  return { userId, claimedFrom: await insertLoginNames(tx, realm, userId, user, proof) };
}

export async function updateUser(
  tx: Tx,
  realm: string,
  userId: string,
  user: UserFields & { lockedByAdmin: boolean },
  now: number,
  proof: AddressProof = "given",
): Promise<string[]> {
  const before = await tx
    .selectFrom("users")
    .select(["username", "email", "email_verified as emailVerified", "enabled"])
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  const change = { ...columnsOf(user), locked: user.lockedByAdmin, updated_at: now, version: nextVersion };
  await updateRows(tx, "users", { realm_id: realm, user_id: userId }, change);
  const claimedFrom = await replaceLoginNames(tx, realm, userId, before, user, proof);
  if (user.enabled && !before.enabled) await reclaimLoginNames(tx, realm, userId);
  return claimedFrom;
}

export async function touchUser(tx: Tx, realm: string, userId: string): Promise<void> {
  await updateRows(tx, "users", { realm_id: realm, user_id: userId }, { version: nextVersion });
}

export async function setSource(tx: Tx, realm: string, userId: string, source: string, now: number): Promise<void> {
  await updateRows(tx, "users", { realm_id: realm, user_id: userId }, { source, updated_at: now, version: nextVersion });
}

export async function deleteUser(tx: Tx, realm: string, userId: string): Promise<void> {
  await deleteRows(tx, "users", { realm_id: realm, user_id: userId });
}

/** Finds the user by a typed login name. */
export async function findUserByLogin(
  db: Db,
  realm: string,
  login: string,
): Promise<{ userId: string; username: string; enabled: boolean; locked: boolean } | null> {
  const key = loginKey(login);
  const [row] = isActiveKey(key) ? await byLogin(db, { realm, key }) : [];
  return row ? { userId: row.user_id, username: row.username, enabled: row.enabled, locked: row.locked } : null;
}

const byLogin = prepared(({ realm, key }: { realm: string; key: string }, db) =>
  db
    .selectFrom("login_names as n")
    .innerJoinLateral(
      ({ selectFrom }) =>
        selectFrom("users")
          .select(["users.user_id", "users.username", "users.enabled", "users.locked"])
          .whereRef("users.realm_id", "=", "n.realm_id")
          .whereRef("users.user_id", "=", "n.user_id")
          .limit(ONE)
          .as("u"),
      (join) => join.onTrue(),
    )
    .select(["u.user_id", "u.username", "u.enabled", "u.locked"])
    .where("n.realm_id", "=", realm)
    .where("n.key", "=", key),
);

/**
 * Finds a user who may sign in, and holds the row until commit: a concurrent disable or lock waits, and then ends the session that began here.
 * Sign-ins of one user share the row. One that will write to it sets `toWrite`: two that share it first would wait for each other.
 */
export async function holdUserForSignIn(
  tx: Tx,
  realm: string,
  userId: string,
  { toWrite = false }: { readonly toWrite?: boolean } = {},
): Promise<{ username: string; requiredActions: readonly RequiredAction[] } | null> {
  const [held] = await (toWrite ? holdToWrite : holdShared)(tx, { realm, userId });
  return held ? { username: held.username, requiredActions: requiredActions.filter((one) => held.required_actions.includes(one)) } : null;
}

const openUser = (db: Db, { realm, userId }: { realm: string; userId: string }) =>
  db
    .selectFrom("users")
    .select(["username", "required_actions"])
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .where("enabled", "=", true)
    .where("locked", "=", false);
const holdShared = prepared((user: { realm: string; userId: string }, db) => openUser(db, user).forShare());
const holdToWrite = prepared((user: { realm: string; userId: string }, db) => openUser(db, user).forNoKeyUpdate());

type CompleteUser = PlainUser & { roles: string[]; mfa_enabled: boolean; locked_for_now: boolean };

const toUser = (row: CompleteUser): UserRow => ({
  realmId: row.realm_id,
  userId: row.user_id,
  username: row.username,
  email: row.email,
  emailVerified: row.email_verified,
  enabled: row.enabled,
  locked: row.locked || row.locked_for_now,
  mfaEnabled: row.mfa_enabled,
  roles: row.roles,
  attributes: row.attributes,
  source: row.source,
  createdAt: row.created_at,
  version: row.version,
  lockedByAdmin: row.locked,
});
