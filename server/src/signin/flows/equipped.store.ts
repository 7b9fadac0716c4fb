import { type RawBuilder, sql } from "kysely";
import { PASSKEY } from "../../directory/credentials/index.ts";
import { realmAdmins } from "../../directory/roles/index.ts";
import type { Db } from "../../platform/db/index.ts";
import { type SignInUser, type SignInUserRow, signInUserColumns, toSignInUser } from "../sessions/index.ts";

/** A user with their ways to sign in. */
export interface Equipped {
  readonly user: Pick<SignInUser, "email" | "attributes" | "credentials">;
  /** The types of credentials that let the user in. A disabled passkey does not. */
  readonly usable: ReadonlySet<string>;
  /** True if the user is linked to an account at an enabled identity provider. */
  readonly isLinked: boolean;
}

type Row = SignInUserRow & { readonly isLinked: boolean; readonly hasPasskey: boolean };

async function select(db: Db, now: number, where: RawBuilder<unknown>): Promise<Equipped[]> {
  const { rows } = await sql<Row>`
    select ${signInUserColumns(now)}, exists (
      select 1 from identity_links l
      join identity_providers p on p.realm_id = l.realm_id and p.provider_id = l.provider_id and p.enabled
      where l.realm_id = u.realm_id and l.user_id = u.user_id) as "isLinked", exists (
      select 1 from credentials c
      where c.realm_id = u.realm_id and c.user_id = u.user_id and c.type = ${sql.lit(PASSKEY)} and c.data -> 'suspectedAt' is null) as "hasPasskey"
    from users u where ${where}`.execute(db);
  return rows.map(({ isLinked, hasPasskey, ...row }) => {
    const user = toSignInUser(row);
    return { user, isLinked, usable: new Set([...user.credentials].filter((type) => type !== PASSKEY || hasPasskey)) };
  });
}

/** Returns the enabled, unlocked holders of realm-admin. Each counts as having a password, because it can be reset. */
export async function equippedAdministrators(db: Db, realm: string, now: number): Promise<Equipped[]> {
  const all = await select(db, now, sql`u.realm_id = ${realm} and u.user_id = any(${await realmAdmins(db, realm)})`);
  return all.map((who) => ({ ...who, usable: new Set([...who.usable, "password"]) }));
}

export async function equippedUser(db: Db, realm: string, userId: string, now: number): Promise<Equipped | null> {
  return (await select(db, now, sql`u.realm_id = ${realm} and u.user_id = ${userId}`))[0] ?? null;
}
