import type { LdapEntry, LdapPool } from "../../platform/ldap/index.ts";
import type { Directory } from "./directory.ts";
import { groupsOfEntry } from "./groups.ts";
import { describePerson } from "./mapper-claims.ts";
import { type EntryFault, isFault, type Person, readPerson } from "./person.ts";

/** Returns the person of an entry, including their groups, for a sign-in. The directory is asked for groups only if a mapper names one. */
export async function personAt(pool: LdapPool, directory: Directory, entry: LdapEntry): Promise<Person | EntryFault> {
  const plain = readPerson(directory.provider.config, entry);
  if (isFault(plain) || directory.groupValues.length === 0) return describePerson(directory, entry, []);
  return describePerson(directory, entry, await groupsOfEntry(pool, directory, entry, plain.username));
}
