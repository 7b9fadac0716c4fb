// Whole servers as processes of their own, started as a user starts them. A server that is started here ends with the test file, except for the shared one.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { BRIEFLY, builtServer } from "../../src/testing/built-server.ts";
import { asAdmin } from "../../src/testing/postgres-admin.ts";
import { notOverloaded } from "../../src/testing/test-database.ts";
import { freePort } from "../peers/index.mjs";
import { Visitor } from "./visitor.ts";

export const serverFolder = fileURLToPath(new URL("../../", import.meta.url));
export const MAIN = join(serverFolder, "dist", "main.js");
export const PASSWORD = "the first password of admin";
export const postgresUrl = process.env.GATEHOUSE_TEST_POSTGRES_URL;

type Env = Readonly<Record<string, string | undefined>>;

export interface StartOptions {
  /** The folder in which it starts, and which has its data. */
  readonly folder?: string;
  readonly port?: number;
  /** Variables in addition to a password for `admin` and an address of this machine. Undefined removes one. */
  readonly env?: Env;
  /** True to use a new database of the kind `anyDatabase`. */
  readonly onAnyDatabase?: boolean;
  /** Replaces the built server of this tree by another program. */
  readonly command?: readonly [string, ...string[]];
  /** True if it ends with this process instead of the file. */
  readonly isShared?: boolean;
}

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

export interface ServerProcess {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly folder: string;
  readonly ended: Promise<Ending>;
  out(): string;
  err(): string;
  /** Returns a browser without cookies. */
  visitor(): Visitor;
  /** Signs in `admin` of master. */
  admin(password?: string): Promise<Visitor>;
  /** Ends it with kill -9: nothing is finished or written. */
  kill(): Promise<void>;
  /** Ends it with SIGTERM, as an orchestrator does. */
  stop(): Promise<Ending>;
}

/** Each process, with what a signal to end it goes to: the process, or the group that a command such as npx leads. */
const children = new Map<ChildProcess, number>();
const folders: string[] = [];
const databases: string[] = [];

