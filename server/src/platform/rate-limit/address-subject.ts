import { isIPv6 } from "node:net";
import { plainAddress } from "../outbound/index.ts";

/** Returns the subject by which an address is counted. An IPv6 client usually controls its whole /64, so the prefix is counted. */
export function addressSubject(ip: string): string {
  const address = plainAddress(ip);
  if (!isIPv6(address)) return address;
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groups = (text: string | undefined) => (text ? text.split(":") : []);
  const known = groups(head).length + groups(tail).length;
  const all = [...groups(head), ...Array<string>(tail === undefined ? 0 : 8 - known).fill("0"), ...groups(tail)];
  return `${all.slice(0, 4).join(":")}::/64`;
}
