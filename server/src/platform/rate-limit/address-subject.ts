import { isIPv6 } from "node:net";
import { ipv6Bytes, plainAddress } from "../outbound/index.ts";

/** Returns the subject by which an address is counted. An IPv6 client usually controls its whole /64, so the prefix is counted. */
export function addressSubject(ip: string): string {
  const address = plainAddress(ip);
  if (!isIPv6(address)) return address;
  const bytes = Buffer.from(ipv6Bytes(address));
  return `${[0, 2, 4, 6].map((at) => bytes.readUInt16BE(at).toString(16)).join(":")}::/64`;
}
