import type { LdapConnection } from "./connection.ts";
import { LdapError } from "./errors.ts";
import { present } from "./filter.ts";

const MAX_PARTS = 10_000;

/** Yields all values of an attribute that AD returns in parts, such as `member` of a large group. `size` is for tests. */
export async function* readRanges(
  connection: LdapConnection,
  dn: string,
  attribute: string,
  size?: number,
): AsyncGenerator<readonly string[]> {
  let start = 0;
  for (let parts = 0; parts < MAX_PARTS; parts++) {
    const asked =
      start === 0 && size === undefined ? attribute : `${attribute};range=${start}-${size === undefined ? "*" : start + size - 1}`;
    const [entry] = await connection.search({ base: dn, scope: "base", filter: present("objectClass"), attributes: [asked] });
    if (!entry) return;
    const { values, next } = entry.part(attribute);
    if (values.length > 0) yield values;
    if (next === null) return;
    // Without this, a directory that repeats itself would be queried for ever.
    if (next <= start) throw new LdapError("protocol", "The directory repeats a part of a list.");
    start = next;
  }
  throw new LdapError("too_large", "A list of the directory has too many parts.");
}
