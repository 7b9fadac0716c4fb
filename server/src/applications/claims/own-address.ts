import { holdsAddress } from "../../directory/users/index.ts";
import type { Db } from "../../platform/db/index.ts";
import type { SubjectUser } from "./sources/source.ts";

/**
 * The user as applications may identify them: with the address only where it is theirs, confirmed or given by an administrator or a directory. Two users
 * may say that they have one address; an application that takes it for the user would take one for the other.
 */
export const withOwnAddress = async (db: Db, realm: string, user: SubjectUser): Promise<SubjectUser> =>
  user.email === null || (await holdsAddress(db, realm, user.userId, user.email)) ? user : { ...user, email: null };
