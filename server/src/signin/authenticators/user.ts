import { sql } from "kysely";
import { isDirectorySource } from "../../directory/credentials/index.ts";
import { type RequiredAction, requiredActions } from "../../directory/users/index.ts";
import { type Db, prepared } from "../../platform/db/index.ts";
import type { MessageUser } from "../../tenancy/messaging/index.ts";

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

const oneUser = prepared(
  ({ realm, userId, now }: { realm: string; userId: string; now: number }) =>
    sql<Row>`
    select u.user_id as "userId", u.username, u.email, u.email_verified as "emailVerified", u.attributes, u.source, u.required_actions as actions,
      array(select distinct c.type from credentials c where c.realm_id = u.realm_id and c.user_id = u.user_id
        and coalesce((c.data ->> 'expiresAt')::bigint > ${now}, true)) as credentials
    from users u where u.realm_id = ${realm} and u.user_id = ${userId}`,
);

export async function findSignInUser(db: Db, realm: string, userId: string, now: number): Promise<SignInUser | null> {
  const [row] = await oneUser(db, { realm, userId, now });
  if (!row) return null;
  const { source, actions, credentials, ...user } = row;
  const isFromDirectory = isDirectorySource(source);
  return {
    ...user,
    isFromDirectory,
    requiredActions: requiredActions.filter((action) => actions.includes(action)),
    credentials: new Set(isFromDirectory ? [...credentials, "password"] : credentials),
  };
}

/** As messages address them. */
export const addresseeOf = ({ userId: id, username, email, attributes }: SignInUser): MessageUser => ({ id, username, email, attributes });
