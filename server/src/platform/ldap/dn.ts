// Distinguished names (RFC 4514), as far as it takes to recognise two spellings of one name.

/** Letters whose lower case belongs to another script or alphabet: a directory may distinguish them. */
const APART = /[\u0130\u1e9e\u2126\u212a\u212b]/;
const folded = (text: string): string => text.replace(/\p{Lu}/gu, (letter) => (APART.test(letter) ? letter : letter.toLowerCase()));

/** One RDN: its attribute types and values, unescaped. */
type Rdn = readonly (readonly [type: string, value: string])[];

/** Returns the RDNs, or null if the text is not a DN. */
export function parseDn(dn: string): readonly Rdn[] | null {
  const rdns: Rdn[] = [];
  let rdn: [string, string][] = [];
  let at = 0;
  if (dn.trim() === "") return [];
  for (;;) {
    const equals = dn.indexOf("=", at);
    if (equals < 0) return null;
    const type = dn.slice(at, equals).trim().toLowerCase();
    if (!/^[a-z0-9][a-z0-9.-]*$/.test(type)) return null;
    const read = readValue(dn, equals + 1);
    if (read === null) return null;
    rdn.push([type, read.value]);
    at = read.end;
    if (dn[at] !== "+") {
      rdns.push(rdn);
      rdn = [];
    }
    if (at >= dn.length) return rdn.length === 0 ? rdns : null;
    at += 1;
  }
}

/** Reads a value up to the next `,`, `;` or `+`. Blanks around it count only if they are escaped. */
function readValue(dn: string, from: number): { readonly value: string; readonly end: number } | null {
  const bytes: Buffer[] = [];
  let at = from;
  while (dn[at] === " ") at += 1;
  if (dn[at] === '"') {
    const quoted = /"((?:[^"\\]|\\.)*)"\s*(?=[,;+]|$)/sy;
    quoted.lastIndex = at;
    const found = quoted.exec(dn);
    return found && { value: found[1]!.replace(/\\(.)/gs, "$1"), end: quoted.lastIndex };
  }
  // The number of bytes that certainly belong to the value. Unescaped blanks after them do not.
  let certain = 0;
  for (; at < dn.length && !",;+".includes(dn[at]!); at++) {
    if (dn[at] !== "\\") {
      const letter = String.fromCodePoint(dn.codePointAt(at)!);
      bytes.push(Buffer.from(letter));
      at += letter.length - 1;
      if (letter !== " ") certain = bytes.length;
      continue;
    }
    const hex = dn.slice(at + 1, at + 3);
    if (/^[0-9a-f]{2}$/i.test(hex)) bytes.push(Buffer.from(hex, "hex"));
    else if (at + 1 < dn.length) bytes.push(Buffer.from(dn[at + 1]!));
    else return null;
    at += /^[0-9a-f]{2}$/i.test(hex) ? 2 : 1;
    certain = bytes.length;
  }
  return { value: Buffer.concat(bytes.slice(0, certain)).toString("utf8"), end: at };
}

const escaped = (value: string): string => folded(value).replace(/[\\,+=]/g, "\\$&");

/** Normalises a DN: case, blanks and escapes do not count. Returns null if the text is not a DN. */
export function dnKey(dn: string): string | null {
  // Most names have nothing to unescape or to order.
  if (/^(?:[a-z]+=[a-z0-9][a-z0-9._@-]*)(?:,[a-z]+=[a-z0-9][a-z0-9._@-]*)*$/i.test(dn)) return dn.toLowerCase();
  const rdns = parseDn(dn);
  if (rdns === null) return null;
  const keyOf = (rdn: Rdn) =>
    rdn
      .map(([type, value]) => `${type}=${escaped(value)}`)
      .sort()
      .join("+");
  return rdns.map(keyOf).join(",");
}

/** Tells whether a name is the base itself or below it. */
export function isWithin(dn: string, base: string): boolean {
  const [key, root] = [dnKey(dn), dnKey(base)];
  return key !== null && root !== null && (root === "" || key === root || key.endsWith(`,${root}`));
}

/** Returns the value of the first RDN, which names a group that has no other name. */
export const firstValue = (dn: string): string | null => parseDn(dn)?.[0]?.[0]?.[1] ?? null;
