const NONE: readonly Buffer[] = [];

/** An entry as the directory sent it. Names of attributes are compared without case. Every value is bytes until it is decoded. */
export class LdapEntry {
  readonly dn: string;
  readonly #attributes: ReadonlyMap<string, readonly Buffer[]>;

  constructor(dn: string, attributes: ReadonlyMap<string, readonly Buffer[]>) {
    this.dn = dn;
    this.#attributes = attributes;
  }

  bytes(attribute: string): readonly Buffer[] {
    return this.#attributes.get(attribute.toLowerCase()) ?? NONE;
  }

  texts(attribute: string): readonly string[] {
    return this.bytes(attribute).map((value) => value.toString("utf8"));
  }

  /** Returns the first value, or null. */
  text(attribute: string): string | null {
    return this.bytes(attribute)[0]?.toString("utf8") ?? null;
  }

  /**
   * Returns the received part of a long list, and where the next part starts. AD sends at most 1,500 values under `member`: it answers with
   * `member;range=0-1499` beside an empty `member`, and the last part ends with `*`.
   */
  part(attribute: string): { readonly values: readonly string[]; readonly next: number | null } {
    const prefix = `${attribute.toLowerCase()};range=`;
    for (const [name, values] of this.#attributes) {
      if (!name.startsWith(prefix)) continue;
      const [, last] = /^\d+-(\d+|\*)$/.exec(name.slice(prefix.length)) ?? [];
      if (last === undefined) continue;
      return { values: values.map((value) => value.toString("utf8")), next: last === "*" ? null : Number(last) + 1 };
    }
    return { values: this.texts(attribute), next: null };
  }
}

// The attributes with binary ids. Ids survive renaming and moving; AD's is binary (MS-DTYP §2.3.4), the others are text.
const BINARY_IDS = new Set(["objectguid"]);

/** Returns the entry's id as text, or null if it has none or several. */
export function entryId(entry: LdapEntry, attribute: string): string | null {
  const [value, ...others] = entry.bytes(attribute);
  if (value === undefined || others.length > 0 || value.length === 0) return null;
  if (!BINARY_IDS.has(attribute.toLowerCase())) {
    const text = value.toString("utf8");
    return text.length <= 255 && !/[\0\ufffd]/.test(text) ? text.toLowerCase() : null;
  }
  return value.length === 16 ? guidText(value) : null;
}

/** Returns the value by which a search finds an entry with this id. */
export const idValue = (id: string, attribute: string): Buffer =>
  BINARY_IDS.has(attribute.toLowerCase()) ? guidBytes(id) : Buffer.from(id, "utf8");

/** Formats a GUID, whose first three groups are little-endian. */
function guidText(bytes: Buffer): string {
  const groups = [
    Buffer.from(bytes.subarray(0, 4)).reverse(),
    Buffer.from(bytes.subarray(4, 6)).reverse(),
    Buffer.from(bytes.subarray(6, 8)).reverse(),
    bytes.subarray(8, 10),
    bytes.subarray(10, 16),
  ];
  return groups.map((group) => group.toString("hex")).join("-");
}

function guidBytes(text: string): Buffer {
  const [a = "", b = "", c = "", d = "", e = ""] = text.split("-");
  const reversed = (hex: string) => Buffer.from(hex, "hex").reverse();
  return Buffer.concat([reversed(a), reversed(b), reversed(c), Buffer.from(d, "hex"), Buffer.from(e, "hex")]);
}
