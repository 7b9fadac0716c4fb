import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describe as describeSetting, settingNames } from "./config/settings.ts";
import { ConfigError, type ConfigInput, explainConfig, loadConfig } from "./config.ts";
import { suggest } from "./kernel/suggest.ts";

const KEY = Buffer.alloc(32, 7).toString("base64");
const OTHER_KEY = Buffer.alloc(32, 9).toString("base64");
const POSTGRES = "postgres://gatehouse:hunter2@db.internal/gatehouse";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-config-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
/** A new working directory with these files. */
function directory(files: Record<string, string> = {}): string {
  const cwd = join(folder, String(count++));
  mkdirSync(cwd);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  return cwd;
}

const load = (input: ConfigInput = {}) => loadConfig({ env: {}, cwd: directory(), ...input });
const withYaml = (yaml: string, input: ConfigInput = {}) => load({ cwd: directory({ "gatehouse.yaml": yaml }), ...input });

function problems(work: () => unknown) {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe("defaults", () => {
  test("start a development server on the embedded database", () => {
    const cwd = directory();
    const { origins, ...config } = load({ cwd });
    expect(config).toEqual({
      mode: "development",
      host: "127.0.0.1",
      port: 8080,
      baseUrl: "http://localhost:8080",
      dataDir: join(cwd, "data"),
      databaseUrl: null,
      listenUrl: null,
      databasePool: 10,
      databaseStartTimeoutSeconds: 60,
      databaseConnectTimeoutMs: 3000,
      databaseStatementTimeoutMs: 5000,
      databaseLockTimeoutMs: 3000,
      databaseBackgroundTimeoutMs: 60_000,
      preparedStatements: true,
      masterKey: null,
      masterKeyPrevious: [],
      bootstrapAdminPassword: null,
      trustProxy: false,
      maxInFlight: 1000,
      maxLoopDelayMs: 2000,
      providerTimeoutMs: 15_000,
      tlsClientCertHeader: null,
      mtlsBaseUrl: null,
      allowedHosts: [],
      dnsServers: [],
      audit: { httpUrl: null, httpToken: null, categories: ["AUTHN", "ADMIN"], timeoutMs: 2000 },
      webhookRetrySeconds: [5, 30, 120, 600, 3600, 21600, 86400],
      breachCorpus: null,
      geoipFile: null,
      redisUrl: null,
      securityContacts: [],
      otelEndpoint: null,
      logLevel: "info",
      shutdownGraceSeconds: 20,
    });
    expect(new Set(Object.values(origins))).toEqual(new Set(["default"]));
    expect(Object.keys(origins)).toEqual(settingNames);
  });

  test("turn to production with a database, and then listen everywhere", () => {
    const config = load({ env: { DATABASE_URL: POSTGRES, GATEHOUSE_MASTER_KEY: KEY, GATEHOUSE_BASE_URL: "https://id.example.org" } });
    expect(config).toMatchObject({ mode: "production", host: "0.0.0.0", databaseUrl: POSTGRES });
  });

  test("let the base URL follow the port in development", () => {
    expect(load({ flags: { port: "9000" } }).baseUrl).toBe("http://localhost:9000");
  });

  test("cannot be changed afterwards", () => {
    const config = load();
    expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError);
    expect(() => Object.assign(config.audit, { timeoutMs: 1 })).toThrow(TypeError);
    expect(() => (config.audit.categories as string[]).push("SECURITY")).toThrow(TypeError);
  });
});

