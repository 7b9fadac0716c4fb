import { holdsAddress } from "../../directory/users/index.ts";
import type { Db } from "../../platform/db/index.ts";
import type { SubjectUser } from "./sources/source.ts";

/**
 * Returns the user as applications may identify them: with the address only if it is theirs, confirmed or set by an administrator or a
 * directory. Two users may state the same address, and an application that identifies users by it would mistake one for the other.
 */
export const withOwnAddress = async (db: Db, realm: string, user: SubjectUser): Promise<SubjectUser> =>
  user.email === null || (await holdsAddress(db, realm, user.userId, user.email)) ? user : { ...user, email: null };
