import { OutboundError } from "../outbound/index.ts";

const SHAPE = /^(ldaps?):\/\/(\[[0-9a-f:.]+\]|[^\s/?#@\\:[\]%]+)(?::(\d{1,5}))?\/?$/i;

/** Parses the host and port of `ldap://…` or `ldaps://…`. It refuses a path, a query and credentials: the search base is configured elsewhere. */
export function parseLdapUrl(written: string): { readonly host: string; readonly port: number; readonly tls: boolean } {
  const [, scheme = "", host = "", digits] = (written.length <= 300 && SHAPE.exec(written)) || [];
  const tls = scheme.toLowerCase() === "ldaps";
  const port = digits === undefined ? (tls ? 636 : 389) : Number(digits);
  // `platform/outbound` validates the host when it connects.
  if (host === "" || port < 1 || port > 65_535) throw new OutboundError("bad_url", "That URL");
  return { host, port, tls };
}