describe("precedence", () => {
  const yaml = "port: 7001\nhost: ::1\nlogLevel: warn\n";

  test("is flag, environment, yaml, default, setting by setting", () => {
    const config = withYaml(yaml, { flags: { port: "7003" }, env: { GATEHOUSE_PORT: "7002", GATEHOUSE_LOG_LEVEL: "debug" } });
    expect(config).toMatchObject({ port: 7003, logLevel: "debug", host: "::1", databasePool: 10 });
    expect(config.origins).toMatchObject({ port: "flag", logLevel: "env", host: "yaml", databasePool: "default" });
  });

  test("prefers GATEHOUSE_PORT to PORT, and PORT to yaml", () => {
    expect(withYaml(yaml, { env: { PORT: "7004" } }).port).toBe(7004);
    expect(withYaml(yaml, { env: { PORT: "7004", GATEHOUSE_PORT: "7005" } }).port).toBe(7005);
  });

  test("lets --dev win over the variable", () => {
    const env = { GATEHOUSE_MODE: "production", GATEHOUSE_BASE_URL: "https://id.example.org" };
    expect(load({ env }).mode).toBe("production");
    expect(load({ env, flags: { dev: true } })).toMatchObject({ mode: "development", origins: { mode: "flag" } });
  });

  test("takes an empty variable or key for unset", () => {
    expect(withYaml("port:\nhost: ''\n", { env: { GATEHOUSE_PORT: "" } })).toMatchObject({ port: 8080, host: "127.0.0.1" });
  });

  test("reports the source of each value in words", () => {
    const cwd = directory({ "gatehouse.yaml": "databasePool: 3", secret: `${KEY}\n` });
    const { sources } = explainConfig({ cwd, flags: { host: "::1" }, env: { PORT: "7004", GATEHOUSE_MASTER_KEY_FILE: "secret" } });
    expect(sources).toMatchObject({
      host: "flag --host",
      port: "environment variable PORT",
      databasePool: join(cwd, "gatehouse.yaml"),
      masterKey: `file ${join(cwd, "secret")}, named by GATEHOUSE_MASTER_KEY_FILE`,
      logLevel: "default",
    });
  });
});

