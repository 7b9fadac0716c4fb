import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, fingerprint, isBuiltFrom } from "../../build.mjs";
import { freePort } from "../../test/peers/index.mjs";
import { clock, MINUTE } from "../kernel/clock.ts";
import { newId } from "../kernel/ids.ts";
import { adminUrl, asAdmin } from "./postgres-admin.ts";
import { notOverloaded, testDatabase } from "./test-database.ts";

const server = fileURLToPath(new URL("../../", import.meta.url));

/** Builds the program that users run from the present sources, once for each state of the sources. Returns the path of main.js. */
export async function builtServer(): Promise<string> {
  const sources = fingerprint();
  // `npm test` made it before the first test.
  if (isBuiltFrom(sources)) return join(server, "dist", "main.js");
  const cache = join(server, ".cache");
  const home = join(cache, `built-${sources.slice(0, 16)}`);
  const main = join(home, "dist", "main.js");
  if (existsSync(main)) return main;
  mkdirSync(cache, { recursive: true });
  for (const name of readdirSync(cache)) {
    const old =
      name.startsWith("built-") && clock.now() - (statSync(join(cache, name), { throwIfNoEntry: false })?.mtimeMs ?? 0) > 20 * MINUTE;
    if (old) rmSync(join(cache, name), { recursive: true, force: true });
  }
  const draft = `${home}.${process.pid}`;
  mkdirSync(draft);
  cpSync(join(server, "package.json"), join(draft, "package.json"));
  cpSync(join(server, "migrations"), join(draft, "migrations"), { recursive: true });
  symlinkSync(join(server, "..", "node_modules"), join(draft, "node_modules"));
  // Types are checked elsewhere. Here only the output counts.
  await build({ out: join(draft, "dist"), check: false });
  // Another worker may have been faster, with the same result.
  if (existsSync(home)) rmSync(draft, { recursive: true });
  else renameSync(draft, home);
  return main;
}

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A folder and an empty database for processes of the built program. */
export interface Place {
  readonly folder: string;
  readonly env: Record<string, string>;
  /** Runs a command to its end. */
  gatehouse(args: readonly string[], env?: Record<string, string>, stdin?: string): Promise<Outcome>;
  /** Starts a server. The promise resolves when it is ready. */
  start(env?: Record<string, string>, flags?: readonly string[]): Promise<RunningServer>;
  /** Starts the program without waiting. */
  launch(args: readonly string[], env?: Record<string, string>): ChildProcess;
  remove(): Promise<void>;
}

export interface RunningServer {
  readonly url: string;
  readonly child: ChildProcess;
  readonly output: () => string;
  kill(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

const MASTER_KEY = Buffer.alloc(32, "built server").toString("base64");

/**
 * Options for a process that ends before optimising its code, and that of the embedded database, would pay off. Optimising takes a good part of the computing
 * time. The heap has room for the objects of a start, so few of them are collected or copied, and by no thread of its own.
 */
export const BRIEFLY: readonly string[] = [
  ...["--liftoff-only", "--no-opt"],
  ...["--min-semi-space-size=16", "--initial-heap-size=300", "--single-threaded-gc"],
];

export async function place(kind: "embedded" | "postgres" = testDatabase()): Promise<Place> {
  const main = await builtServer();
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-place-"));
  const database = kind === "postgres" ? await emptyPostgres() : null;
  const path = { PATH: process.env.PATH ?? "", TMPDIR: tmpdir() };
  const env: Record<string, string> = {
    ...path,
    GATEHOUSE_DATA_DIR: join(folder, "data"),
    ...notOverloaded,
    ...(database && { DATABASE_URL: database.url, GATEHOUSE_MASTER_KEY: MASTER_KEY, GATEHOUSE_BASE_URL: "http://localhost" }),
  };
  const children = new Set<ChildProcess>();
  const launch = (args: readonly string[], more: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [...BRIEFLY, main, ...args], {
      cwd: folder,
      env: { ...env, ...more },
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.add(child);
    child.once("exit", () => children.delete(child));
    return child;
  };
  return {
    folder,
    env,
    launch,
    gatehouse(args, more = {}, stdin = "") {
      return new Promise((resolve) => {
        const child = execFile(
          process.execPath,
          [...BRIEFLY, main, ...args],
          { cwd: folder, env: { ...env, ...more } },
          (error, out, err) => {
            resolve({ code: error === null ? 0 : Number(error.code), out, err });
          },
        );
        child.stdin?.end(stdin);
      });
    },
    async start(more = {}, flags = []) {
      const port = String(await freePort());
      const child = launch(["start", "--port", port, "--host", "127.0.0.1", ...flags], more);
      return running(child, `http://127.0.0.1:${port}`);
    },
    async remove() {
      for (const child of children) {
        child.kill("SIGKILL");
        if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      }
      await database?.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function running(child: ChildProcess, url: string): Promise<RunningServer> {
  let output = "";
  const ended = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: unknown) => {
      output += chunk;
      if (/is ready in/.test(output)) resolve();
    };
    child.stderr?.on("data", read);
    child.stdout?.on("data", (chunk) => {
      output += chunk;
    });
    void ended.then(([code, signal]) => reject(new Error(`The server ended (${code ?? signal}) before it was ready:\n${output}`)));
  });
  return {
    url,
    child,
    output: () => output,
    async kill(how) {
      child.kill(how);
      const [code, signal] = await ended;
      return { code, signal };
    },
  };
}

async function emptyPostgres(): Promise<{ url: string; remove(): Promise<void> }> {
  const name = `gatehouse_place_${newId().replaceAll("-", "")}`;
  await asAdmin((admin) => admin.query(`create database ${name}`));
  const url = Object.assign(new URL(adminUrl()), { pathname: `/${name}` }).href;
  return { url, remove: async () => void (await asAdmin((admin) => admin.query(`drop database if exists ${name} with (force)`))) };
}
