import { isIP, isIPv4, isIPv6 } from "node:net";
import { resolve } from "node:path";
import { readPostgresUrl } from "../kernel/postgres-url.ts";
import { didYouMean } from "../kernel/suggest.ts";
import { withoutEnding } from "../kernel/text.ts";
import { parseMasterKey, VaultError } from "../kernel/vault.ts";

/** The values that a setting accepts. Values from flags, variables and files are texts; yaml also has numbers, booleans and lists. */
export interface Kind<T> {
  /** Completes "expected …". */
  readonly expected: string;
  /** True for a URL, which is shown without its password. Other secrets are not shown at all. */
  readonly isUrl?: true;
  /** Returns the value, or the reason why it is wrong in words. Relative paths start from `folder`. */
  parse(raw: unknown, folder: string): { readonly value: T } | { readonly problem: string };
}

const ok = <T>(value: T) => ({ value });
const wrong = (problem: string) => ({ problem });

/** Returns a scalar as text, or undefined for a yaml list or mapping. */
const scalar = (raw: unknown): string | undefined =>
  typeof raw === "string" ? raw.trim() : typeof raw === "number" || typeof raw === "boolean" ? String(raw) : undefined;

/** Splits a text at commas and line breaks. A yaml list is used unchanged. */
function items(raw: unknown): string[] | undefined {
  if (Array.isArray(raw)) {
    const texts = raw.map(scalar);
    return texts.every((text) => text !== undefined) ? texts : undefined;
  }
  return scalar(raw)
    ?.split(/[,\n]/)
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function fromText<T>(expected: string, read: (text: string, folder: string) => T | undefined): Kind<T> {
  return {
    expected,
    parse(raw, folder) {
      const text = scalar(raw);
      const value = text === undefined || text === "" ? undefined : read(text, folder);
      return value === undefined ? wrong(`expected ${expected}`) : ok(value);
    },
  };
}

function fromList<T extends string>(expected: string, read: (item: string) => T | undefined): Kind<readonly T[]> {
  return {
    expected,
    parse(raw) {
      const values = items(raw)?.map(read);
      return values?.every((value) => value !== undefined) ? ok(values) : wrong(`expected ${expected}`);
    },
  };
}

/** Accepts successive waits in seconds. */
export const waits = (max: number, most: number): Kind<readonly number[]> => {
  const expected = `a comma-separated list of 1 to ${most} whole numbers of seconds, each at most ${max}`;
  return {
    expected,
    parse(raw) {
      const written = items(raw) ?? [];
      const values = written.map((item) => (/^\d{1,9}$/.test(item) ? Number(item) : Number.NaN));
      const valid = values.length > 0 && values.length <= most && values.every((value) => value <= max);
      return valid ? ok(values) : wrong(`expected ${expected}`);
    },
  };
};

export const text = (expected: string): Kind<string> => fromText(expected, (value) => value);

/** Accepts a text unchanged: a password may begin or end with a space. */
export const exactText = (expected: string): Kind<string> => ({
  expected,
  parse: (raw) => (typeof raw === "string" && raw !== "" ? ok(raw) : wrong(`expected ${expected}`)),
});

/** RFC 9110 §5.1: the name is compared, and therefore kept, in lower case. */
export const headerName: Kind<string> = fromText("the name of a header", (value) =>
  /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(value) ? value.toLowerCase() : undefined,
);

export const integer = (min: number, max: number): Kind<number> =>
  fromText(`a whole number from ${min} to ${max}`, (value) => {
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  });

const YES = ["true", "yes", "on", "1"];
const NO = ["false", "no", "off", "0"];

export const flag: Kind<boolean> = fromText("true or false", (value) => {
  const word = value.toLowerCase();
  return YES.includes(word) ? true : NO.includes(word) ? false : undefined;
});

export function oneOf<T extends string>(...choices: readonly T[]): Kind<T> {
  const expected = choices.length === 2 ? choices.join(" or ") : `one of ${choices.join(", ")}`;
  return {
    expected,
    parse(raw) {
      const typed = scalar(raw) ?? "";
      const choice = choices.find((candidate) => candidate === typed.toLowerCase());
      return choice ? ok(choice) : wrong(`expected ${expected}.${didYouMean(typed, choices)}`);
    },
  };
}

export const someOf = <T extends string>(...choices: readonly T[]): Kind<readonly T[]> =>
  fromList(`a comma-separated list of ${choices.join(", ")}`, (item) => choices.find((candidate) => candidate === item.toUpperCase()));

export const path: Kind<string> = fromText("a path", (value, folder) => resolve(folder, value));

const asUrl = (kind: Kind<string>): Kind<string> => ({ ...kind, isUrl: true });

export function url(expected: string, ...schemes: readonly string[]): Kind<string> {
  const kind = fromText(expected, (value) => {
    const parsed = URL.canParse(value) ? new URL(value) : undefined;
    return parsed?.hostname && schemes.includes(parsed.protocol) ? value : undefined;
  });
  return asUrl(kind);
}

export const folderOrUrl: Kind<string> = fromText("a folder or an http(s) URL", (value, folder) => {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return resolve(folder, value);
  return /^https?:\/\/./i.test(value) && URL.canParse(value) ? withoutEnding(value, "/") : undefined;
});

/** Checks the scheme only, because the driver supports forms that `URL` does not (`postgres://user@/db?host=/run/postgresql`). */
const anyPostgresUrl = fromText("a URL that begins with postgres:// or postgresql://", (value) =>
  /^postgres(?:ql)?:\/\/\S+$/i.test(value) ? value : undefined,
);
export const postgresUrl: Kind<string> = asUrl({
  ...anyPostgresUrl,
  parse(raw, folder) {
    const parsed = anyPostgresUrl.parse(raw, folder);
    const address = "value" in parsed ? readPostgresUrl(parsed.value) : null;
    return typeof address === "string" ? wrong(address) : parsed;
  },
});

/** Accepts an origin. The routes are at the root of their origin, so a path could only lead to broken links. */
export const origin: Kind<string> = fromText("an origin such as https://id.example.org, without a path", (value) => {
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  if (!parsed || !["http:", "https:"].includes(parsed.protocol)) return undefined;
  const bare = parsed.pathname === "/" && !parsed.username && !parsed.password && !/[?#]/.test(value);
  return bare ? parsed.origin : undefined;
});

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:[.][a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/i;
// Tells whether the text is a host name. Digits and dots that are not an address are a typing mistake, never a name.
const isHostName = (value: string): boolean => HOST_NAME.test(value) && !/^[\d.]+$/.test(value);

function isNetwork(value: string): boolean {
  const [address = "", prefix, ...rest] = value.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

export const bindHost: Kind<string> = fromText("an address or host name to listen on, such as 127.0.0.1 or 0.0.0.0", (value) =>
  isIP(value) !== 0 || isHostName(value) ? value : undefined,
);

/** Tells whether the text is an allowed host: `mail.internal`, `10.1.2.3:25`, `[fd00::1]:636` or `10.0.0.0/8`. A host may have a port, a network may not. */
function isReachable(item: string): boolean {
  if (isNetwork(item)) return true;
  const [, host = "", port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(item) ?? [];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65535)) return false;
  return host.startsWith("[") ? isIP(host.slice(1, -1)) === 6 : isIP(host) === 4 || isHostName(host);
}

export const hostList: Kind<readonly string[]> = fromList(
  "a comma-separated list of hosts (mail.internal, 10.1.2.3:25) and networks (10.0.0.0/8)",
  (item) => (isReachable(item) ? item.toLowerCase() : undefined),
);

const ADDRESS = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/;
const isServer = (item: string): boolean => {
  const [, v6, v4, port = "53"] = ADDRESS.exec(item) ?? [];
  return (v6 !== undefined ? isIPv6(v6) : v4 !== undefined && isIPv4(v4)) && Number(port) >= 1 && Number(port) <= 65_535;
};

export const addressList: Kind<readonly string[]> = fromList(
  "a comma-separated list of addresses, with a port where it is another than 53 (10.0.0.53, [2001:db8::53]:5353)",
  (item) => (isServer(item) ? item : isIPv6(item) ? `[${item}]` : undefined),
);

const CONTACT = /^(mailto:[^\s@]+@[^\s@]+|https:\/\/[^\s]+|tel:\+?[\d-]+)$/;
export const contactList: Kind<readonly string[]> = fromList(
  "a comma-separated list of mailto:, https: or tel: addresses (mailto:security@example.org)",
  (item) => (CONTACT.test(item) ? item : undefined),
);

const PROXY_NAMES = ["loopback", "linklocal", "uniquelocal"];
const proxyList = fromList("true, false, the number of proxies in front, or a list of their addresses (10.0.0.0/8, loopback)", (item) =>
  isNetwork(item) || PROXY_NAMES.includes(item) ? item : undefined,
);

/** Reads `1` as one proxy and not as "yes": Fastify does so, and it is the narrower reading. */
export const proxies: Kind<boolean | number | readonly string[]> = {
  expected: proxyList.expected,
  parse(raw, folder) {
    const typed = scalar(raw)?.toLowerCase();
    if (typed === "true" || typed === "false") return ok(typed === "true");
    if (typed !== undefined && /^\d{1,2}$/.test(typed)) return ok(Number(typed) || false);
    const list = proxyList.parse(raw, folder);
    return "value" in list && list.value.length === 0 ? ok(false) : list;
  },
};

const KEY_EXPECTED = "32 random bytes in base64 or hex (make one with: openssl rand -base64 32)";

function readKey(value: string): string | undefined {
  // Node skips characters that are not base64. A damaged key must be refused, not read in part.
  if (!/^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}$/.test(value)) return undefined;
  try {
    parseMasterKey(value);
    return value;
  } catch (error) {
    if (error instanceof VaultError) return undefined;
    throw error;
  }
}

export const masterKey: Kind<string> = fromText(KEY_EXPECTED, readKey);
export const masterKeys: Kind<readonly string[]> = fromList(`a list of keys, each ${KEY_EXPECTED}`, readKey);
