import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { fingerprint, isBuiltFrom } from "../../build.mjs";
import { createApp, type Server } from "../app.ts";
import { bootstrap } from "../bootstrap.ts";
import { type Config, loadConfig } from "../config.ts";
import { type Core, createCore } from "../core.ts";
import { clock } from "../kernel/clock.ts";
import { newId } from "../kernel/ids.ts";
import { packageFile } from "../kernel/package.ts";
import { isInTransaction, migrate, type OpenedEmbedded, openDatabase, singleConnection } from "../platform/db/index.ts";
import { compiledSchemas } from "../platform/http/index.ts";
import { createPasswordHasher } from "../platform/passwords/index.ts";
import type { Permission } from "../tenancy/permissions/index.ts";
import { Browser } from "./browser.ts";
import { borrowEmbedded } from "./embedded-database.ts";
import { nextKeyPair } from "./key-pairs.ts";
import { borrowPostgres } from "./postgres-database.ts";
import { MASTER_PASSWORD, makeHolder, PASSWORD, type RealmUnderTest, realmUnderTest } from "./realm.ts";
import { recordStatements, saveStatements } from "./sent-statements.ts";
import { changedTables, removeRealms, sharedState } from "./shared-rows.ts";

export { MASTER_PASSWORD } from "./realm.ts";

import { notOverloaded, testDatabase } from "./test-database.ts";

/** The hashes are cheap enough for hundreds of users. The real cost is tested where it matters. */
const cheapHashes = { params: { memoryKiB: 64, passes: 1 } };
const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");
const MIGRATIONS = new URL("../../migrations/", import.meta.url);
const CACHE = new URL("../../.cache/", import.meta.url).pathname;
/** The compiled schemas are shared: compiling those that a file's requests need takes longer than building the rest of a server. */
const compiled = compiledSchemas();

/** The part that files may share: it makes realms, and gives no access to the loops of all realms. Of the counters, a file reads those of its realms. */
export interface SharedHarness {
  readonly core: Core;
  readonly server: Pick<Server, "app" | "jobs" | "messages" | "activity" | "issuers">;
  readonly config: Config;
  /** All that the server wrote to standard output. */
  readonly output: readonly string[];
  /** Makes a new realm, which only this test sees. */
  realm(): Promise<RealmUnderTest>;
  browser(): Browser;
  /** Makes and signs in a user of `master` with exactly these permissions. User and role go with the file. */
  ofMaster(username: string, ...permissions: Permission[]): Promise<Browser>;
  /** Starts another node on the same database (Postgres), with its own settings. It ends with the file. */
  secondNode(env?: Record<string, string>): Promise<Node>;
  close(): Promise<void>;
}

export interface Harness extends SharedHarness {
  readonly server: Server;
  readonly output: string[];
}

export interface Node {
  readonly core: Core;
  readonly server: Server;
  readonly config: Config;
  readonly output: string[];
  close(): Promise<void>;
}

/** Opens a whole server on its own database, for one test file. Each test makes its realm in it. */
export async function harness(env: Record<string, string> = {}): Promise<Harness> {
  // The clock belongs to the whole process, and a file with its own server may move it.
  await closeShared();
  clock.reset();
  const opened = await openServer(env);
  const { realm, browser, ofMaster } = await signedIn(opened);
  return { ...opened, realm, browser, ofMaster };
}

type Opened = Omit<Harness, "realm" | "browser" | "ofMaster">;

/** The server that files of this process share. Files with equal settings come one after the other (`vitest.config.ts`). */
let shared: { readonly settings: string; readonly server: Promise<Opened>; state?: ReadonlyMap<string, string> } | undefined;

/**
 * Returns a server that other files use before and after this one: building one, and running its code for the first time, takes longer than all the requests
 * of most files. It is for files that look at their own realms only. A file may move the clock, and stop the jobs and run them: both are as before when it
 * ends, and its realms are gone. A file needs a `harness()` of its own if it counts what the server has done for all realms, or reads or changes something
 * outside of its realms.
 */
