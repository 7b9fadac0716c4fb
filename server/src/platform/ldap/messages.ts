import { BerError, BerReader, boolean, element, integer, octets, sequence, TAG } from "./ber.ts";
import { LdapEntry } from "./entry.ts";
import { encodeFilter, type Filter } from "./filter.ts";

// The messages of RFC 4511 that this client uses, with the tags of their protocolOp.

export interface Control {
  readonly oid: string;
  readonly critical?: boolean;
  readonly value?: Buffer;
}

export interface SearchRequest {
  readonly base: string;
  readonly scope: "base" | "one" | "sub";
  readonly filter: Filter;
  /** The attributes to return. Operational ones (`entryUUID`) must be named. */
  readonly attributes: readonly string[];
  readonly sizeLimit?: number;
}

export interface Change {
  readonly operation: "add" | "delete" | "replace";
  readonly attribute: string;
  readonly values: readonly (Buffer | string)[];
}

const OP = {
  bindRequest: 0x60,
  bindResponse: 0x61,
  unbindRequest: 0x42,
  searchRequest: 0x63,
  searchEntry: 0x64,
  searchDone: 0x65,
  searchReference: 0x73,
  modifyRequest: 0x66,
  modifyResponse: 0x67,
  abandonRequest: 0x50,
  extendedRequest: 0x77,
  extendedResponse: 0x78,
  intermediateResponse: 0x79,
} as const;

export const bindRequest = (dn: string, password: string): Buffer =>
  element(OP.bindRequest, integer(3), octets(dn), element(0x80, password));

export const unbindRequest = (): Buffer => element(OP.unbindRequest);

export const abandonRequest = (id: number): Buffer => integer(id, OP.abandonRequest);

const SCOPE = { base: 0, one: 1, sub: 2 } as const;

export function searchRequest(request: SearchRequest, timeLimitSeconds: number): Buffer {
  const { base, scope, filter, attributes, sizeLimit = 0 } = request;
  return element(
    OP.searchRequest,
    octets(base),
    integer(SCOPE[scope], TAG.enumerated),
    // Aliases are not followed: an entry is found by its own name, within the search base.
    integer(0, TAG.enumerated),
    integer(sizeLimit),
    integer(timeLimitSeconds),
    boolean(false),
    encodeFilter(filter),
    sequence(...attributes.map(octets)),
  );
}

const MODIFICATION = { add: 0, delete: 1, replace: 2 } as const;

export function modifyRequest(dn: string, changes: readonly Change[]): Buffer {
  const encoded = changes.map(({ operation, attribute, values }) =>
    sequence(integer(MODIFICATION[operation], TAG.enumerated), sequence(octets(attribute), element(TAG.set, ...values.map(octets)))),
  );
  return element(OP.modifyRequest, octets(dn), sequence(...encoded));
}

export const extendedRequest = (oid: string, value?: Buffer): Buffer =>
  element(OP.extendedRequest, element(0x80, oid), ...(value ? [element(0x81, value)] : []));

export function message(id: number, operation: Buffer, controls: readonly Control[] = []): Buffer {
  const encoded = controls.map(({ oid, critical = false, value }) =>
    sequence(octets(oid), ...(critical ? [boolean(true)] : []), ...(value ? [octets(value)] : [])),
  );
  return sequence(integer(id), operation, ...(encoded.length > 0 ? [element(0xa0, ...encoded)] : []));
}

export interface LdapResult {
  readonly code: number;
  readonly diagnostic: string;
  readonly controls: ReadonlyMap<string, Buffer>;
  /** Present only in an extended response. */
  readonly oid: string | null;
  readonly value: Buffer | null;
}

export type Answer =
  | { readonly id: number; readonly kind: "entry"; readonly entry: LdapEntry }
  | { readonly id: number; readonly kind: "skip" }
  | { readonly id: number; readonly kind: "bind" | "search" | "modify" | "extended"; readonly result: LdapResult };

const FINAL: Record<number, "bind" | "search" | "modify" | "extended"> = {
  [OP.bindResponse]: "bind",
  [OP.searchDone]: "search",
  [OP.modifyResponse]: "modify",
  [OP.extendedResponse]: "extended",
};

/** Reads one whole message. Throws a BerError if the bytes are none. */
export function readMessage(bytes: Buffer): Answer {
  const reader = new BerReader(bytes).inside();
  const id = reader.integer();
  const { tag } = reader;
  if (tag === OP.searchEntry) return { id, kind: "entry", entry: readEntry(reader.inside(tag)) };
  // References lead to other directories, which are not configured.
  if (tag === OP.searchReference || tag === OP.intermediateResponse) return { id, kind: "skip" };
  const kind = FINAL[tag];
  if (kind === undefined) throw new BerError(`A message has the unknown tag ${tag}`);
  return { id, kind, result: readResult(reader.inside(tag), reader) };
}

function readEntry(reader: BerReader): LdapEntry {
  const dn = reader.text();
  const attributes = new Map<string, readonly Buffer[]>();
  for (const list = reader.inside(); list.hasMore; ) {
    const attribute = list.inside();
    const name = attribute.text();
    const values: Buffer[] = [];
    for (const set = attribute.inside(TAG.set); set.hasMore; ) values.push(set.bytes());
    attributes.set(name.toLowerCase(), values);
  }
  return new LdapEntry(dn, attributes);
}

function readResult(reader: BerReader, message: BerReader): LdapResult {
  const code = reader.integer(TAG.enumerated);
  reader.bytes();
  const diagnostic = reader.text();
  let oid: string | null = null;
  let value: Buffer | null = null;
  while (reader.hasMore) {
    const { tag } = reader;
    const content = reader.any();
    if (tag === 0x8a) oid = content.toString("utf8");
    if (tag === 0x8b) value = content;
  }
  return { code, diagnostic, controls: readControls(message), oid, value };
}

function readControls(message: BerReader): ReadonlyMap<string, Buffer> {
  const controls = new Map<string, Buffer>();
  if (message.tag !== 0xa0) return controls;
  for (const list = message.inside(0xa0); list.hasMore; ) {
    const control = list.inside();
    const oid = control.text();
    if (control.tag === TAG.boolean) control.any();
    controls.set(oid, control.hasMore ? control.bytes() : Buffer.alloc(0));
  }
  return controls;
}