describe("values", () => {
  test.each([
    ["true", true],
    ["false", false],
    ["2", 2],
    ["0", false],
    ["loopback, 10.0.0.0/8,2001:db8::/32", ["loopback", "10.0.0.0/8", "2001:db8::/32"]],
  ])("trust proxy %j as %j", (text, value) => {
    expect(load({ env: { GATEHOUSE_TRUST_PROXY: text } }).trustProxy).toEqual(value);
  });

  test("allow hosts, with and without a port, and networks", () => {
    const hosts = ["mail.internal", "mail.internal:25", "10.1.2.3", "10.1.2.3:636", "10.0.0.0/8", "fd00::1", "[fd00::1]:636", "fd00::/8"];
    expect(load({ env: { GATEHOUSE_ALLOWED_HOSTS: hosts.join(", ") } }).allowedHosts).toEqual(hosts);
    const servers = "10.0.0.53, 127.0.0.1:5353, 2001:db8::53, [2001:db8::53]:5353";
    expect(load({ env: { GATEHOUSE_DNS_SERVERS: servers } }).dnsServers).toEqual([
      ...["10.0.0.53", "127.0.0.1:5353", "[2001:db8::53]", "[2001:db8::53]:5353"],
    ]);
    for (const wrong of ["dns.example.com", "10.0.0.53:0", "10.0.0.53:99999", "[10.0.0.53]", "10.0.0.256"])
      expect(() => load({ env: { GATEHOUSE_DNS_SERVERS: wrong } }), wrong).toThrow(/dnsServers|DNS_SERVERS/);
  });

  test("take contacts for reports of vulnerabilities as addresses only", () => {
    expect(
      load({ env: { GATEHOUSE_SECURITY_CONTACTS: "mailto:a@example.org, https://example.org/x, tel:+31-20-1" } }).securityContacts,
    ).toHaveLength(3);
    for (const wrong of ["a@example.org", "http://example.org", "mailto:", "javascript:alert(1)", "mailto:a@example.org x"])
      expect(() => load({ env: { GATEHOUSE_SECURITY_CONTACTS: wrong } }), wrong).toThrow(/SECURITY_CONTACTS/);
  });

  test("come as lists, numbers and booleans from yaml", () => {
    const config = withYaml(
      `trustProxy: [127.0.0.1]\nallowedHosts: [Mail.internal, 10.1.2.3]\npreparedStatements: no\nmasterKeyPrevious: [${KEY}, ${OTHER_KEY}]\naudit:\n  categories: [security]\n  timeoutMs: 500\n`,
    );
    expect(config).toMatchObject({
      trustProxy: ["127.0.0.1"],
      allowedHosts: ["mail.internal", "10.1.2.3"],
      preparedStatements: false,
      masterKeyPrevious: [KEY, OTHER_KEY],
      audit: { categories: ["SECURITY"], timeoutMs: 500 },
    });
  });

  test("keep the base URL without a trailing slash, in lower case, without a default port", () => {
    expect(load({ env: { GATEHOUSE_BASE_URL: "https://ID.example.org:443/" } }).baseUrl).toBe("https://id.example.org");
  });

  test("resolve paths from the working directory, and in the file from its folder", () => {
    const cwd = directory();
    const elsewhere = directory({ "other.yaml": "dataDir: state" });
    expect(load({ cwd, env: { GATEHOUSE_DATA_DIR: "state" } }).dataDir).toBe(join(cwd, "state"));
    expect(load({ cwd, flags: { config: join(elsewhere, "other.yaml") } }).dataDir).toBe(join(elsewhere, "state"));
  });

  test("take a breach corpus as folder or URL", () => {
    const cwd = directory();
    expect(load({ cwd, env: { GATEHOUSE_BREACH_CORPUS: "ranges" } }).breachCorpus).toBe(join(cwd, "ranges"));
    expect(load({ env: { GATEHOUSE_BREACH_CORPUS: "https://pwned.example/range/" } }).breachCorpus).toBe("https://pwned.example/range");
  });

  test("take the waits of webhooks as a list of seconds, at least one and none too long", () => {
    expect(load({ env: { GATEHOUSE_WEBHOOK_RETRY_SECONDS: " 0, 5,60 " } }).webhookRetrySeconds).toEqual([0, 5, 60]);
    expect(withYaml("webhookRetrySeconds: [1, 2]").webhookRetrySeconds).toEqual([1, 2]);
    for (const written of [",", "5,x", "-1", "1.5", "604801", Array(21).fill("1").join(",")])
      expect(
        problems(() => load({ env: { GATEHOUSE_WEBHOOK_RETRY_SECONDS: written } })),
        written,
      ).toMatchObject([{ setting: "webhookRetrySeconds", message: expect.stringContaining("seconds") }]);
  });

  test("accept a socket folder in a database URL", () => {
    const url = "postgres://gatehouse@/gatehouse?host=/run/postgresql";
    expect(load({ flags: { dev: true }, env: { DATABASE_URL: url, GATEHOUSE_MASTER_KEY: KEY } }).databaseUrl).toBe(url);
  });

  test("accept a master key in hex", () => {
    const hex = Buffer.alloc(32, 7).toString("hex");
    expect(load({ env: { GATEHOUSE_MASTER_KEY: hex } }).masterKey).toBe(hex);
  });
});