export async function sharedHarness(env: Record<string, string> = {}): Promise<SharedHarness> {
  clock.reset();
  const settings = JSON.stringify(Object.entries(env).sort());
  if (shared?.settings !== settings) {
    await closeShared();
    const server = openServer(env);
    shared = { settings, server };
    // The next file tries again.
    server.catch(() => {
      if (shared?.server === server) shared = undefined;
    });
  }
  const using = shared;
  const opened = await using.server;
  const { realm, browser, ofMaster, removeOfMaster } = await signedIn(opened);
  const own: string[] = [];
  const nodes: Node[] = [];
  const { db } = opened.core;
  // A file leaves the state as it was, so it is the next file's, too.
  using.state ??= await sharedState(db);
  const before = using.state;
  return {
    ...opened,
    browser,
    ofMaster,
    async realm() {
      const made = await realm();
      own.push(made.name);
      return made;
    },
    async secondNode(settings) {
      const node = await opened.secondNode(settings);
      nodes.push(node);
      return node;
    },
    async close() {
      const { jobs } = opened.server;
      await jobs.stop();
      for (const node of nodes) await node.close();
      clock.reset();
      await removeOfMaster();
      await removeRealms(db, own);
      await saveStatements();
      const changed = changedTables(before, await sharedState(db));
      if (changed.length > 0) {
        await closeShared();
        throw new Error(`This file changed rows of master (${changed}), so it needs a harness() of its own instead of the shared one`);
      }
      await jobs.start();
    },
  };
}

async function closeShared(): Promise<void> {
  const open = shared?.server;
  shared = undefined;
  await (await open?.catch(() => undefined))?.close();
}

