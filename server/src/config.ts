// The configuration: one immutable object, which is read once at the start. Only this file and config/ read process.env.
// config/settings.ts lists every setting. The precedence is flag, environment, gatehouse.yaml, default.
import { resolve } from "node:path";
import { ConfigError, type ConfigProblem } from "./config/errors.ts";
import { checkRules } from "./config/rules.ts";
import { describe, type Known, type Mode, type SettingName, settingNames, type Values } from "./config/settings.ts";
import { type Env, type Flags, type Origin, readSources } from "./config/sources.ts";

export { ConfigError, type ConfigProblem } from "./config/errors.ts";
export type { Mode, SettingName } from "./config/settings.ts";
export type { Origin } from "./config/sources.ts";

export interface Config {
  readonly mode: Mode;
  readonly host: string;
  readonly port: number;
  /** An origin, without a trailing slash. */
  readonly baseUrl: string;
  /** An absolute path. */
  readonly dataDir: string;
  /** Null for the embedded database. */
  readonly databaseUrl: string | null;
  /** A direct connection for LISTEN. If it is null, `databaseUrl` is used. */
  readonly listenUrl: string | null;
  readonly databasePool: number;
  readonly databaseStartTimeoutSeconds: number;
  readonly databaseConnectTimeoutMs: number;
  readonly databaseStatementTimeoutMs: number;
  readonly databaseLockTimeoutMs: number;
  readonly databaseBackgroundTimeoutMs: number;
  readonly preparedStatements: boolean;
  /** Null only with the embedded database, which keeps a generated key in the data folder. */
  readonly masterKey: string | null;
  readonly masterKeyPrevious: readonly string[];
  readonly bootstrapAdminPassword: string | null;
  readonly trustProxy: boolean | number | readonly string[];
  readonly maxInFlight: number;
  readonly maxLoopDelayMs: number;
  readonly providerTimeoutMs: number;
  /** Null if mutual TLS is off. */
  readonly tlsClientCertHeader: string | null;
  /** The base URL at which the proxy asks clients for certificates. If it is null, this is `baseUrl`. */
  readonly mtlsBaseUrl: string | null;
  /** Addresses for reports of vulnerabilities. Without any, there is no security.txt. */
  readonly securityContacts: readonly string[];
  readonly allowedHosts: readonly string[];
  /** The DNS servers. If the list is empty, those of the system are used. */
  readonly dnsServers: readonly string[];
  readonly audit: {
    readonly httpUrl: string | null;
    readonly httpToken: string | null;
    readonly categories: readonly ("AUTHN" | "ADMIN" | "SECURITY")[];
    readonly timeoutMs: number;
  };
  readonly webhookRetrySeconds: readonly number[];
  readonly breachCorpus: string | null;
  readonly geoipFile: string | null;
  readonly redisUrl: string | null;
  readonly otelEndpoint: string | null;
  readonly logLevel: Values["logLevel"];
  readonly shutdownGraceSeconds: number;
  /** The source of each value. */
  readonly origins: Readonly<Record<SettingName, Origin>>;
}

export interface ConfigInput {
  /** The flags by name without dashes; `config` names the yaml file. */
  readonly flags?: Flags;
  readonly env?: Env;
  readonly cwd?: string;
}

/** Reads the configuration, or throws a ConfigError that lists all its faults. */
export const loadConfig = (input: ConfigInput = {}): Config => explainConfig(input).config;

/** Reads the configuration together with the source of each value in words. */
export function explainConfig(input: ConfigInput = {}): {
  readonly config: Config;
  readonly sources: Readonly<Record<SettingName, string>>;
} {
  const { flags = {}, env = process.env } = input;
  const cwd = resolve(input.cwd ?? process.cwd());
  const { written, problems } = readSources(flags, env, cwd);

  const values: Record<string, unknown> = {};
  const origins = {} as Record<SettingName, Origin>;
  const sources = {} as Record<SettingName, string>;
  const wrong = new Set<SettingName>();
  for (const name of settingNames) {
    const { kind, secret, default: preset } = describe(name);
    const found = written.get(name);
    const parsed = found && kind.parse(found.raw, found.folder);
    origins[name] = found?.origin ?? "default";
    sources[name] = found?.source ?? "default";
    if (parsed && "value" in parsed) {
      values[name] = parsed.value;
      continue;
    }
    values[name] = preset({ ...(values as unknown as Known), cwd });
    if (!found || !parsed) continue;
    wrong.add(name);
    problems.push({ setting: name, source: found.source, message: secret ? parsed.problem : `got ${quote(found.raw)}; ${parsed.problem}` });
    // A mistyped URL still stands for a Postgres database, so the defaults and rules for one apply.
    if (name === "databaseUrl") values[name] = "postgres://";
  }

  // A value that was written but could not be read (a missing file, both forms at once) already has a problem.
  const reported = new Set(problems.map(({ setting }) => setting));
  const reading = {
    values: values as Values,
    sources,
    isWritten: (name: SettingName) => written.has(name),
    isWrong: (name: SettingName) => wrong.has(name) || reported.has(name),
  };
  const all: ConfigProblem[] = [...problems, ...checkRules(reading)];
  if (all.length > 0) throw new ConfigError(all);
  return { config: assemble(reading.values, origins), sources };
}

function assemble(values: Values, origins: Record<SettingName, Origin>): Config {
  const {
    "audit.httpUrl": httpUrl,
    "audit.httpToken": httpToken,
    "audit.categories": categories,
    "audit.timeoutMs": timeoutMs,
    ...rest
  } = values;
  return deepFreeze({ ...rest, audit: { httpUrl, httpToken, categories, timeoutMs }, origins });
}

function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) if (typeof member === "object" && member !== null) deepFreeze(member);
  return Object.freeze(value);
}

/** Quotes a value in a message, unless it may contain a password or a token. */
function quote(raw: unknown): string {
  const text = JSON.stringify(raw) ?? String(raw);
  if (/[@?]/.test(text)) return "a value that is not shown here";
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/**
 * Tells whether npm started this command (`npm start`, `npx`), through a shell that lives as long as the command. A script that puts the command into the
 * background does not count, because its shell ends at once.
 */
export const isRunByNpm = ({ npm_lifecycle_event, npm_lifecycle_script = "" }: Env = process.env): boolean =>
  (npm_lifecycle_event === "npx" || npm_lifecycle_event === "start") && !npm_lifecycle_script.includes("&");
