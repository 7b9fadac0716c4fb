import { resolve } from "node:path";
import type { Kind } from "./kinds.ts";
import * as kinds from "./kinds.ts";

export type Mode = "development" | "production";

/** The settings that a default may depend on. The table lists them first, so that their values are known when others are read. */
export interface Known {
  readonly databaseUrl: string | null;
  readonly mode: Mode;
  readonly port: number;
  readonly cwd: string;
}

export interface Setting<T> {
  readonly env: string;
  /** A second variable that platforms set. If both are set, the first one wins. */
  readonly envAlias?: string;
  /** A flag's name without dashes. `means` makes it a switch that stands for that value. Secrets have no flag, because `ps` would show them. */
  readonly flag?: { readonly name: string; readonly means?: string };
  readonly kind: Kind<T>;
  readonly default: (known: Known) => T;
  readonly defaultText: string;
  /** True for a secret: it is shown only as `***`, never repeated in a message, and may come from a file (`…_FILE`, yaml `…File`). */
  readonly secret: boolean;
  readonly doc: string;
}

const setting = <T, D>(
  env: string,
  kind: Kind<T>,
  preset: readonly [defaultText: string, D | ((known: Known) => D)],
  doc: string,
  more: Partial<Pick<Setting<T>, "envAlias" | "flag" | "secret">> = {},
): Setting<T | D> => ({
  env,
  kind,
  default: typeof preset[1] === "function" ? (preset[1] as (known: Known) => D) : () => preset[1] as D,
  defaultText: preset[0],
  secret: false,
  doc,
  ...more,
});

const unset = ["unset", null] as const;
const secret = { secret: true };

