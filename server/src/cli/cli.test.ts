import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtServer } from "../testing/built-server.ts";

// The command as users run it: built, in its own process, in its own folder.
let main: string;
let root: string;
let cwd: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "gatehouse-cli-"));
  cwd = join(root, "work");
  mkdirSync(cwd, { mode: 0o700 });
  main = await builtServer();
}, 120_000);
afterAll(() => rmSync(root, { recursive: true }));

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function gatehouse(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { cwd, env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

async function serving<T>(listener: RequestListener, work: (port: string) => Promise<T>): Promise<T> {
  const http = createServer(listener);
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  try {
    return await work(String((http.address() as AddressInfo).port));
  } finally {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  }
}

describe("the command line", () => {
  test("shows the version, in words and in JSON", async () => {
    expect(await gatehouse(["version"])).toEqual({ code: 0, out: `gatehouse 0.1.0 (Node ${process.versions.node})\n`, err: "" });
    expect(JSON.parse((await gatehouse(["version", "--json"])).out)).toEqual({ version: "0.1.0", node: process.versions.node });
    expect((await gatehouse(["--version"])).out).toContain("gatehouse 0.1.0");
  });

  test("explains itself, as a whole and by command", async () => {
    for (const args of [["help"], ["--help"], ["-h"]]) {
      const { code, out } = await gatehouse(args);
      expect(code).toBe(0);
      expect(out).toContain("Usage: gatehouse <command> [flags]");
      expect(out).toContain("healthcheck");
    }
    for (const args of [
      ["help", "healthcheck"],
      ["healthcheck", "--help"],
    ]) {
      const { code, out } = await gatehouse(args);
      expect(code).toBe(0);
      expect(out).toContain("--timeout <ms>");
      expect(out).toContain("--config <file>");
    }
    const { commands } = JSON.parse((await gatehouse(["help", "--json"])).out);
    expect(commands).toContainEqual(expect.objectContaining({ command: "config", usage: ["gatehouse config print [flags]"] }));
  });

  test.each([
    [[], "No command was given."],
    [["verson"], 'There is no command "verson". Did you mean version?'],
    [["toString"], 'There is no command "toString".'],
    [["--port", "1"], "The command comes first"],
    [["help", "docter"], "Did you mean doctor?"],
    [["config"], "It takes: print."],
    [["config", "--json"], "It takes: print."],
    [["config", "prnt"], "Did you mean print?"],
    [["config", "print", "--prot", "1"], '"gatehouse config" has no flag --prot. Did you mean --port?'],
    [["config", "print", "--port"], "--port needs a value"],
    [["config", "print", "--port", "--dev"], "--port needs a value"],
    [["config", "print", "--dev=yes"], "--dev takes no value"],
    [["config", "print", "more"], 'takes no argument "more"'],
    [["version", "--port", "1"], '"gatehouse version" has no flag --port'],
    [["healthcheck", "--timeout", "soon"], "--timeout takes milliseconds"],
  ])("answers %j with usage on stderr and exit code 2", async (args, message) => {
    const { code, out, err } = await gatehouse(args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(args.includes("--json") ? JSON.parse(err).error.message : err).toContain(message);
    if (!args.includes("--json")) expect(err).toContain("Usage: gatehouse ");
  });
});

describe("config print", () => {
  const env = {
    DATABASE_URL: "postgres://gatehouse:hunter2@db.internal/gatehouse",
    GATEHOUSE_MASTER_KEY: Buffer.alloc(32, "hunter2").toString("base64"),
    GATEHOUSE_BOOTSTRAP_ADMIN_PASSWORD: "hunter2hunter2",
    GATEHOUSE_AUDIT_HTTP_URL: "https://siem.example/",
    GATEHOUSE_AUDIT_HTTP_TOKEN: "hunter2",
    GATEHOUSE_BASE_URL: "https://id.example.org",
  };

  test("shows values and origins, and no secret in either form", async () => {
    const text = await gatehouse(["config", "print", "--port", "9000"], env);
    expect(text.code).toBe(0);
    expect(text.out).toMatch(/^port +9000 +flag --port$/m);
    expect(text.out).toMatch(/^baseUrl +https:\/\/id\.example\.org +environment variable GATEHOUSE_BASE_URL$/m);
    expect(text.out).toMatch(/^logLevel +info +default$/m);

    const json = await gatehouse(["config", "print", "--json"], env);
    expect(JSON.parse(json.out).settings).toMatchObject({
      databaseUrl: { value: "postgres://gatehouse:***@db.internal/gatehouse", origin: "env", source: "environment variable DATABASE_URL" },
      masterKey: { value: "***", origin: "env" },
      "audit.categories": { value: ["AUTHN", "ADMIN"], origin: "default" },
    });
    for (const shown of [text.out, json.out]) {
      expect(shown).not.toContain("hunter2");
      expect(shown).not.toContain(env.GATEHOUSE_MASTER_KEY);
    }
  });

  test("says what to do where the data folder is a file", async () => {
    writeFileSync(join(cwd, "taken"), "");
    const { code, out, err } = await gatehouse(["start", "--data-dir", "taken"]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(
      /^\S+\/taken cannot be used: there is a file where a folder is needed \(E\w+\)\. Choose another GATEHOUSE_DATA_DIR\.\n$/,
    );
  });

  test("reads the file that --config names", async () => {
    writeFileSync(join(cwd, "other.yaml"), "port: 9100\n");
    const { out } = await gatehouse(["config", "print", "--json", "--config", "other.yaml"]);
    expect(JSON.parse(out).settings.port).toMatchObject({ value: 9100, origin: "yaml" });
  });

  test("fails with every problem, in words and in JSON", async () => {
    const wrong = { GATEHOUSE_PROT: "1", GATEHOUSE_PORT: "x" };
    const text = await gatehouse(["config", "print"], wrong);
    expect(text).toMatchObject({ code: 1, out: "" });
    expect(text.err).toContain("The configuration has 2 problems:");
    expect(text.err).toContain("Did you mean GATEHOUSE_PORT?");
    const json = await gatehouse(["config", "print", "--json"], wrong);
    expect(json).toMatchObject({ code: 1, out: "" });
    expect(JSON.parse(json.err).error).toMatchObject({
      code: "config.invalid",
      problems: [{ setting: "GATEHOUSE_PROT" }, { setting: "port" }],
    });
  });
});

describe("healthcheck", () => {
  test("succeeds when /readyz answers 200, also for a server that listens everywhere", async () => {
    const paths: (string | undefined)[] = [];
    const ready: RequestListener = (req, res) => {
      paths.push(req.url);
      res.end("{}");
    };
    await serving(ready, async (port) => {
      expect(await gatehouse(["healthcheck"], { GATEHOUSE_PORT: port })).toMatchObject({ code: 0, err: "" });
      expect(await gatehouse(["healthcheck", "--port", port], { GATEHOUSE_HOST: "0.0.0.0" })).toMatchObject({ code: 0 });
    });
    expect(paths).toEqual(["/readyz", "/readyz"]);
  });

  test("fails when the server is not ready, is silent, or is not there", async () => {
    const port = await serving(
      (_, res) => res.writeHead(503).end(),
      async (busy) => {
        const { code, out } = await gatehouse(["healthcheck", "--json", "--port", busy]);
        expect({ code, answer: JSON.parse(out) }).toMatchObject({ code: 1, answer: { ready: false, status: 503 } });
        return busy;
      },
    );
    const silent: RequestListener = () => {};
    await serving(silent, async (mute) => {
      const { code, out } = await gatehouse(["healthcheck", "--timeout", "50", "--port", mute]);
      expect({ code, out }).toEqual({ code: 1, out: `Not ready: http://127.0.0.1:${mute}/readyz: no answer within 50 ms\n` });
    });
    const { code, out } = await gatehouse(["healthcheck", "--port", port]);
    expect({ code, out }).toEqual({ code: 1, out: `Not ready: http://127.0.0.1:${port}/readyz: nothing listens there\n` });
  });
});

describe("doctor", () => {
  test("finds nothing wrong with a good machine, and leaves nothing behind", async () => {
    const port = await serving(
      (_, res) => res.end(),
      async (free) => free,
    );
    const { code, out } = await gatehouse(["doctor", "--json", "--port", port]);
    const { ok, findings } = JSON.parse(out);
    expect(findings.filter((finding: { severity: string }) => finding.severity === "problem")).toEqual([]);
    expect({ code, ok }).toEqual({ code: 0, ok: true });
  });

  test("reports every mistake of the configuration, and still looks at the machine", async () => {
    const { code, out } = await gatehouse(["doctor"], { GATEHOUSE_PROT: "1", GATEHOUSE_MODE: "prod" });
    expect(code).toBe(1);
    expect(out).toContain("ok       node: Node ");
    expect(out).toContain("PROBLEM  configuration: GATEHOUSE_PROT (environment): there is no such setting. Did you mean GATEHOUSE_PORT?");
    expect(out).toContain("PROBLEM  configuration: mode (environment variable GATEHOUSE_MODE)");
    expect(out).toContain("Found 2 problems and no warnings.");
  });
});
