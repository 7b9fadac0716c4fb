import { BlockList, isIPv4, isIPv6 } from "node:net";

// IANA's special-purpose registry (RFC 6890): every block that is not a place on the public Internet.
const SPECIAL_IPV4 = [
  "0.0.0.0/8", // this network, the unspecified address
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carrier-grade NAT
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local, where clouds keep their metadata service
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // 6to4 relays, withdrawn
  "192.168.0.0/16", // private
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, and broadcast
];

// Only 2000::/3 is assigned for public use, so an IPv6 address is public if it is in that block and in none of these. This excludes loopback, ULA, link-local,
// site-local, multicast, IPv4-compatible and the discard prefix without naming them.
const SPECIAL_IPV6 = [
  "2001::/23", // protocol assignments: Teredo (which hides an IPv4 address), benchmarks, ORCHID
  "2001:db8::/32", // documentation
  "3fff::/20", // documentation
];

/** Returns a set of addresses, written as single addresses or CIDR blocks. */
export function addressSet(entries: readonly string[]): BlockList {
  const set = new BlockList();
  for (const entry of entries) {
    const [address = "", prefix] = entry.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    if (prefix === undefined) set.addAddress(address, family);
    else set.addSubnet(address, Number(prefix), family);
  }
  return set;
}

export const inSet = (set: BlockList, address: string): boolean => set.check(address, isIPv4(address) ? "ipv4" : "ipv6");

const specialIPv4 = addressSet(SPECIAL_IPV4);
const specialIPv6 = addressSet(SPECIAL_IPV6);
const loopback = addressSet(["127.0.0.0/8", "::1"]);
const globalUnicast = addressSet(["2000::/3"]);

/** An address with the port of its connection, which some proxies add to `X-Forwarded-For`. */
const WITH_PORT = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/;

/** Returns the plain form of an address: without a port and a zone, and an IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) as IPv4. */
export function plainAddress(address: string): string {
  const [, inBrackets, dottedQuad] = WITH_PORT.exec(address) ?? [];
  const unzoned = (inBrackets ?? dottedQuad ?? address).split("%", 1)[0]!;
  if (!isIPv6(unzoned)) return unzoned;
  const bytes = ipv6Bytes(unzoned);
  return startsWith(bytes, MAPPED) ? dotted(bytes, 12) : unzoned;
}

/** Tells whether it is a loopback address. */
export const isLoopbackAddress = (address: string): boolean => isAddress(address) && inSet(loopback, plainAddress(address));

/** Tells whether the address is a single place on the public Internet. An unreadable address is not. */
export function isPublicAddress(address: string): boolean {
  if (!isAddress(address)) return false;
  const plain = plainAddress(address);
  if (isIPv4(plain)) return !inSet(specialIPv4, plain);
  const bytes = ipv6Bytes(plain);
  const embedded = embeddedIPv4(bytes);
  if (embedded !== null && inSet(specialIPv4, embedded)) return false;
  // NAT64's well-known prefix is outside of 2000::/3, but an IPv6-only network reaches public IPv4 peers by it.
  if (startsWith(bytes, NAT64)) return true;
  return inSet(globalUnicast, plain) && !inSet(specialIPv6, plain);
}

const isAddress = (address: string): boolean => isIPv4(address) || isIPv6(address);

const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]; // RFC 4291 §2.5.5.2
const NAT64 = [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0]; // RFC 6052 §2.1
const SIX_TO_FOUR = [0x20, 0x02]; // RFC 3056 §2

/** Returns the IPv4 address to which a translator or tunnel would deliver packets for this IPv6 address, or null. */
function embeddedIPv4(bytes: Uint8Array): string | null {
  if (startsWith(bytes, NAT64)) return dotted(bytes, 12);
  if (startsWith(bytes, SIX_TO_FOUR)) return dotted(bytes, 2);
  // ISATAP puts the address behind 0000:5efe or 0200:5efe in the lower half of any prefix (RFC 5214 §6.1).
  if ((bytes[8]! & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe) return dotted(bytes, 12);
  return null;
}

const startsWith = (bytes: Uint8Array, prefix: readonly number[]): boolean => prefix.every((byte, i) => bytes[i] === byte);
const dotted = (bytes: Uint8Array, at: number): string => bytes.subarray(at, at + 4).join(".");

/** The sixteen bytes of an address without a zone that `isIPv6` accepted. */
export function ipv6Bytes(address: string): Uint8Array {
  // The URL parser writes every spelling (dotted tail, upper case, leading zeros) as plain groups with at most one "::".
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16)));
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const all = [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
  return Uint8Array.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