describe("secrets in files", () => {
  const secrets = settingNames.filter((name) => describeSetting(name).secret);

  test("are offered for exactly these", () => {
    expect(secrets.map((name) => describeSetting(name).env)).toEqual([
      "DATABASE_URL",
      "GATEHOUSE_LISTEN_URL",
      "GATEHOUSE_MASTER_KEY",
      "GATEHOUSE_MASTER_KEY_PREVIOUS",
      "GATEHOUSE_BOOTSTRAP_ADMIN_PASSWORD",
      "GATEHOUSE_AUDIT_HTTP_TOKEN",
      "REDIS_URL",
    ]);
    expect(secrets.filter((name) => describeSetting(name).flag)).toEqual([]);
  });

  test("are read without their last line break, and otherwise to the letter", () => {
    const cwd = directory({ password: "  open sesame \r\n", keys: `${KEY}\n${OTHER_KEY}\n` });
    const env = { GATEHOUSE_BOOTSTRAP_ADMIN_PASSWORD_FILE: "password", GATEHOUSE_MASTER_KEY_PREVIOUS_FILE: join(cwd, "keys") };
    const config = load({ cwd, env });
    expect(config).toMatchObject({ bootstrapAdminPassword: "  open sesame ", masterKeyPrevious: [KEY, OTHER_KEY] });
    expect(config.origins.bootstrapAdminPassword).toBe("file");
  });

  test("can be named in yaml, relative to it", () => {
    const yaml = "masterKeyFile: key\naudit:\n  httpUrl: https://siem.example/\n  httpTokenFile: token";
    const cwd = directory({ "gatehouse.yaml": yaml, key: KEY, token: "t0ken\n" });
    expect(load({ cwd })).toMatchObject({ masterKey: KEY, audit: { httpToken: "t0ken" }, origins: { masterKey: "file" } });
  });

  test.each(secrets)("refuse %s given twice", (name) => {
    const { env } = describeSetting(name);
    const found = problems(() => load({ env: { [env]: "x", [`${env}_FILE`]: "y" } }));
    expect(found).toContainEqual({
      setting: name,
      source: "environment",
      message: `both ${env} and ${env}_FILE are set; expected one of them`,
    });
  });

  test("refuse both forms in yaml, but let the environment win over a file named there", () => {
    const cwd = directory({ "gatehouse.yaml": "masterKeyFile: key", key: KEY });
    expect(load({ cwd, env: { GATEHOUSE_MASTER_KEY: OTHER_KEY } }).masterKey).toBe(OTHER_KEY);
    expect(problems(() => withYaml(`masterKey: ${KEY}\nmasterKeyFile: key`))).toMatchObject([
      { setting: "masterKey", message: "both masterKey and masterKeyFile are set; expected one of them" },
    ]);
  });

  test("say which file is missing, a folder, or empty", () => {
    const cwd = directory({ empty: "\n" });
    const found = problems(() =>
      load({ cwd, env: { GATEHOUSE_MASTER_KEY_FILE: "nowhere", REDIS_URL_FILE: ".", GATEHOUSE_AUDIT_HTTP_TOKEN_FILE: "empty" } }),
    );
    expect(found.map(({ setting, message }) => [setting, message])).toEqual([
      ["masterKey", "expected a readable file, but it does not exist"],
      ["audit.httpToken", "the file is empty; expected a token"],
      ["redisUrl", "expected a readable file, but it is a folder"],
    ]);
    expect(found[0]!.source).toBe(`file ${join(cwd, "nowhere")}, named by GATEHOUSE_MASTER_KEY_FILE`);
  });

  test("are not offered for what is no secret", () => {
    expect(problems(() => load({ env: { GATEHOUSE_HOST_FILE: "x" } }))).toMatchObject([{ setting: "GATEHOUSE_HOST_FILE" }]);
  });
});

