// The part of BER (X.690) that LDAP uses (RFC 4511 §5.1): definite lengths and single-byte tags.

/** The bytes are not BER, or not the structure that the protocol defines. */
export class BerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "BerError";
  }
}

export const TAG = { boolean: 0x01, integer: 0x02, octets: 0x04, enumerated: 0x0a, sequence: 0x30, set: 0x31 } as const;

/** Returns the bounds of an element's content, or null if its header is incomplete. */
export function headAt(bytes: Buffer, at: number): { readonly start: number; readonly end: number } | null {
  if (bytes.length < at + 2) return null;
  const first = bytes[at + 1]!;
  if (first < 0x80) return { start: at + 2, end: at + 2 + first };
  const count = first & 0x7f;
  // LDAP does not allow indefinite lengths, and no element with a longer length field would be accepted.
  if (count === 0 || count > 4) throw new BerError("A length is not one that LDAP allows");
  if (bytes.length < at + 2 + count) return null;
  const start = at + 2 + count;
  // A shift would make some four-byte lengths negative, and the reader would go backwards.
  return { start, end: start + bytes.readUIntBE(at + 2, count) };
}

/** Reads elements one after another. It refuses a length that exceeds the container. It copies no container, because there are many entries. */
export class BerReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get hasMore(): boolean {
    return this.#at < this.#end;
  }

  /** The tag of the next element, or -1 at the end. */
  get tag(): number {
    return this.#at < this.#end ? this.#bytes[this.#at]! : -1;
  }

  /** Reads the content of the next element, whatever its tag. */
  any(): Buffer {
    const start = this.#pass();
    return this.#bytes.subarray(start, this.#at);
  }

  bytes(tag: number = TAG.octets): Buffer {
    const start = this.#pass(tag);
    return this.#bytes.subarray(start, this.#at);
  }

  text(tag: number = TAG.octets): string {
    const start = this.#pass(tag);
    return this.#bytes.toString("utf8", start, this.#at);
  }

  inside(tag: number = TAG.sequence): BerReader {
    const start = this.#pass(tag);
    return new BerReader(this.#bytes, start, this.#at);
  }

  integer(tag: number = TAG.integer): number {
    const bytes = this.bytes(tag);
    if (bytes.length === 0 || bytes.length > 6) throw new BerError("A number is not one that LDAP allows");
    return bytes.readIntBE(0, bytes.length);
  }

  /** Skips the next element, and returns where its content starts. */
  #pass(tag = this.tag): number {
    if (this.tag !== tag) throw new BerError(`Expected tag ${tag}, got ${this.tag}`);
    const head = headAt(this.#bytes, this.#at);
    if (head === null || head.end > this.#end) throw new BerError("An element is longer than what holds it");
    this.#at = head.end;
    return head.start;
  }
}

/** Encodes an element with its parts. */
export function element(tag: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const content = parts.map((part) => (typeof part === "string" ? Buffer.from(part, "utf8") : part));
  const length = content.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([head(tag, length), ...content]);
}

function head(tag: number, length: number): Buffer {
  if (length < 0x80) return Buffer.from([tag, length]);
  const bytes = Buffer.alloc(6);
  bytes[0] = tag;
  bytes[1] = 0x84;
  bytes.writeUInt32BE(length, 2);
  return bytes;
}

export const sequence = (...parts: readonly (Buffer | string)[]): Buffer => element(TAG.sequence, ...parts);
export const octets = (value: Buffer | string): Buffer => element(TAG.octets, value);
export const boolean = (value: boolean): Buffer => Buffer.from([TAG.boolean, 1, value ? 0xff : 0]);

export function integer(value: number, tag: number = TAG.integer): Buffer {
  const content = Buffer.alloc(4);
  content.writeInt32BE(value);
  // This is the shortest form: leading bytes that only repeat the sign are left out.
  let from = 0;
  while (from < 3 && ((content[from] === 0 && content[from + 1]! < 0x80) || (content[from] === 0xff && content[from + 1]! >= 0x80))) from++;
  return element(tag, content.subarray(from));
}
