/** The values of libpq's `target_session_attrs` that a server can use, which has to write. */
type SessionAttrs = "any" | "read-write" | "primary";
const ATTRS: readonly string[] = ["any", "read-write", "primary"] satisfies SessionAttrs[];
/** The values in libpq that lead to a standby. */
const STANDBY = ["read-only", "standby", "prefer-standby"];

export interface PostgresAddress {
  /** One URL for each host in their order, in the form that the driver accepts. */
  readonly urls: readonly string[];
  /** `host:port` of each host for messages, without user and password. */
  readonly names: readonly string[];
  readonly attrs: SessionAttrs;
}

const FORM = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)([^?#]*)(?:\?([^#]*))?$/i;
const HOST = /^(\[[^\]]+\]|[^:[\]]*)(?::(\d{1,5}))?$/;
const DEFAULT_PORT = "5432";

/**
 * Parses a connection URI of libpq. It may have several hosts, separated by commas, in the authority (`h1:5432,h2`) or as parameters (`?host=h1,h2`), and
 * `target_session_attrs`. Returns a text that says what is wrong with it, if anything is.
 */
export function readPostgresUrl(url: string): PostgresAddress | string {
  const [, head, authority = "", path = "", query = ""] = FORM.exec(url) ?? [];
  // The driver supports further forms, such as a password with a slash in it, so the URL is left to the driver.
  if (head === undefined) return { urls: [url], names: ["a host that cannot be read"], attrs: "any" };
  const parameters = query.split("&").filter(Boolean);
  const parameter = (name: string) => parameters.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
  const hosts = hostsOf(authority, parameter("host"), parameter("port"));
  if (typeof hosts === "string") return hosts;
  const attrs = parameter("target_session_attrs") ?? (hosts.length > 1 ? "read-write" : "any");
  if (STANDBY.includes(attrs)) return `target_session_attrs=${attrs} leads to a standby, and a server has to write: use read-write`;
  if (!ATTRS.includes(attrs)) return `target_session_attrs must be one of ${ATTRS.join(", ")}`;
  const others = parameters.filter((each) => !/^(host|port|target_session_attrs)=/.test(each));
  const urls = hosts.map(({ host, port, isParameter }) => {
    const own = isParameter ? [`host=${host}`, ...(port === "" ? [] : [`port=${port}`])] : [];
    const at = isParameter ? "" : host + (port === "" ? "" : `:${port}`);
    const all = [...own, ...others];
    return `${head}${at}${path}${all.length === 0 ? "" : `?${all.join("&")}`}`;
  });
  const names = hosts.map(({ host, port }) => (/^(%2f|\/)/i.test(host) ? decoded(host) : `${host || "localhost"}:${port || DEFAULT_PORT}`));
  return { urls, names, attrs: attrs as SessionAttrs };
}

interface Host {
  readonly host: string;
  readonly port: string;
  readonly isParameter: boolean;
}

function hostsOf(authority: string, host: string | undefined, port: string | undefined): readonly Host[] | string {
  if (host === undefined) {
    const written = authority.split(",").map((each) => HOST.exec(each));
    const isWrong = written.some((found) => !found || Number(found[2] ?? 1) > 65_535 || (written.length > 1 && found[1] === ""));
    if (isWrong) return "name each host as host or host:port, separated by commas";
    return written.map((found) => ({ host: found![1]!, port: found![2] ?? port ?? "", isParameter: false }));
  }
  const names = decoded(host).split(",");
  // The driver takes the port from the authority, even if the host is a parameter.
  const ports = decoded(port ?? HOST.exec(authority)?.[2] ?? "").split(",");
  if (names.includes("") || (ports.length > 1 && ports.length !== names.length) || ports.some((each) => !/^\d{0,5}$/.test(each)))
    return "host and port must list as many hosts as ports, or one port for all";
  return names.map((name, at) => ({
    host: encodeURIComponent(name),
    port: (ports.length > 1 ? ports[at] : ports[0]) ?? "",
    isParameter: true,
  }));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
