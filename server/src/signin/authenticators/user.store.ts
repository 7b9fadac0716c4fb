import { sql } from "kysely";
import { isDirectorySource } from "../../directory/credentials/index.ts";
import { type RequiredAction, requiredActions } from "../../directory/users/index.ts";
import { type Db, prepared } from "../../platform/db/index.ts";
import type { MessageUser } from "../../tenancy/messaging/index.ts";
import { hasGrants, type LinkedUser, type ProviderSnapshot } from "../identity-providers/index.ts";

/** What signing in needs of a user. */
export interface SignInUser {
  readonly userId: string;
  readonly username: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly attributes: Readonly<Record<string, string | readonly string[]>>;
  /** Names and password are kept in a directory. */
  readonly isFromDirectory: boolean;
  /** In the order in which they are asked. */
  readonly requiredActions: readonly RequiredAction[];
  /** The types of the credentials they have, each once. A password in a directory is one too. */
  readonly credentials: ReadonlySet<string>;
}

type Row = Omit<SignInUser, "isFromDirectory" | "requiredActions" | "credentials"> & {
  readonly source: string;
  readonly actions: readonly string[];
  readonly credentials: readonly string[];
};

const columns = (now: number) => sql`
  u.user_id as "userId", u.username, u.email, u.email_verified as "emailVerified", u.attributes, u.source, u.required_actions as actions,
  array(select distinct c.type from credentials c where c.realm_id = u.realm_id and c.user_id = u.user_id
    and coalesce((c.data ->> 'expiresAt')::bigint > ${now}, true)) as credentials`;

const oneUser = prepared(
  ({ realm, userId, now }: { realm: string; userId: string; now: number }) =>
    sql<Row>`select ${columns(now)} from users u where u.realm_id = ${realm} and u.user_id = ${userId}`,
);

export async function findSignInUser(db: Db, realm: string, userId: string, now: number): Promise<SignInUser | null> {
  const [row] = await oneUser(db, { realm, userId, now });
  return row ? toSignInUser(row) : null;
}

function toSignInUser({ userId, username, email, emailVerified, attributes, source, actions, credentials }: Row): SignInUser {
  const isFromDirectory = isDirectorySource(source);
  return {
    userId,
    username,
    email,
    emailVerified,
    attributes,
    isFromDirectory,
    requiredActions: requiredActions.filter((action) => actions.includes(action)),
    credentials: new Set(isFromDirectory ? [...credentials, "password"] : credentials),
  };
}

/** The user whom a subject of a provider is linked to. */
export interface LinkedSignInUser extends LinkedUser {
  readonly user: SignInUser | undefined;
}

const linkedUser = prepared(
  ({ realm, providerId, subject, now }: { realm: string; providerId: string; subject: string; now: number }) =>
    sql<Row & LinkedUser>`
    select ${columns(now)}, ${hasGrants} as "hasGrants"
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

/** As messages address them. */
export const addresseeOf = ({ userId: id, username, email, attributes }: SignInUser): MessageUser => ({ id, username, email, attributes });
