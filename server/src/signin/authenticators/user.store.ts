import { sql } from "kysely";
import { hasGrants, type LinkedUser, type ProviderSnapshot } from "../../federation/index.ts";
import { type Db, prepared } from "../../platform/db/index.ts";
import type { MessageUser } from "../../tenancy/messaging/index.ts";
import { type SignInUser, type SignInUserRow, signInUserColumns, toSignInUser } from "../sessions/index.ts";

export type { SignInUser } from "../sessions/index.ts";

const oneUser = prepared(
  ({ realm, userId, now }: { realm: string; userId: string; now: number }) =>
    sql<SignInUserRow>`select ${signInUserColumns(now)} from users u where u.realm_id = ${realm} and u.user_id = ${userId}`,
);

export async function findSignInUser(db: Db, realm: string, userId: string, now: number): Promise<SignInUser | null> {
  const [row] = await oneUser(db, { realm, userId, now });
  return row ? toSignInUser(row) : null;
}

/** The user to whom a provider's subject is linked. */
export interface LinkedSignInUser extends LinkedUser {
  readonly user: SignInUser | undefined;
}

const linkedUser = prepared(
  ({ realm, providerId, subject, now }: { realm: string; providerId: string; subject: string; now: number }) =>
    sql<SignInUserRow & LinkedUser>`
    select ${signInUserColumns(now)}, ${hasGrants} as "hasGrants"
    from identity_links l join users u on u.realm_id = l.realm_id and u.user_id = l.user_id
    where l.realm_id = ${realm} and l.provider_id = ${providerId} and l.subject = ${subject}`,
);

export async function findLinkedSignInUser(
  db: Db,
  { realm, providerId }: Pick<ProviderSnapshot, "realm" | "providerId">,
  subject: string,
  now: number,
): Promise<LinkedSignInUser | null> {
  const [row] = await linkedUser(db, { realm, providerId, subject, now });
  return row ? { userId: row.userId, hasGrants: row.hasGrants, user: toSignInUser(row) } : null;
}

/** Returns the user as the recipient of messages. */
export const addresseeOf = ({ userId, username, email, emailVerified, attributes }: SignInUser): MessageUser => ({
  ...{ id: userId, username, email, emailVerified, attributes },
});
