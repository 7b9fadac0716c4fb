import { entryId, isWithin, type LdapConnection, LdapError, parseFilter, RESULT } from "../../platform/ldap/index.ts";
import type { Directory } from "./directory.ts";

/** The ids of changed entries in a whole domain. A later search tells which of them are people. */
export interface DirSyncAnswer {
  readonly cookie: string;
  readonly changed: ReadonlySet<string>;
}

/** Result codes of a directory that does not offer DirSync, or of an account without the right to it (Replicating Directory Changes). */
const REFUSED: readonly (number | null)[] = [
  RESULT.insufficientAccessRights,
  RESULT.unwillingToPerform,
  ...[2, 12, 16], // protocolError, unavailableCriticalExtension, noSuchAttribute
];

const NOTE =
  "The directory does not let the bind account use DirSync (it needs the right “Replicating Directory Changes”), so changes were found by uSNChanged, and only a full sync sees who is gone.";

/**
 * MS-ADTS §3.1.1.3.4.1.3: reads the changes of people in the domain since `cookie`, including deletions and moves. With an empty cookie all people count as
 * changed. Returns a note for administrators where DirSync cannot be used.
 */
export async function readDirSync(
  connection: LdapConnection,
  directory: Directory,
  domain: string,
  cookie: string,
): Promise<DirSyncAnswer | string> {
  if (!isWithin(directory.searchBase, domain) || directory.idAttribute.toLowerCase() !== "objectguid") return NOTE;
  const changed = new Set<string>();
  // The directory sends an entry if one of these has changed; `name` changes when the entry is moved.
  const attributes = [...directory.attributes, "name", "isDeleted"];
  const request = { base: domain, scope: "sub", filter: parseFilter("(objectClass=user)"), attributes } as const;
  let last: Buffer = Buffer.from(cookie, "base64");
  try {
    for await (const { entries, cookie: next } of connection.changes(request, last)) {
      for (const entry of entries) {
        const id = entryId(entry, directory.idAttribute);
        if (id !== null) changed.add(id);
      }
      last = next;
    }
  } catch (error) {
    if (error instanceof LdapError && REFUSED.includes(error.resultCode)) return NOTE;
    throw error;
  }
  return { cookie: last.toString("base64"), changed };
}
