import { sql } from "kysely";
import { isDirectorySource } from "../../directory/credentials/index.ts";
import { type RequiredAction, requiredActions } from "../../directory/users/index.ts";

/** The data of a user for signing in. A session has it, so that its proofs are judged without another query. */
export interface SignInUser {
  readonly userId: string;
  readonly username: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly attributes: Readonly<Record<string, string | readonly string[]>>;
  /** True if a directory keeps names and password. */
  readonly isFromDirectory: boolean;
  /** The required actions, in the order in which they are asked. */
  readonly requiredActions: readonly RequiredAction[];
  /** The types of the user's credentials, each once. A password in a directory counts too. */
  readonly credentials: ReadonlySet<string>;
}

export type SignInUserRow = Omit<SignInUser, "isFromDirectory" | "requiredActions" | "credentials"> & {
  readonly source: string;
  readonly actions: readonly string[];
  readonly credentials: readonly string[];
};

/** Returns the columns of the user `u`, a row of `users`. */
export const signInUserColumns = (now: number) => sql`
  u.user_id as "userId", u.username, u.email, u.email_verified as "emailVerified", u.attributes, u.source, u.required_actions as actions,
  array(select distinct c.type from credentials c where c.realm_id = u.realm_id and c.user_id = u.user_id
    and coalesce((c.data ->> 'expiresAt')::bigint > ${now}, true)) as credentials`;

export function toSignInUser({
  userId,
  username,
  email,
  emailVerified,
  attributes,
  source,
  actions,
  credentials,
}: SignInUserRow): SignInUser {
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