describe("wrong values", () => {
  test.each([
    ["GATEHOUSE_PORT", "0", "a whole number from 1 to 65535"],
    ["GATEHOUSE_PORT", "65536", "a whole number from 1 to 65535"],
    ["GATEHOUSE_PORT", "8e3", "a whole number from 1 to 65535"],
    ["PORT", "http", "a whole number from 1 to 65535"],
    ["GATEHOUSE_HOST", "256.1.1", "an address or host name"],
    ["GATEHOUSE_HOST", "a b", "an address or host name"],
    ["GATEHOUSE_BASE_URL", "id.example.org", "an origin such as https://id.example.org"],
    ["GATEHOUSE_BASE_URL", "ftp://id.example.org", "an origin"],
    ["GATEHOUSE_BASE_URL", "https://id.example.org/auth", "without a path"],
    ["GATEHOUSE_BASE_URL", "https://id.example.org/?", "without a path"],
    ["GATEHOUSE_BASE_URL", "https://a:b@id.example.org", "an origin"],
    ["GATEHOUSE_MODE", "staging", "development or production"],
    ["GATEHOUSE_DATABASE_POOL", "0", "a whole number from 1 to 1000"],
    ["GATEHOUSE_PREPARED_STATEMENTS", "maybe", "true or false"],
    ["GATEHOUSE_PREPARED_STATEMENTS", "constructor", "true or false"],
    ["GATEHOUSE_TRUST_PROXY", "proxy.internal", "the number of proxies in front"],
    ["GATEHOUSE_TRUST_PROXY", "10.0.0.0/33", "the number of proxies in front"],
    ["GATEHOUSE_ALLOWED_HOSTS", "https://mail.internal", "a comma-separated list of hosts"],
    ["GATEHOUSE_ALLOWED_HOSTS", "mail.internal:0", "a comma-separated list of hosts"],
    ["GATEHOUSE_ALLOWED_HOSTS", "10.0.0.0/8:25", "a comma-separated list of hosts"],
    ["GATEHOUSE_ALLOWED_HOSTS", "10.0.0.256", "a comma-separated list of hosts"],
    ["GATEHOUSE_AUDIT_HTTP_URL", "logs.example.org", "an http(s) URL"],
    ["GATEHOUSE_AUDIT_CATEGORIES", "AUTHN,LOGIN", "AUTHN, ADMIN, SECURITY"],
    ["GATEHOUSE_AUDIT_TIMEOUT_MS", "-1", "a whole number from 100 to 60000"],
    ["GATEHOUSE_BREACH_CORPUS", "ftp://pwned.example", "a folder or an http(s) URL"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317", "an http(s) URL"],
    ["GATEHOUSE_LOG_LEVEL", "loud", "one of fatal, error, warn"],
    ["GATEHOUSE_SHUTDOWN_GRACE_SECONDS", "1.5", "a whole number from 0 to 3600"],
  ])("%s=%s is refused, naming the variable and what is expected", (variable, value, expected) => {
    const found = problems(() => load({ env: { [variable]: value } }));
    expect(found).toHaveLength(1);
    expect(found[0]!.source).toBe(`environment variable ${variable}`);
    expect(found[0]!.message).toContain("expected ");
    expect(found[0]!.message).toContain(expected);
  });

  test.each([
    ["DATABASE_URL", "mysql://root:hunter2@db/x", "postgres:// or postgresql://"],
    ["GATEHOUSE_LISTEN_URL", "hunter2", "postgres:// or postgresql://"],
    ["REDIS_URL", "http://:hunter2@cache", "redis:// or rediss://"],
    ["GATEHOUSE_MASTER_KEY", "hunter2", "32 random bytes"],
    // Still 32 bytes to a decoder that skips what it does not know.
    ["GATEHOUSE_MASTER_KEY", `${KEY.slice(0, 20)}!${KEY.slice(20)}`, "32 random bytes"],
    ["GATEHOUSE_MASTER_KEY", `${KEY.slice(0, 20)}!hunter2${KEY.slice(20)}`, "32 random bytes"],
    ["GATEHOUSE_MASTER_KEY_PREVIOUS", `${KEY},hunter2`, "32 random bytes"],
  ])("a wrong %s is refused without being repeated (%#)", (variable, value, expected) => {
    const found = problems(() => load({ flags: { dev: true }, env: { GATEHOUSE_MASTER_KEY: KEY, [variable]: value } }));
    expect(found).toMatchObject([{ source: `environment variable ${variable}` }]);
    expect(found[0]!.message).toContain(expected);
    expect(new ConfigError(found).message).not.toContain("hunter2");
  });

  test("credentials in a URL that is not secret by itself are not repeated either", () => {
    const found = problems(() => load({ env: { GATEHOUSE_BASE_URL: "https://ada:hunter2@id.example.org" } }));
    expect(new ConfigError(found).message).not.toContain("hunter2");
  });

  test("a wrong flag and a wrong yaml value name their places", () => {
    const cwd = directory({ "gatehouse.yaml": "databasePool: many" });
    expect(problems(() => load({ cwd, flags: { port: "x" } }))).toEqual([
      { setting: "port", source: "flag --port", message: 'got "x"; expected a whole number from 1 to 65535' },
      { setting: "databasePool", source: join(cwd, "gatehouse.yaml"), message: 'got "many"; expected a whole number from 1 to 1000' },
    ]);
  });

  test("are all reported at once, in one message", () => {
    const env = { GATEHOUSE_PORT: "x", GATEHOUSE_MODE: "prod", GATEHOUSE_PROT: "1", DATABASE_URL: "mysql://db" };
    const found = problems(() => load({ env }));
    expect(found.map(({ setting }) => setting)).toEqual(["GATEHOUSE_PROT", "databaseUrl", "mode", "port", "masterKey"]);
    expect(new ConfigError(found).message.split("\n")).toHaveLength(6);
  });
});

describe("unknown names", () => {
  test.each([
    ["GATEHOUSE_PROT", "GATEHOUSE_PORT"],
    ["GATEHOUSE_MASTERKEY", "GATEHOUSE_MASTER_KEY"],
    ["GATEHOUSE_MASTER_KEY_FIEL", "GATEHOUSE_MASTER_KEY_FILE"],
    ["GATEHOUSE_DATABASE_URL", "DATABASE_URL"],
    ["GATEHOUSE_REDIS_URL", "REDIS_URL"],
  ])("%s is refused and %s suggested", (name, meant) => {
    expect(problems(() => load({ env: { [name]: "x" } }))).toEqual([
      { setting: name, source: "environment", message: `there is no such setting. Did you mean ${meant}?` },
    ]);
  });

  test("nothing is suggested when nothing is near", () => {
    expect(problems(() => load({ env: { GATEHOUSE_FOO: "x" } }))).toMatchObject([{ message: "there is no such setting." }]);
    expect(suggest("zzzz", ["port", "host"])).toBeNull();
  });

  test.each([
    ["prot: 1", "prot", "Did you mean port?"],
    ["base_url: x", "base_url", "Did you mean baseUrl?"],
    ["GATEHOUSE_BASE_URL: x", "GATEHOUSE_BASE_URL", "Did you mean baseUrl?"],
    ["audit:\n  httpUrk: x", "audit.httpUrk", "Did you mean audit.httpUrl?"],
    ["portFile: x", "portFile", "there is no such setting"],
    ["colour:", "colour", "there is no such setting"],
    ["audit: on", "audit", "expected settings below it: audit.httpUrl"],
  ])("yaml %j is refused", (yaml, setting, message) => {
    const found = problems(() => withYaml(yaml));
    expect(found).toMatchObject([{ setting }]);
    expect(found[0]!.message).toContain(message);
  });

  test("other programs' variables are none of our business, nor are those of the test suite", () => {
    expect(load({ env: { GATE: "x", HOME: "/root", REDIS_PORT: "1", GATEHOUSE_TEST_DATABASE: "none" } }).port).toBe(8080);
  });

  test("the variables of Kubernetes services are ignored, but only these", () => {
    const links = {
      GATEHOUSE_SERVICE_HOST: "10.0.0.1",
      GATEHOUSE_SERVICE_PORT: "8080",
      GATEHOUSE_SERVICE_PORT_HTTP: "8080",
      GATEHOUSE_PORT: "tcp://10.0.0.1:8080",
      GATEHOUSE_PORT_8080_TCP: "tcp://10.0.0.1:8080",
      GATEHOUSE_PORT_8080_TCP_ADDR: "10.0.0.1",
      GATEHOUSE_DB_SERVICE_HOST: "10.0.0.2",
      GATEHOUSE_DB_PORT: "tcp://10.0.0.2:5432",
    };
    expect(load({ env: links })).toMatchObject({ port: 8080, origins: { port: "default" } });
    expect(load({ env: { ...links, GATEHOUSE_PORT: "9000" } }).port).toBe(9000);
    expect(problems(() => load({ env: { ...links, GATEHOUSE_PROT: "1" } }))).toMatchObject([{ setting: "GATEHOUSE_PROT" }]);
    expect(problems(() => load({ env: { GATEHOUSE_PORT: "tcp://10.0.0.1:8080" } }))).toMatchObject([{ setting: "port" }]);
  });
});

describe("the yaml file", () => {
  test("may be absent or empty, but not when --config names it", () => {
    expect(withYaml("# nothing yet\n").port).toBe(8080);
    expect(problems(() => load({ flags: { config: "missing.yaml" } }))).toMatchObject([
      { setting: "missing.yaml", message: "expected a readable yaml file, but it does not exist" },
    ]);
  });

  test("is not quoted when it is malformed", () => {
    const found = problems(() => withYaml("masterKey: hunter2: [\n"));
    expect(found[0]!.message).toContain("expected valid yaml");
    expect(new ConfigError(found).message).not.toContain("hunter2");
  });

  test("holds settings, not a list, and each once", () => {
    expect(problems(() => withYaml("- port\n"))).toMatchObject([{ setting: "gatehouse.yaml" }]);
    expect(problems(() => withYaml("port: 1\nport: 2\n"))).toMatchObject([{ setting: "gatehouse.yaml" }]);
  });

  test("is missed when it is called gatehouse.yml", () => {
    const found = problems(() => load({ cwd: directory({ "gatehouse.yml": "port: 1" }) }));
    expect(found).toMatchObject([{ message: "this file would be ignored. Rename it to gatehouse.yaml." }]);
  });
});

describe("production", () => {
  const env = { DATABASE_URL: POSTGRES, GATEHOUSE_MASTER_KEY: KEY, GATEHOUSE_BASE_URL: "https://id.example.org" };

  test("refuses to start without a base URL, and says how to set it", () => {
    const found = problems(() => load({ env: { ...env, GATEHOUSE_BASE_URL: "" } }));
    expect(found).toMatchObject([{ setting: "baseUrl", source: "not set" }]);
    expect(found[0]!.message).toContain("GATEHOUSE_BASE_URL or --base-url or baseUrl in gatehouse.yaml");
    expect(problems(() => load({ env: { GATEHOUSE_MODE: "production" } }))).toMatchObject([{ setting: "baseUrl" }]);
  });

  test("refuses http, except on loopback", () => {
    for (const baseUrl of ["http://id.example.org", "http://10.0.0.1:8080", "http://localhost.example.org", "http://127.example.org"]) {
      expect(
        problems(() => load({ env: { ...env, GATEHOUSE_BASE_URL: baseUrl } })),
        baseUrl,
      ).toMatchObject([{ setting: "baseUrl" }]);
    }
    for (const baseUrl of ["http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080", "http://id.localhost"]) {
      expect(load({ env: { ...env, GATEHOUSE_BASE_URL: baseUrl } }).baseUrl).toBe(baseUrl);
    }
  });

  test("on Postgres needs a master key; on the embedded database it does not", () => {
    const found = problems(() => load({ env: { ...env, GATEHOUSE_MASTER_KEY: "" } }));
    expect(found).toMatchObject([{ setting: "masterKey", source: "not set" }]);
    expect(found[0]!.message).toContain("GATEHOUSE_MASTER_KEY or GATEHOUSE_MASTER_KEY_FILE");
    expect(problems(() => load({ flags: { dev: true }, env: { DATABASE_URL: POSTGRES } }))).toMatchObject([{ setting: "masterKey" }]);
    expect(load({ env: { GATEHOUSE_MODE: "production", GATEHOUSE_BASE_URL: env.GATEHOUSE_BASE_URL } }).masterKey).toBeNull();
  });

  test("does not complain twice about one mistake", () => {
    expect(problems(() => load({ env: { ...env, GATEHOUSE_BASE_URL: "nonsense" } }))).toHaveLength(1);
    expect(problems(() => load({ env: { ...env, GATEHOUSE_MASTER_KEY: "nonsense" } }))).toHaveLength(1);
    expect(problems(() => load({ env: { ...env, GATEHOUSE_MASTER_KEY: "", GATEHOUSE_MASTER_KEY_FILE: "nowhere" } }))).toHaveLength(1);
  });

  test.each([
    ["listenUrl", { GATEHOUSE_LISTEN_URL: POSTGRES }, "DATABASE_URL"],
    ["mtlsBaseUrl", { GATEHOUSE_MTLS_BASE_URL: "https://mtls.example" }, "GATEHOUSE_TLS_CLIENT_CERT_HEADER"],
    ["audit.httpToken", { GATEHOUSE_AUDIT_HTTP_TOKEN: "t0ken" }, "GATEHOUSE_AUDIT_HTTP_URL"],
  ])("refuses %s without the setting that it needs", (setting, alone, needed) => {
    expect(problems(() => load({ env: alone }))).toEqual([
      expect.objectContaining({ setting, message: `has no effect without ${needed}; expected both or neither` }),
    ]);
    // One that is wrong is mended first.
    expect(problems(() => load({ env: { ...alone, [needed]: "a b" } })).map((problem) => problem.setting)).not.toContain(setting);
  });
});
