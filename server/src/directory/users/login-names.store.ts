import { sql } from "kysely";
import type { AppError } from "../../kernel/errors.ts";
import { loginKey } from "../../kernel/text.ts";
import { isReservedName } from "../../platform/context.ts";
import { type Db, prepared, type Tx, translating } from "../../platform/db/index.ts";
import { userErrors } from "./errors.ts";

/**
 * The trust in an email address as a login name.
 * - `given`: an administrator, an import or a directory says so. It is accepted as it is, and refused if another user has it.
 * - `unconfirmed`: a person says so. It does not sign in before it is confirmed, and does not reveal whether another user has it.
 * - `vouched`: a trusted identity provider says so. It signs in, unless it is another user's username.
 * - `confirmed`: its owner has just proven to read its mail. It is taken from a user whose username merely looks like it.
 */
export type AddressProof = "given" | "unconfirmed" | "vouched" | "confirmed";

interface Named {
  readonly username: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
}

/**
 * Marks the key of a name that belongs to the user, and by which lists find them, but which does not sign them in. No username or mail address
 * contains this character, and the sign-in never looks up a key with it.
 */
const INACTIVE = "\u0001";
export const inactiveKey = (key: string, userId: string) => key + INACTIVE + userId;
/** The key of a name of a disabled user whose directory entry is gone. Others may take the name; the user claims it back when they are enabled. */
const released = (key: string, userId: string) => key + INACTIVE + INACTIVE + userId;
export const isActiveKey = (key: string): boolean => !key.includes(INACTIVE);

/** Tells whether the name has the form of a mail address. People can choose such a name only if the address is their own. */
export const isMailShaped = (name: string): boolean => /.@./su.test(loginKey(name));

/** Returns the reason why no user may get this name, or null if it is allowed. A user who has the name already keeps it. */
export const refusalOfUsername = (name: string): AppError | null => (isReservedName(name) ? userErrors.reserved() : null);

const keysOf = ({ username, email }: Pick<Named, "username" | "email">) =>
  [...new Set([username, email].filter((name) => name !== null).map(loginKey))].sort();

/** Inserts the login names of a new user. Returns the users whose username was this address. */
export const insertLoginNames = (tx: Tx, realm: string, userId: string, user: Named, proof: AddressProof): Promise<string[]> =>
  saveNames(tx, realm, userId, user, proof, null);

/** Replaces the login names of a user whose row is locked; `before` is the state before the change. Unchanged names never collide. */
export async function replaceLoginNames(
  tx: Tx,
  realm: string,
  userId: string,
  before: Named,
  user: Named,
  proof: AddressProof,
): Promise<string[]> {
  const rows = await tx.deleteFrom("login_names").where("realm_id", "=", realm).where("user_id", "=", userId).returning("key").execute();
  return saveNames(tx, realm, userId, user, proof, { ...before, active: new Set(rows.map(({ key }) => key)) });
}

async function saveNames(
  tx: Tx,
  realm: string,
  userId: string,
  user: Named,
  proof: AddressProof,
  before: (Named & { readonly active: ReadonlySet<string> }) | null,
): Promise<string[]> {
  const isNew = before === null || loginKey(before.username) !== loginKey(user.username);
  const refusal = isNew ? refusalOfUsername(user.username) : null;
  if (refusal) throw refusal;
  const address = user.email === null ? null : loginKey(user.email);
  const kept = new Set(before ? keysOf(before) : []);
  const losers: string[] = [];
  const rows: string[] = [];
  for (const key of keysOf(user)) {
    const isAddress = key === address;
    const isUsername = key === loginKey(user.username);
    if (isAddress && (proof === "confirmed" || proof === "vouched")) {
      const loser = await findUsernameHolder(tx, realm, key, userId);
      if (loser !== null && proof === "confirmed") {
        await deactivate(tx, realm, key, loser);
        losers.push(loser);
      }
      rows.push(loser !== null && proof === "vouched" ? inactiveKey(key, userId) : key);
    } else if (kept.has(key) && before!.active.has(released(key, userId))) {
      rows.push(released(key, userId));
    } else if (kept.has(key) && !before!.active.has(key)) {
      // An address becomes active when an administrator confirms it; a username becomes active again if no other user signs in by it.
      const isVerifiedNow = isAddress && user.emailVerified && !before!.emailVerified;
      const isFreed = isUsername && (await isFree(tx, realm, key));
      rows.push(isVerifiedNow || isFreed ? key : inactiveKey(key, userId));
    } else rows.push(isAddress && !isUsername && proof === "unconfirmed" && !kept.has(key) ? inactiveKey(key, userId) : key);
  }
  // The primary key decides: the second claim of a name fails with a 409.
  await translating(
    { login_names_taken: userErrors.login_name_taken },
    tx
      .insertInto("login_names")
      .values(rows.map((key) => ({ realm_id: realm, key, user_id: userId })))
      .execute(),
  );
  return losers;
}