const killAll = () => {
  for (const target of children.values())
    try {
      process.kill(target, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
};
process.on("exit", killAll);

/** The work of other modules at the end of each file. */
export const atEndOfFile: (() => Promise<void>)[] = [];

/** Called at the end of each file (after-each-file.ts). */
export async function endEverything(): Promise<void> {
  for (const end of atEndOfFile) await end();
  const ends = [...children.keys()].map((child) => once(child, "close"));
  killAll();
  await Promise.all(ends);
  for (const name of databases.splice(0)) await asAdmin((admin) => admin.query(`drop database if exists ${name} with (force)`));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

export function emptyFolder({ isShared = false } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-journey-"));
  if (!isShared) folders.push(folder);
  return folder;
}

const settingsFor = (database: string) => {
  const { href } = Object.assign(new URL(postgresUrl!), { pathname: `/${database}` });
  return { DATABASE_URL: href, GATEHOUSE_MASTER_KEY: randomBytes(32).toString("base64") };
};

/** Returns the settings of a start on an empty Postgres database. */
export async function emptyPostgres({ template = "template1", isShared = false } = {}): Promise<{
  DATABASE_URL: string;
  GATEHOUSE_MASTER_KEY: string;
}> {
  const name = `journey_${randomBytes(6).toString("hex")}`;
  await asAdmin((admin) => admin.query(`create database ${name} template ${template}`));
  // The database of a shared server goes with the run's Postgres.
  if (!isShared) databases.push(name);
  return settingsFor(name);
}

/** Returns the name of a database that was migrated. It is made once for all journeys. */
async function migratedTemplate(): Promise<string> {
  const [made, draft] = ["journeys_migrated", "journeys_draft"];
  return asAdmin(async (admin) => {
    // If two workers find it missing, one makes it while the other waits.
    await admin.query("select pg_advisory_lock(7206)");
    const { rowCount } = await admin.query("select 1 from pg_database where datname = $1", [made]);
    if (rowCount !== 0) return made;
    await admin.query(`drop database if exists ${draft}`);
    await admin.query(`create database ${draft}`);
    await promisify(execFile)(process.execPath, [MAIN, "migrate", "up"], { cwd: emptyFolder(), env: environment(1, settingsFor(draft)) });
    await admin.query(`alter database ${draft} rename to ${made}`);
    return made;
  });
}

export type DatabaseKind = "embedded" | "postgres";

/** Both databases, and whether this machine lacks them: `describe.each(onBoth)`, `skipIf(missing)`. */
export const onBoth: readonly { kind: DatabaseKind; missing: boolean }[] = [
  { kind: "embedded", missing: false },
  { kind: "postgres", missing: !postgresUrl },
];

/** The database of journeys that are not about it: Postgres if it is installed, because it takes less of the processor. */
export const anyDatabase: DatabaseKind = postgresUrl === undefined ? "embedded" : "postgres";

/** Returns the settings of a start on a database of this kind without rows. */
export const emptyDatabase = async (kind: DatabaseKind, { isShared = false } = {}): Promise<Env> =>
  kind === "postgres" ? emptyPostgres({ template: await migratedTemplate(), isShared }) : {};

function environment(port: number, given: Env): Record<string, string> {
  const env: Env = {
    // No GATEHOUSE_ variable of the test run is passed on, because an unknown one would be an error.
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    TMPDIR: process.env.TMPDIR,
    GATEHOUSE_PORT: String(port),
    GATEHOUSE_HOST: "127.0.0.1",
    GATEHOUSE_BOOTSTRAP_ADMIN_PASSWORD: PASSWORD,
    ...notOverloaded,
    ...(given.DATABASE_URL !== undefined && { GATEHOUSE_BASE_URL: `http://localhost:${port}` }),
    ...given,
  };
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Starts a server without waiting for it. */
export async function spawnServer(options: StartOptions = {}): Promise<ServerProcess> {
  const { isShared = false } = options;
  const port = options.port ?? (await freePort());
  const folder = options.folder ?? emptyFolder({ isShared });
  const [command, ...args] = options.command ?? [process.execPath, ...BRIEFLY, MAIN, "start"];
  const leadsGroup = options.command !== undefined && !isShared;
  const child = spawn(command, args, {
    cwd: folder,
    env: environment(port, options.env ?? {}),
    stdio: ["ignore", "pipe", "pipe", ...(isShared ? (["ipc"] as const) : [])],
    detached: leadsGroup,
  });
  if (!isShared) children.set(child, leadsGroup ? -child.pid! : child.pid!);
  let out = "";
  let err = "";
  child.stdout!.setEncoding("utf8").on("data", (chunk) => {
    out += chunk;
  });
  child.stderr!.setEncoding("utf8").on("data", (chunk) => {
    err += chunk;
  });
  const ended = once(child, "close").then(([code, signal]): Ending => {
    children.delete(child);
    return { code, signal, out, err };
  });
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    pid: child.pid!,
    folder,
    ended,
    out: () => out,
    err: () => err,
    visitor: () => new Visitor(url),
    async admin(password = PASSWORD) {
      const visitor = new Visitor(url);
      await visitor.signIn("master", "admin", password);
      return visitor;
    },
    kill: async () => void (await end("SIGKILL")),
    stop: () => end("SIGTERM"),
  };
}

// The longest wait for a start. It is far longer than a start takes, so that a busy machine fails no test.
const PATIENCE_MS = 300_000;

/** Resolves when the sign-in page answers, which needs the database. Throws with the server's output if the server ends instead. */
export async function untilReady(server: ServerProcess): Promise<ServerProcess> {
  let ending: Ending | undefined;
  server.ended.then((value) => {
    ending = value;
  });
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const visitor = server.visitor();
  for (;;) {
    if (ending) throw new Error(`the server ended (${ending.code ?? ending.signal}):\n${ending.err}\n${ending.out}`);
    if (patience.aborted) throw new Error(`the server was not ready after ${PATIENCE_MS / 1000} s:\n${server.err()}\n${server.out()}`);
    const answer = await visitor.get("/realms/master/login").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED" || error.code === "ECONNRESET") return undefined;
      throw error;
    });
    if (answer?.status === 200) return server;
    await sleep(25);
  }
}

/** Starts a server and waits until it serves. */
export async function startServer({ onAnyDatabase = false, ...given }: StartOptions = {}): Promise<ServerProcess> {
  // These are the defaults of a start, except for the database.
  const database = onAnyDatabase && { ...(await emptyDatabase(anyDatabase, given)), GATEHOUSE_MODE: "development" };
  const options = database ? { ...given, env: { ...database, ...given.env } } : given;
  const server = await spawnServer(options);
  try {
    return await untilReady(server);
  } catch (error) {
    // Another process may have taken the free port before the server could.
    if (options.port !== undefined || !server.err().includes("EADDRINUSE")) throw error;
    return startServer(options);
  }
}

let shared: Promise<ServerProcess> | undefined;

/** Node runs this before the server, which then ends with the process that started it, however that ends, and takes its folder along. */
const ENDS_WITH_US = `import { rmSync } from "node:fs";
  process.once("disconnect", () => { rmSync(process.cwd(), { recursive: true, force: true }); process.exit(); });`;

/**
 * Returns the server that the files of this process share, one after the other: a start and the first request of each kind take longer than the rest of most
 * files. It is in development mode and may reach 127.0.0.1. It is for files that look at realms of their own, and change nothing else of the server; no file
 * stops it or signs out the others' administrators.
 */
export async function sharedServer(): Promise<ServerProcess> {
  const command = [process.execPath, ...BRIEFLY, "--import", `data:text/javascript,${encodeURIComponent(ENDS_WITH_US)}`] as const;
  shared ??= builtServer().then(async (main) => {
    const env = { GATEHOUSE_ALLOWED_HOSTS: "127.0.0.1" };
    const server = await startServer({ command: [...command, main, "start"], env, onAnyDatabase: true, isShared: true });
    // The next file then starts another one.
    void server.ended.then(() => {
      shared = undefined;
    });
    return server;
  });
  shared.catch(() => {
    shared = undefined;
  });
  return shared;
}

/** Starts a server that is expected to refuse, and returns how it ended. */
export async function startRefused(options: StartOptions): Promise<Ending> {
  const server = await spawnServer(options);
  const patience = new AbortController();
  const late = sleep(PATIENCE_MS, undefined, { signal: patience.signal }).then(
    () => {
      throw new Error(`the server started although it should not have:\n${server.err()}`);
    },
    () => undefined,
  );
  try {
    return (await Promise.race([server.ended, late]))!;
  } finally {
    patience.abort();
  }
}