async function signedIn(opened: Opened) {
  const { server } = opened;
  const admin = new Browser(server.app, "198.51.100.1");
  const signIn = () => admin.signIn("master", "admin", MASTER_PASSWORD);
  await signIn();
  const inMaster: string[] = [];
  const ask = async (method: "post" | "put" | "delete", path: string, body?: unknown) => {
    const answer = await admin.request(method.toUpperCase(), `/admin/realms/master${path}`, { body });
    if (answer.status >= 300) throw new Error(`${method} ${path} in master: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  return {
    realm: () => realmUnderTest(opened, admin),
    browser: () => new Browser(server.app),
    async ofMaster(username: string, ...permissions: Permission[]): Promise<Browser> {
      await signIn();
      const { userId, roleId } = await makeHolder(ask, username, permissions);
      if (roleId !== null) inMaster.push(`/roles/${roleId}`);
      inMaster.push(`/users/${userId}`);
      const browser = new Browser(server.app);
      await browser.signIn("master", username, PASSWORD);
      return browser;
    },
    async removeOfMaster() {
      if (inMaster.length > 0) await signIn();
      for (const path of inMaster.reverse()) await ask("delete", path);
    },
  };
}

async function openServer(env: Record<string, string>): Promise<Opened> {
  const database = testDatabase() === "postgres" ? await postgresDatabase() : await embeddedDatabase();
  const open = (own?: Record<string, string>): Promise<Node> => openNode({ ...database.env, ...env, ...own }, database.embedded);
  const first = await open();
  const others = new Set<Node>();
  return {
    ...first,
    async secondNode(own) {
      if (!database.env.DATABASE_URL) throw new Error("Two nodes need Postgres");
      const opened = await open(own);
      const node = { ...opened, close: async () => void (others.delete(node) && (await opened.close())) };
      others.add(node);
      return node;
    },
    async close() {
      for (const node of others) await node.close();
      await first.close();
      await database.remove();
      clock.reset();
    },
  };
}

async function openNode(env: Record<string, string>, embedded: OpenedEmbedded | undefined): Promise<Node> {
  const config = loadConfig({
    env: {
      GATEHOUSE_MODE: "production",
      GATEHOUSE_BASE_URL: "http://localhost:8080",
      GATEHOUSE_MASTER_KEY: MASTER_KEY,
      GATEHOUSE_BOOTSTRAP_ADMIN_PASSWORD: MASTER_PASSWORD,
      GATEHOUSE_TRUST_PROXY: "true",
      ...notOverloaded,
      ...env,
    },
    cwd: tmpdir(),
  });
  const output: string[] = [];
  const core = {
    ...(await createCore(config, {
      output: { write: (line: string) => void output.push(line) },
      ...(embedded && { embedded: Promise.resolve(embedded) }),
    })),
    hasher: createPasswordHasher(cheapHashes),
    makeKeyPair: nextKeyPair,
  };
  refuseQueriesPastTransactions(core);
  for (const db of [core.db, core.database.background, core.database.monitor]) recordStatements(db);
  await bootstrap(core);
  const server = await createApp(core, { compiled });
  await server.start();
  await server.started();
  await server.app.ready();
  // Recurring work has its first turn now. Afterwards it comes only when a test moves the clock, and not in the middle of the first test.
  await server.jobs.runDue();
  return {
    core,
    server,
    config,
    output,
    async close() {
      await server.close();
      await core.close();
      await saveStatements();
    },
  };
}

/**
 * Refuses a query outside of the open transaction. On the embedded database, with its one connection, such a query fails anyway. On Postgres it fails in tests
 * only, so that they find it there as well.
 */
function refuseQueriesPastTransactions({ db, database: { pool } }: Core): void {
  if (!pool) return;
  singleConnection.add(db);
  const connect = pool.connect.bind(pool) as (...args: unknown[]) => unknown;
  pool.connect = ((...args: unknown[]) => {
    if (isInTransaction()) throw new Error("A query went past the open transaction: use ctx.tx");
    return connect(...args);
  }) as typeof pool.connect;
}

interface TestDatabase {
  readonly env: Record<string, string>;
  readonly embedded?: OpenedEmbedded;
  remove(): Promise<void>;
}

/** Opens a database in memory, from a template that is made once per set of migrations: opening without one takes seconds. */
async function embeddedDatabase(): Promise<TestDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), "gatehouse-test-"));
  const { embedded, giveBack } = await borrowEmbedded(embeddedTemplate);
  return {
    env: { GATEHOUSE_DATA_DIR: dataDir },
    embedded,
    async remove() {
      await giveBack();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function migrationsDigest(): Promise<string> {
  const files = (await readdir(MIGRATIONS)).filter((file) => file.endsWith(".sql")).sort();
  const hash = createHash("sha256");
  for (const file of files) hash.update(file).update(await readFile(new URL(file, MIGRATIONS)));
  return hash.digest("hex").slice(0, 16);
}

async function embeddedTemplate(): Promise<Uint8Array<ArrayBuffer>> {
  // The build has a template of the same migrations.
  if (isBuiltFrom(fingerprint())) return new Uint8Array(gunzipSync(await readFile(packageFile("dist/embedded-template.tar.gz"))));
  const file = join(CACHE, `embedded-${await migrationsDigest()}.tar`);
  const known = await readFile(file).catch(() => null);
  if (known) return new Uint8Array(known);
  const database = await openDatabase({ url: null, dataDir: "memory://", pool: 1, preparedStatements: true, onIdleError: fail });
  await migrate(database.db);
  const template = await database.dump();
  await database.close();
  await mkdir(CACHE, { recursive: true });
  const draft = `${file}.${newId()}`;
  await writeFile(draft, template);
  await rename(draft, file);
  return template;
}

async function postgresDatabase(): Promise<TestDatabase> {
  const { url, giveBack } = await borrowPostgres(await migrationsDigest());
  const dataDir = await mkdtemp(join(tmpdir(), "gatehouse-test-"));
  return {
    env: { DATABASE_URL: url, GATEHOUSE_DATA_DIR: dataDir, GATEHOUSE_DATABASE_POOL: "5" },
    async remove() {
      await giveBack();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const fail = (error: Error) => {
  throw error;
};

export type { Permission };
export { testDatabase };