const holderOf = (tx: Tx, realm: string, key: string) =>
  tx.selectFrom("login_names as n").where("n.realm_id", "=", realm).where("n.key", "=", key);

const isFree = async (tx: Tx, realm: string, key: string): Promise<boolean> =>
  (await holderOf(tx, realm, key).select("n.user_id").executeTakeFirst()) === undefined;

/** Finds the other user whose username is this address. If it is also their confirmed address, they keep it, and the claim is refused as taken. */
async function findUsernameHolder(tx: Tx, realm: string, key: string, userId: string): Promise<string | null> {
  const holder = await holderOf(tx, realm, key)
    .innerJoin("users as u", (join) => join.onRef("u.realm_id", "=", "n.realm_id").onRef("u.user_id", "=", "n.user_id"))
    .select(["n.user_id", "u.email_key"])
    .forUpdate("n")
    .executeTakeFirst();
  if (!holder || holder.user_id === userId) return null;
  if (holder.email_key === key) throw userErrors.login_name_taken();
  return holder.user_id;
}

const deactivate = (tx: Tx, realm: string, key: string, holder: string) =>
  tx
    .updateTable("login_names")
    .set({ key: inactiveKey(key, holder) })
    .where("realm_id", "=", realm)
    .where("key", "=", key)
    .execute();

/** A user with the address. If it is not confirmed, they do not sign in by it: they only say that it is theirs. */
export interface AddressHolder {
  readonly userId: string;
  readonly isConfirmed: boolean;
}

/** Returns null also if several users say that the address is theirs, and none has confirmed it. */
export async function findAddressHolder(db: Db, realm: string, address: string): Promise<AddressHolder | null> {
  const key = loginKey(address);
  const [first, second] = isActiveKey(key) ? await byAddress(db, { realm, key }) : [];
  if (!first || (second && !first.is_confirmed)) return null;
  return { userId: first.user_id, isConfirmed: first.is_confirmed };
}

const byAddress = prepared(
  ({ realm, key }: { realm: string; key: string }) => sql<{ user_id: string; is_confirmed: boolean }>`
    select u.user_id, n.key is not null as is_confirmed
    from users u left join login_names n on n.realm_id = u.realm_id and n.key = ${key} and n.user_id = u.user_id
    where u.realm_id = ${realm} and coalesce(u.email_key, '') = ${key} and u.email_key is not null
    order by is_confirmed desc limit 2`,
);

const addressHeld = prepared(
  ({ realm, key, userId }: { realm: string; key: string; userId: string }) => sql<{ key: string }>`
    select n.key from login_names n where n.realm_id = ${realm} and n.key = ${key} and n.user_id = ${userId}::uuid`,
);

/** Tells whether the address is this user's alone: confirmed, or given by an administrator or a directory. A person's own claim is not enough. */
export const holdsAddress = async (db: Db, realm: string, userId: string, address: string): Promise<boolean> =>
  (await addressHeld(db, { realm, key: loginKey(address), userId })).length > 0;

/**
 * Releases names of disabled users whose directory entry is gone, so that other users can have them. Search still finds them. Returns the released
 * keys.
 */
export async function releaseLoginNames(tx: Tx, realm: string, providerId: string, keys: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`update login_names n set key = n.key || ${INACTIVE + INACTIVE} || n.user_id
    from identity_links l
    join directory_entries e on e.realm_id = l.realm_id and e.provider_id = l.provider_id and e.subject = l.subject and e.fingerprint = ''
    join users u on u.realm_id = l.realm_id and u.user_id = l.user_id and not u.enabled
    where n.realm_id = ${realm} and n.key = any(${[...keys]}::text[])
      and l.realm_id = n.realm_id and l.user_id = n.user_id and l.provider_id = ${providerId}::uuid returning n.key`.execute(tx);
  return rows.map(({ key }) => key.slice(0, key.indexOf(INACTIVE)));
}

/**
 * Gives a user back the names that were released, before they are enabled or moved: two enabled users never share a name. Throws if another user has
 * taken one of them.
 */
export async function reclaimLoginNames(tx: Tx, realm: string, userId: string): Promise<void> {
  const reclaim = sql`update login_names set key = split_part(key, ${INACTIVE}, 1)
    where realm_id = ${realm} and user_id = ${userId} and strpos(key, ${INACTIVE + INACTIVE}) > 0`;
  await translating({ login_names_taken: userErrors.login_name_taken }, reclaim.execute(tx));
  // Earlier releases of Gatehouse did not mark such names.
  const { rows } = await sql`
    select 1 from users u
    join login_names n on n.realm_id = u.realm_id and n.key = u.username_key and n.user_id <> u.user_id
    join users o on o.realm_id = n.realm_id and o.user_id = n.user_id and o.username_key = n.key
    where u.realm_id = ${realm} and u.user_id = ${userId}`.execute(tx);
  if (rows.length > 0) throw userErrors.login_name_taken();
}
