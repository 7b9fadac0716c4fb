import { OutboundError } from "../outbound/index.ts";

const SHAPE = /^(ldaps?):\/\/(\[[0-9a-f:.]+\]|[^\s/?#@\\:[\]%]+)(?::(\d{1,5}))?\/?$/i;

/** Host and port of `ldap://…` or `ldaps://…`. A path, a query or credentials are not part of it: the search base is configured. */
export function parseLdapUrl(written: string): { readonly host: string; readonly port: number; readonly tls: boolean } {
  const [, scheme = "", host = "", digits] = (written.length <= 300 && SHAPE.exec(written)) || [];
  const tls = scheme.toLowerCase() === "ldaps";
  const port = digits === undefined ? (tls ? 636 : 389) : Number(digits);
  // `platform/outbound` reads the host when it connects, and refuses what is none.
  if (host === "" || port < 1 || port > 65_535) throw new OutboundError("bad_url", "That URL");
  return { host, port, tls };
}
