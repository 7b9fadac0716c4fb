import type { FieldError } from "../../kernel/errors.ts";

/** The hosts on which an application on the user's own device listens. */
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

type Verdict = { readonly code: string; readonly message: string } | null;
const refuse = (code: string, message: string): Verdict => ({ code, message });

/** Checks the rules for every address to which a browser or this server is sent. */
function parse(uri: string): URL | Verdict {
  if (uri.includes("*")) return refuse("wildcard", "must not contain *: addresses are compared exactly, so list each one in full");
  const url = URL.canParse(uri) ? new URL(uri) : null;
  if (!url) return refuse("format", "is not an absolute address");
  if (url.username !== "" || url.password !== "") return refuse("userinfo", "must not contain a username or password");
  // RFC 6749 §3.1.2 forbids a fragment.
  if (uri.includes("#")) return refuse("fragment", "must not have a fragment (#)");
  // This also refuses a difference in letter case, default port or dot segments only: a browser would go to another address.
  if (url.href !== uri && url.href !== `${uri}/`) return refuse("format", `must be written as browsers do: ${url.href}`);
  return url;
}

const isSecure = ({ protocol, hostname }: URL) => protocol === "https:" || (protocol === "http:" && LOOPBACK.has(hostname));

/**
 * Checks a redirect URI by RFC 9700 §2.1 and RFC 8252 §7: it has https, http to the device itself, or for native applications a scheme that
 * is one of their domains.
 */
export function redirectUriVerdict(uri: string, applicationType: "web" | "native"): Verdict {
  const url = parse(uri);
  if (!(url instanceof URL)) return url;
  if (url.protocol === "http:" || url.protocol === "https:") {
    if (applicationType === "native" && url.protocol === "https:" && LOOPBACK.has(url.hostname))
      return refuse("scheme", "must use http on a loopback address, because no certificate is issued for it");
    return isSecure(url) ? null : refuse("scheme", "must use https; http is only for 127.0.0.1, [::1] and localhost");
  }
  if (applicationType === "web") return refuse("scheme", "must use https; other schemes are for clients of the applicationType native");
  return url.protocol.includes(".")
    ? null
    : refuse("scheme", "must use a scheme like com.example.app, based on a domain name that you own");
}

/** Checks an address that this server calls, or shows as a link. */
export function addressVerdict(uri: string): Verdict {
  const url = parse(uri);
  if (!(url instanceof URL)) return url;
  return isSecure(url) ? null : refuse("scheme", "must use https; http is only for 127.0.0.1, [::1] and localhost");
}

export function httpsVerdict(uri: string): Verdict {
  const url = parse(uri);
  if (!(url instanceof URL)) return url;
  return url.protocol === "https:" ? null : refuse("scheme", "must use https");
}

/** The Origin header of apps in a WebView and of browser extensions. */
const APP_ORIGIN = /^([a-z][a-z0-9+.-]*):\/\/[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/;
/** The schemes whose content has no origin of its own, or may be of any site. */
const WITHOUT_ORIGIN = new Set(["http", "https", "ws", "wss", "ftp", "file", "data", "javascript", "blob", "filesystem", "about"]);
function isAppOrigin(origin: string): boolean {
  const scheme = APP_ORIGIN.exec(origin)?.[1];
  return scheme !== undefined && !WITHOUT_ORIGIN.has(scheme);
}

export function originVerdict(origin: string): Verdict {
  if (origin === "+" || isAppOrigin(origin)) return null;
  if (origin.includes("*"))
    return refuse("wildcard", "must not contain *: list each origin, or use + for the origins of the redirect URIs");
  const url = URL.canParse(origin) ? new URL(origin) : null;
  if (!url || url.origin !== origin) {
    const hint = url && url.origin !== "null" ? `: ${url.origin}` : ", such as https://app.example.com";
    return refuse("format", `must be an origin${hint}`);
  }
  return isSecure(url) ? null : refuse("scheme", "must use https; http is only for 127.0.0.1, [::1] and localhost");
}

/** Returns the normalised spelling of an address (RFC 3986 §6.2.2, §6.2.3), or null if it is no URI. */
function normalised(uri: string): URL | null {
  const decoded = uri.replace(/%[0-9a-f]{2}/gi, (octet) => {
    const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : octet.toUpperCase();
  });
  if (!URL.canParse(decoded)) return null;
  const url = new URL(decoded);
  if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1);
  return url;
}

const MAX_URI = 2048;

/** Returns the key that compares resource indicators: the normalised spelling. A slash at the end of the path makes no other resource. */
export function resourceKey(uri: string): string {
  const url = uri.length > MAX_URI ? null : normalised(uri);
  if (!url) return uri;
  const { href, search, hash } = url;
  const rest = search + hash;
  return href.slice(0, href.length - rest.length).replace(/\/$/, "") + rest;
}

/** Checks a resource indicator by RFC 8707 §2: it is an absolute URI, without a fragment. */
export function resourceVerdict(uri: string): Verdict {
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:[!-~]+$/.test(uri) || !URL.canParse(uri)) return refuse("format", "is not an absolute URI");
  return uri.includes("#") ? refuse("fragment", "must not have a fragment (#)") : null;
}

/** Checks an API's resource indicator. It must have its normalised spelling, because it becomes the `aud`. */
export function indicatorVerdict(uri: string): Verdict {
  const refused = resourceVerdict(uri);
  if (refused) return refused;
  if (uri.includes("*")) return refuse("wildcard", "must not contain *: list each address in full");
  const url = normalised(uri);
  if (!url || url.username !== "" || url.password !== "") return refuse("userinfo", "must not contain a username or password");
  return url.href === uri || url.href === `${uri}/` ? null : refuse("format", `must be written as browsers do: ${url.href}`);
}

/** Returns the audience of tokens for the admin API. */
export const adminAudience = (baseUrl: string): string => `${baseUrl}/admin`;

/** Tells whether an address is one of the server itself, its endpoints and APIs, however it is spelled. */
export function isWithinServer(baseUrl: string, address: string): boolean {
  const [base, url] = [normalised(baseUrl), normalised(address)];
  if (!base || !url) return false;
  const root = base.pathname.replace(/\/$/, "");
  return /^https?:$/.test(url.protocol) && url.host === base.host && (url.pathname === root || url.pathname.startsWith(`${root}/`));
}

/** Checks an audience of a client. It is no address of this server, except the admin API. */
export const ownAddressVerdict =
  (baseUrl: string) =>
  (address: string): Verdict =>
    address !== adminAudience(baseUrl) && isWithinServer(baseUrl, address)
      ? refuse("reserved", "is an address of this server: use an address of the client or resource itself")
      : null;

/** Checks the address of an API. It is no address of this server, not even the admin API. */
export const foreignAddressVerdict =
  (baseUrl: string) =>
  (address: string): Verdict =>
    isWithinServer(baseUrl, address) ? refuse("reserved", "is an address of this server: use the address of the API itself") : null;

/** Returns an error for each value that is refused, by its position in the list. */
export const inList = (field: string, values: readonly string[], verdict: (value: string) => Verdict): FieldError[] =>
  values.flatMap((value, index) => asError(`${field}.${index}`, value, verdict));

export const inMember = (field: string, value: string | null, verdict: (value: string) => Verdict): FieldError[] =>
  value === null ? [] : asError(field, value, verdict);

const asError = (field: string, value: string, verdict: (value: string) => Verdict): FieldError[] => {
  const refused = verdict(value);
  return refused ? [{ field, code: refused.code, message: `${field} ${refused.message}` }] : [];
};
