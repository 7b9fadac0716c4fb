// Reads files in MaxMind's format, MaxMind DB File Format Specification 2.0: a binary tree of address bits, whose leaves point into a section of data.
import { isIPv4 } from "node:net";
import { ipv6Bytes } from "./outbound/index.ts";

const MARKER = Buffer.from("abcdef4d61784d696e642e636f6d", "hex"); // \xAB\xCD\xEFMaxMind.com
const SEPARATOR = 16;
/** The deepest nesting of data. Real data has a few levels, and a broken file must not lead in circles. */
const MOST_LEVELS = 32;

export interface MmdbFile {
  readonly type: string;
  readonly builtAt: Date;
  /** Returns the record of an address, or null if the file has none. */
  find(address: string): unknown;
}

/** Opens a file. Throws if it has another format. */
export function openMmdb(file: Buffer): MmdbFile {
  const start = file.lastIndexOf(MARKER);
  if (start < 0) throw new Error("it is no file in MaxMind's format (mmdb)");
  const metadata = decoderOf(file, start + MARKER.length)(0) as Record<string, unknown>;
  const [nodes, bits, version] = [metadata.node_count, metadata.record_size, metadata.ip_version].map(Number) as [number, number, number];
  if (![24, 28, 32].includes(bits) || !(nodes > 0) || ![4, 6].includes(version)) throw new Error("its metadata makes no sense");
  const nodeBytes = bits / 4;
  const treeBytes = nodes * nodeBytes;
  const decode = decoderOf(file.subarray(0, start), treeBytes + SEPARATOR);

  /** Reads a record of a node. Record 0 is for a bit that is not set. */
  const record = (node: number, side: 0 | 1): number => {
    const at = node * nodeBytes;
    if (bits === 24) return file.readUIntBE(at + side * 3, 3);
    if (bits === 32) return file.readUInt32BE(at + side * 4);
    // With 28 bits, the byte between the two records contains the highest bits of both.
    const middle = file[at + 3]!;
    return side === 0 ? (middle >> 4) * 2 ** 24 + file.readUIntBE(at, 3) : (middle & 15) * 2 ** 24 + file.readUIntBE(at + 4, 3);
  };
  return {
    type: String(metadata.database_type),
    builtAt: new Date(Number(metadata.build_epoch) * 1000),
    find(address) {
      let node = 0;
      for (const bit of bitsOf(address, version)) {
        node = record(node, bit);
        if (node >= nodes) break;
      }
      return node > nodes ? decode(node - nodes - SEPARATOR) : null;
    },
  };
}

/** Yields the bits of an address. In a tree of IPv6, an IPv4 address has 96 zeros before it. */
function* bitsOf(address: string, version: number): Generator<0 | 1> {
  const isShort = isIPv4(address);
  if (!isShort && version === 4) return;
  const bytes = isShort ? address.split(".").map(Number) : ipv6Bytes(address);
  for (const byte of isShort && version === 6 ? [...Array<number>(12).fill(0), ...bytes] : bytes)
    for (let place = 7; place >= 0; place--) yield ((byte >> place) & 1) as 0 | 1;
}

/** Returns a reader of values. Offsets, also those in pointers, count from `base`. */
function decoderOf(file: Buffer, base: number): (offset: number) => unknown {
  return (offset) => read(base + offset, 0)[0];

  /** Returns the value, and where the next one begins. */
  function read(at: number, level: number): [unknown, number] {
    if (level > MOST_LEVELS) throw new Error("its data leads in circles");
    const control = file.readUInt8(at++);
    let type = control >> 5;
    if (type === 1) {
      const [pointer, next] = pointerAt(control, at);
      return [read(base + pointer, level + 1)[0], next];
    }
    if (type === 0) type = 7 + file.readUInt8(at++);
    let size = control & 31;
    // With 29, 30 and 31 the next one, two or three bytes say how much larger the size is.
    const more = Math.max(0, size - 28);
    if (more > 0) {
      size = file.readUIntBE(at, more) + [0, 29, 285, 65_821][more]!;
      at += more;
    }
    if (type === 7 || type === 11) {
      const items: unknown[] = [];
      for (let left = type === 7 ? size * 2 : size; left > 0; left--) {
        const [item, next] = read(at, level + 1);
        items.push(item);
        at = next;
      }
      const pairs = () => Array.from({ length: size }, (_, i) => [String(items[i * 2]), items[i * 2 + 1]]);
      return [type === 7 ? Object.fromEntries(pairs()) : items, at];
    }
    if (type === 14) return [size === 1, at];
    return [scalarAt(type, at, size), at + size];
  }

  function pointerAt(control: number, at: number): [pointer: number, next: number] {
    const bytes = ((control >> 3) & 3) + 1;
    const low = file.readUIntBE(at, bytes);
    const pointer = bytes === 4 ? low : (control & 7) * 2 ** (8 * bytes) + low + [0, 0, 2048, 526_336][bytes]!;
    return [pointer, at + bytes];
  }

  function scalarAt(type: number, at: number, size: number): unknown {
    if (type === 2) return file.toString("utf8", at, at + size);
    if (type === 3) return file.readDoubleBE(at);
    if (type === 15) return file.readFloatBE(at);
    // Numbers of more than six bytes, and plain bytes, are not needed to locate an address.
    return size === 0 ? 0 : size <= 6 ? file.readUIntBE(at, size) : file.subarray(at, at + size);
  }
}
