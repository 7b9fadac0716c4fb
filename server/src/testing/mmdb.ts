// Makes files in MaxMind's format for tests: a tree of IPv6, and data of maps, texts and numbers.

type Value = string | number | { readonly [name: string]: Value };

const control = (type: number, size: number): Buffer => {
  const [kind, extended] = type <= 7 ? [type, []] : [0, [type - 7]];
  if (size >= 29) return Buffer.from([(kind << 5) | 29, ...extended, size - 29]);
  return Buffer.from([(kind << 5) | size, ...extended]);
};

function encoded(value: Value): Buffer {
  if (typeof value === "string") return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === "number") {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(6, 4), bytes]);
  }
  const entries = Object.entries(value);
  return Buffer.concat([control(7, entries.length), ...entries.flatMap(([name, each]) => [encoded(name), encoded(each)])]);
}

/** Makes a file. The networks are given by their bits, such as those of `mmdbBits`. */
export function mmdbFile(networks: Readonly<Record<string, Value>>, recordSize: 24 | 28 | 32 = 24): Buffer {
  type Leaf = { readonly at: number };
  type Node = [Node | Leaf | null, Node | Leaf | null];
  const root: Node = [null, null];
  const nodes: Node[] = [root];
  const parts: Buffer[] = [];
  let size = 0;
  for (const [bits, value] of Object.entries(networks)) {
    let node = root;
    for (const bit of bits.slice(0, -1)) {
      const side = Number(bit) as 0 | 1;
      if (!Array.isArray(node[side])) {
        const made: Node = [null, null];
        nodes.push(made);
        node[side] = made;
      }
      node = node[side] as Node;
    }
    node[Number(bits.at(-1)) as 0 | 1] = { at: size };
    const part = encoded(value);
    parts.push(part);
    size += part.length;
  }
  const record = (to: Node | Leaf | null) =>
    to === null ? nodes.length : Array.isArray(to) ? nodes.indexOf(to) : nodes.length + 16 + to.at;
  const tree = Buffer.concat(
    nodes.map(([left, right]) => {
      const [low, high] = [record(left), record(right)];
      const out = Buffer.alloc(recordSize / 4);
      if (recordSize === 28) {
        out.writeUIntBE(low & 0xffffff, 0, 3);
        out[3] = ((low >> 24) << 4) | (high >> 24);
        out.writeUIntBE(high & 0xffffff, 4, 3);
      } else {
        out.writeUIntBE(low, 0, recordSize / 8);
        out.writeUIntBE(high, recordSize / 8, recordSize / 8);
      }
      return out;
    }),
  );
  const metadata = {
    node_count: nodes.length,
    record_size: recordSize,
    ip_version: 6,
    database_type: "Test-City",
    build_epoch: 1_790_000_000,
  };
  return Buffer.concat([tree, Buffer.alloc(16), ...parts, Buffer.from("abcdef4d61784d696e642e636f6d", "hex"), encoded(metadata)]);
}

/** Returns the bits of a network. An IPv4 network has 96 zeros before its own. */
export const mmdbBits = (bytes: readonly number[], length: number, isIpv4: boolean): string =>
  (isIpv4 ? "0".repeat(96) : "") +
  bytes
    .map((byte) => byte.toString(2).padStart(8, "0"))
    .join("")
    .slice(0, length);