/** Every setting. The key is its name and its path in `gatehouse.yaml`. Parsing, `config print` and the reference use this table. */
export const settings = {
  databaseUrl: setting(
    "DATABASE_URL",
    kinds.postgresUrl,
    unset,
    "The Postgres database (14 or newer), with several hosts as libpq takes them (`docs/cluster.md`). Unset: the embedded database in the data folder.",
    secret,
  ),
  mode: setting(
    "GATEHOUSE_MODE",
    kinds.oneOf<Mode>("development", "production"),
    ["development on the embedded database, else production", ({ databaseUrl }) => (databaseUrl ? "production" : "development")],
    "Production insists on a base URL; development adds a demo realm and conveniences for trying things out.",
    { flag: { name: "dev", means: "development" } },
  ),
  port: setting("GATEHOUSE_PORT", kinds.integer(1, 65535), ["8080", 8080], "The TCP port to listen on.", {
    envAlias: "PORT",
    flag: { name: "port" },
  }),
  host: setting(
    "GATEHOUSE_HOST",
    kinds.bindHost,
    ["127.0.0.1 in development, else 0.0.0.0", ({ mode }) => (mode === "development" ? "127.0.0.1" : "0.0.0.0")],
    "The address to listen on.",
    { flag: { name: "host" } },
  ),
  baseUrl: setting(
    "GATEHOUSE_BASE_URL",
    kinds.origin,
    ["`http://localhost:<port>` in development, required in production", ({ port }) => `http://localhost:${port}`],
    "The address that browsers and clients use, and the beginning of every issuer. In production https, except on loopback.",
    { flag: { name: "base-url" } },
  ),
  dataDir: setting(
    "GATEHOUSE_DATA_DIR",
    kinds.path,
    ["`./data`", ({ cwd }) => resolve(cwd, "data")],
    "The folder of the embedded database, its generated master key and the first administrator's password.",
    { flag: { name: "data-dir" } },
  ),
  listenUrl: setting(
    "GATEHOUSE_LISTEN_URL",
    kinds.postgresUrl,
    ["the database URL", null],
    "A direct connection for LISTEN, where the database URL leads to a pooler such as PgBouncer.",
    secret,
  ),
  databasePool: setting(
    "GATEHOUSE_DATABASE_POOL",
    kinds.integer(1, 1000),
    ["10", 10],
    "The largest number of Postgres connections that this process keeps for requests. Background work has half as many in addition, and health and notifications one each.",
  ),
  databaseStartTimeoutSeconds: setting(
    "GATEHOUSE_DATABASE_START_TIMEOUT_SECONDS",
    kinds.integer(0, 3600),
    ["60", 60],
    "A starting server waits this long for a Postgres that cannot be reached or takes no writes yet, in seconds; then it ends with code 1.",
  ),
  databaseConnectTimeoutMs: setting(
    "GATEHOUSE_DATABASE_CONNECT_TIMEOUT_MS",
    kinds.integer(100, 60_000),
    ["3000", 3000],
    "A request waits this long for a database connection, in milliseconds; then it is answered with 503.",
  ),
  databaseStatementTimeoutMs: setting(
    "GATEHOUSE_DATABASE_STATEMENT_TIMEOUT_MS",
    kinds.integer(100, 600_000),
    ["5000", 5000],
    "One statement of a request may take this long, in milliseconds; then the request is answered with 503.",
  ),
  databaseLockTimeoutMs: setting(
    "GATEHOUSE_DATABASE_LOCK_TIMEOUT_MS",
    kinds.integer(100, 600_000),
    ["3000", 3000],
    "A statement of a request waits this long for a lock that another transaction holds, in milliseconds.",
  ),
  databaseBackgroundTimeoutMs: setting(
    "GATEHOUSE_DATABASE_BACKGROUND_TIMEOUT_MS",
    kinds.integer(1000, 3_600_000),
    ["60000", 60_000],
    "One statement of jobs, imports and erasures may take this long, in milliseconds. Migrations and commands have no limit.",
  ),
  preparedStatements: setting(
    "GATEHOUSE_PREPARED_STATEMENTS",
    kinds.flag,
    ["true", true],
    "Named prepared statements. Turn off behind a pooler that does not keep them.",
  ),
  masterKey: setting(
    "GATEHOUSE_MASTER_KEY",
    kinds.masterKey,
    ["generated in the data folder on the embedded database, required with a database URL", null],
    "The key that encrypts secrets at rest: 32 random bytes in base64 or hex.",
    secret,
  ),
  masterKeyPrevious: setting(
    "GATEHOUSE_MASTER_KEY_PREVIOUS",
    kinds.masterKeys,
    ["none", []],
    "Older master keys, still able to decrypt until `gatehouse key rewrap` has run.",
    secret,
  ),
  bootstrapAdminPassword: setting(
    "GATEHOUSE_BOOTSTRAP_ADMIN_PASSWORD",
    kinds.exactText("a password (in yaml: in quotes)"),
    ["generated", null],
    "The password of the first administrator; read at the first start only.",
    secret,
  ),
  trustProxy: setting(
    "GATEHOUSE_TRUST_PROXY",
    kinds.proxies,
    ["false", false],
    "The reverse proxies that may name the client's address: true, false, their number, or their addresses.",
  ),
  maxInFlight: setting(
    "GATEHOUSE_MAX_IN_FLIGHT",
    kinds.integer(0, 100_000),
    ["1000", 1000],
    "Requests that one node answers at once; more get 503 with `Retry-After`, probes and metrics excepted. 0: no limit.",
  ),
  maxLoopDelayMs: setting(
    "GATEHOUSE_MAX_LOOP_DELAY_MS",
    kinds.integer(0, 60_000),
    ["2000", 2000],
    "A node's event loop may run this late on average before requests get 503 with `Retry-After`, probes and metrics excepted. 0: no limit.",
  ),
  providerTimeoutMs: setting(
    "GATEHOUSE_PROVIDER_TIMEOUT_MS",
    kinds.integer(1_000, 60_000),
    ["15000", 15_000],
    "A request that asks an identity provider several times, such as the return from it, may take this long. Each call has 5 seconds.",
  ),
  tlsClientCertHeader: setting(
    "GATEHOUSE_TLS_CLIENT_CERT_HEADER",
    kinds.headerName,
    ["unset (mutual TLS off)", null],
    "The header in which a trusted reverse proxy passes on the client certificate (RFC 8705). Ignored unless `GATEHOUSE_TRUST_PROXY` is set, and from peers that it does not name; the proxy must verify certificates and drop the header where a client sends it.",
  ),
  mtlsBaseUrl: setting(
    "GATEHOUSE_MTLS_BASE_URL",
    kinds.origin,
    ["unset (certificates are shown at `baseUrl`)", null],
    "Another address of this server at which the reverse proxy asks clients for certificates, so that browsers are not asked for one: `mtls_endpoint_aliases` in discovery (RFC 8705 §5). Needs `GATEHOUSE_TLS_CLIENT_CERT_HEADER`.",
  ),
  securityContacts: setting(
    "GATEHOUSE_SECURITY_CONTACTS",
    kinds.contactList,
    ["none", []],
    "Where people report a vulnerability of this installation (`mailto:security@example.org`), served at `/.well-known/security.txt` (RFC 9116).",
  ),
  allowedHosts: setting(
    "GATEHOUSE_ALLOWED_HOSTS",
    kinds.hostList,
    ["none", []],
    "Private hosts (`mail.internal`, `10.1.2.3:25`) or networks (`10.0.0.0/8`) that outbound calls (webhooks, identity providers) may reach.",
  ),
  dnsServers: setting(
    "GATEHOUSE_DNS_SERVERS",
    kinds.addressList,
    ["those of the system", []],
    "Name servers (`10.0.0.53`, `[2001:db8::53]:5353`) that are queried for the TXT records of organizations' domains.",
  ),
  "audit.httpUrl": setting(
    "GATEHOUSE_AUDIT_HTTP_URL",
    kinds.url("an http(s) URL", "https:", "http:"),
    unset,
    "The address to which audit events are forwarded, besides stdout.",
  ),
  "audit.httpToken": setting(
    "GATEHOUSE_AUDIT_HTTP_TOKEN",
    kinds.text("a token"),
    unset,
    "The bearer token sent along with them. Needs `GATEHOUSE_AUDIT_HTTP_URL`.",
    secret,
  ),
  "audit.categories": setting(
    "GATEHOUSE_AUDIT_CATEGORIES",
    kinds.someOf("AUTHN", "ADMIN", "SECURITY"),
    ["AUTHN, ADMIN", ["AUTHN", "ADMIN"] as const],
    "The categories that are forwarded. Stdout and the database always get all.",
  ),
  "audit.timeoutMs": setting(
    "GATEHOUSE_AUDIT_TIMEOUT_MS",
    kinds.integer(100, 60_000),
    ["2000", 2000],
    "One forwarding may take this long, in milliseconds.",
  ),
  webhookRetrySeconds: setting(
    "GATEHOUSE_WEBHOOK_RETRY_SECONDS",
    kinds.waits(604_800, 20),
    ["`5,30,120,600,3600,21600,86400`", [5, 30, 120, 600, 3600, 21_600, 86_400]],
    "The waits before each retry of a webhook delivery, in seconds. After the last one it is given up.",
  ),
  breachCorpus: setting(
    "GATEHOUSE_BREACH_CORPUS",
    kinds.folderOrUrl,
    ["the small list that ships", null],
    "A folder or URL of breached passwords in the range format of Have I Been Pwned.",
  ),
  geoipFile: setting(
    "GATEHOUSE_GEOIP_FILE",
    kinds.path,
    ["unset (no places)", null],
    "A file in MaxMind's format (mmdb), such as GeoLite2 City: people see the place of their sessions and in mails about new sign-ins.",
  ),
  redisUrl: setting(
    "REDIS_URL",
    kinds.url("a URL that begins with redis:// or rediss://", "redis:", "rediss:"),
    unset,
    "Redis or Valkey, to share rate limits between nodes.",
    secret,
  ),
  otelEndpoint: setting(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    kinds.url("an http(s) URL", "https:", "http:"),
    ["unset (tracing off)", null],
    "The address to which OpenTelemetry traces are sent.",
  ),
  logLevel: setting(
    "GATEHOUSE_LOG_LEVEL",
    kinds.oneOf("fatal", "error", "warn", "info", "debug", "trace", "silent"),
    ["info", "info" as const],
    "The least severe log line that is written.",
    { flag: { name: "log-level" } },
  ),
  shutdownGraceSeconds: setting(
    "GATEHOUSE_SHUTDOWN_GRACE_SECONDS",
    kinds.integer(0, 3600),
    ["20", 20],
    "A stopping server waits this long for requests in progress.",
  ),
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof settings;
export const settingNames = Object.keys(settings) as readonly SettingName[];

export type Values = { readonly [K in SettingName]: (typeof settings)[K] extends Setting<infer T> ? T : never };

export const describe = (name: SettingName): Setting<unknown> => settings[name] as Setting<unknown>;

/** The flags of every command that reads the configuration, except `--config`. */
export const settingFlags: readonly { readonly name: string; readonly takesValue: boolean; readonly doc: string }[] = settingNames.flatMap(
  (name) => {
    const { flag, doc } = describe(name);
    if (!flag) return [];
    return [{ name: flag.name, takesValue: flag.means === undefined, doc: flag.means ? `The same as ${name} = ${flag.means}.` : doc }];
  },
);
