// npm run bench -- provisioning: measures SCIM among a million users, an import compared with bare INSERTs, the memory of exports and
// imports of a whole realm, and a full sync of a SCIM target that changes nothing.
import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { Pool } from "undici";
import { fillUsers } from "./directory-data.mjs";
import { MIN_SHARE, measureImport } from "./directory-import.mjs";
import { residentMb, startAssistant, startServer } from "./processes.mjs";
import { measureRounds } from "./rounds.mjs";
import { Browser } from "./seed.mjs";

/** @typedef {{ lines: import("./rounds.mjs").Line[], measures: import("./ldap.mjs").Measure[] }} Provisioning */

const REALM = "bench";
const COPY = "bench-copy";
const SYNCED = "bench-sync";
const CONNECTION = "bench";
const PASSWORD = "bench-Admin-password-2";
const PASSPHRASE = "a passphrase of the bench";
const TOKENS = 40;
const MAX_MEMORY = 300;
const HEAP_LIMIT = 1024;
const MAX_SYNCED = 100_000;

/** The database does most of the work of a list, so its CPU time counts. */
const withDatabase = true;
const rows = [
  { id: "scim-get", title: "SCIM: a user by id", withDatabase },
  { id: "scim-username", title: "SCIM: userName eq", against: "scim-get", target: 3, withDatabase },
  { id: "scim-external", title: "SCIM: externalId eq", against: "scim-get", target: 3, withDatabase },
  { id: "scim-mail", title: 'SCIM: emails[type eq "work"].value eq', against: "scim-get", target: 3, withDatabase },
  { id: "scim-first", title: "SCIM: the first page of 100 by cursor", withDatabase },
  { id: "scim-deep", title: "SCIM: a page of 100 by cursor at any depth", against: "scim-first", target: 1.5, withDatabase },
];

/**
 * @param {object} options
 * @param {() => Promise<{ main: string, dataDir: string, databaseUrl: string, masterKey: string }>} options.newPlace
 * @param {() => number | null} options.dbCpu
 * @param {number} options.rounds
 * @param {number} options.seconds
 * @param {number} options.connections
 * @param {number} options.users
 * @param {string} options.folder for the exported file
 * @param {string | undefined} options.profile
 * @param {(text: string) => void} options.progress
 * @param {<T extends { stop: () => Promise<void> }>(program: T) => T} options.untilTheEnd
 * @returns {Promise<Provisioning>}
 */
export async function measureProvisioning(options) {
  const { newPlace, dbCpu, rounds, seconds, connections, users, folder, profile, progress, untilTheEnd } = options;
  const place = await newPlace();
  const env = { GATEHOUSE_MODE: "development", GATEHOUSE_ALLOWED_HOSTS: "127.0.0.1" };
  const synced = Math.max(1, Math.min(MAX_SYNCED, Math.round(users / 10)));
  await fill({ place, env, users, synced, progress, untilTheEnd });

  let server = untilTheEnd(await startServer({ ...place, env, profile }));
  const connect = () => new Pool(server.origin, { connections: 4, headersTimeout: 0, bodyTimeout: 0 });
  let pool = connect();
  const signIn = async (/** @type {string} */ realm) => {
    const browser = new Browser(pool);
    await browser.signIn(realm, "admin", PASSWORD);
    return browser;
  };
  try {
    const tokens = await scimTokens(await signIn(REALM));
    const cursors = await walk({ pool, tokens, users, progress });
    const load = untilTheEnd(await startAssistant("provisioning-load.mjs"));
    const target = { origin: server.origin, realm: REALM, tokens, users, cursors };
    const lanes = rows.map((row) => ({
      row,
      build: null,
      pid: server.pid,
      slice: (/** @type {number} */ time) => load.ask({ row: row.id, target, seconds: time, connections }),
      dbCpu,
    }));
    const lines = await measureRounds(lanes, { rounds, seconds, progress });
    const places = { databaseUrl: place.databaseUrl, pool, signIn: async (/** @type {string} */ realm) => (await signIn(realm)).jar };
    const { share } = await measureImport({ place: places, rounds, progress });
    /** @type {import("./ldap.mjs").Measure[]} */
    const measures = [
      { name: "import of users with hashes, beside multi-row INSERTs", value: share, unit: "×", target: MIN_SHARE, isLeast: true },
    ];
    progress(`provisioning: import beside INSERTs: ${share.toFixed(2)}`);

    // A new process is started, so that garbage of the load before does not count for the export. If a machine has much memory, V8 lets
    // garbage grow to four times the live data before it collects; with a limit below 2 GB it collects earlier. The limit itself is never
    // reached.
    await pool.close();
    await server.stop();
    server = untilTheEnd(await startServer({ ...place, env: { ...env, NODE_OPTIONS: `--max-old-space-size=${HEAP_LIMIT}` } }));
    pool = connect();
    const file = join(folder, "realm.json");
    progress(`provisioning: an export of ${users.toLocaleString("en")} users`);
    const exported = await largest(server.pid, () => download(pool, signIn, file));
    measures.push({
      name: `memory during an export of ${megabytes((await stat(file)).size)} MB`,
      value: exported,
      unit: "MB",
      target: MAX_MEMORY,
    });
    progress(`provisioning: ${exported.toFixed(0)} MB; an import of the same`);
    const imported = await largest(server.pid, () => upload(pool, signIn, file, users));
    measures.push({ name: "memory during its import into another realm", value: imported, unit: "MB", target: MAX_MEMORY });
    progress(`provisioning: ${imported.toFixed(0)} MB`);

    const writes = await unchangedSync({ admin: await signIn(SYNCED), databaseUrl: place.databaseUrl, synced, progress, untilTheEnd });
    measures.push({
      name: `writes of an unchanged full sync of ${synced.toLocaleString("en")} users`,
      value: writes,
      unit: "requests",
      target: 0,
    });
    return { lines, measures };
  } finally {
    await pool.close();
  }
}

const megabytes = (/** @type {number} */ bytes) => Math.round(bytes / 1e6).toLocaleString("en");

/** @param {{ place: { main: string, dataDir: string, databaseUrl: string, masterKey: string }, env: Record<string, string>, users: number, synced: number, progress: (text: string) => void, untilTheEnd: <T extends { stop: () => Promise<void> }>(program: T) => T }} options */
async function fill({ place, env, users, synced, progress, untilTheEnd }) {
  // The first start creates the tables. It ends before they are filled, because the server would read them for work all the time.
  const maker = untilTheEnd(await startServer({ ...place, env }));
  const pool = new Pool(maker.origin, { connections: 1 });
  const master = new Browser(pool);
  await master.signIn("master", "admin");
  for (const realm of [REALM, COPY, SYNCED, "bench-import", "bench-bare"])
    await master.send("POST", "/admin/realms", 201, { json: { realm, adminPassword: PASSWORD } });
  await pool.close();
  await maker.stop();
  const client = new pg.Client({ connectionString: place.databaseUrl });
  await client.connect();
  await fillUsers(client, { realm: REALM, users, events: 0, progress });
  await fillUsers(client, { realm: SYNCED, users: synced, events: 0, progress });
  await client.query("set session_replication_role = replica");
  await client.query(`
    insert into scim_user_ids (realm_id, connection, user_id, external_id)
    select realm_id, '${CONNECTION}', user_id, 'external-' || (created_at - 1600000000000) from users where realm_id = '${REALM}' and username <> 'admin'`);
  await client.query("set session_replication_role = origin");
  await client.query("vacuum analyze");
  await client.end();
}

/** @param {Browser} admin */
async function scimTokens(admin) {
  const at = `/admin/realms/${REALM}/provisioning`;
  const { registration } = await admin.send("GET", at, 200);
  await admin.send("PUT", at, 200, { json: { registration, scim: { enabled: true } } });
  const tokens = [];
  for (let n = 0; n < TOKENS; n++) {
    const json = { name: `token ${n}`, connection: CONNECTION };
    tokens.push(/** @type {string} */ ((await admin.send("POST", `${at}/scim-tokens`, 201, { json })).token));
  }
  return tokens;
}

/**
 * Reads the whole list once, a thousand at a time, and checks that every user is in it and that the total is right.
 * @param {{ pool: Pool, tokens: string[], users: number, progress: (text: string) => void }} options
 * @returns {Promise<string[]>} cursors from all parts of the list
 */
async function walk({ pool, tokens, users, progress }) {
  progress(`provisioning: the whole list of ${users.toLocaleString("en")} users`);
  const cursors = [];
  const seen = new Set();
  let total = 0;
  for (let cursor = "", n = 0; ; n++) {
    const answer = await pool.request({
      method: "GET",
      path: `/realms/${REALM}/scim/v2/Users?attributes=userName&count=1000&cursor=${cursor}`,
      headers: { authorization: `Bearer ${tokens[n % tokens.length]}` },
    });
    const page = /** @type {{ totalResults: number, Resources: { id: string }[], nextCursor?: string }} */ (await answer.body.json());
    total = page.totalResults;
    for (const { id } of page.Resources) seen.add(id);
    if (!page.nextCursor) break;
    cursor = page.nextCursor;
    cursors.push(cursor);
  }
  // The administrator of the realm is one more.
  if (total !== users + 1 || seen.size !== total)
    throw new Error(`the list has ${seen.size} users and says ${total}; there are ${users + 1}`);
  // The last cursor may have less than a page after it.
  return cursors.slice(0, -1).length > 0 ? cursors.slice(0, -1) : cursors;
}

/** Returns the largest memory of a process during the work, in MB. @param {number} pid @param {() => Promise<void>} work */
async function largest(pid, work) {
  let most = 0;
  const watching = new AbortController();
  const watch = (async () => {
    while (!watching.signal.aborted) {
      most = Math.max(most, residentMb(pid) ?? 0);
      await sleep(50);
    }
  })();
  try {
    await work();
  } finally {
    watching.abort();
    await watch;
  }
  return most;
}

/** @param {Pool} pool @param {(realm: string) => Promise<Browser>} signIn @param {string} file */
async function download(pool, signIn, file) {
  const { cookie } = (await signIn(REALM)).jar;
  const answer = await pool.request({
    method: "GET",
    path: `/admin/realms/${REALM}/export?users=true&secrets=sealed`,
    headers: { cookie, "export-passphrase": PASSPHRASE },
  });
  if (answer.statusCode !== 200) throw new Error(`the export answered ${answer.statusCode}: ${await answer.body.text()}`);
  await pipeline(answer.body, createWriteStream(file));
}

/** @param {Pool} pool @param {(realm: string) => Promise<Browser>} signIn @param {string} file @param {number} users */
async function upload(pool, signIn, file, users) {
  const { cookie, csrf } = (await signIn(COPY)).jar;
  const answer = await pool.request({
    method: "POST",
    path: `/admin/realms/${COPY}/import`,
    headers: { cookie, "x-xsrf-token": csrf, "content-type": "application/json", "export-passphrase": PASSPHRASE },
    body: createReadStream(file),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200 || JSON.parse(text).users.created !== users)
    throw new Error(`the import answered ${answer.statusCode}: ${text.slice(0, 1000)}`);
}

/**
 * @param {{ admin: Browser, databaseUrl: string, synced: number, progress: (text: string) => void, untilTheEnd: <T extends { stop: () => Promise<void> }>(program: T) => T }} options
 * @returns {Promise<number>} the number of requests that would change an account there
 */
async function unchangedSync({ admin, databaseUrl, synced, progress, untilTheEnd }) {
  progress(`provisioning: the first sync of ${synced.toLocaleString("en")} users`);
  const peer = untilTheEnd(await startAssistant("provisioning-peer.mjs"));
  const { url } = await peer.ask({});
  const at = `/admin/realms/${SYNCED}/scim-targets`;
  const json = { name: "peer", url, auth: { type: "bearer" }, secret: "the secret of the peer", matchBy: [], enabled: false };
  const { id } = await admin.send("POST", at, 201, { json });
  // No real service accepts so many: the API allows a hundred a second.
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`update scim_targets set config = config || '{"requestsPerSecond": 100000}' where target_id = $1`, [id]);
  await client.query("update scim_targets set enabled = true where target_id = $1", [id]);
  await client.end();
  const whenDone = async (/** @type {number | null} */ before) => {
    for (let state = "", since = 0, polls = 0; ; await sleep(500)) {
      ({ state, lastSyncAt: since } = await admin.send("GET", `${at}/${id}/status`, 200));
      if (state === "OK" && since !== null && since !== before) return since;
      if (!["OK", "WORKING"].includes(state)) throw new Error(`the target is ${state}`);
      if (++polls % 60 === 0) progress(`provisioning: ${(await peer.ask({})).accounts.toLocaleString("en")} accounts are there`);
    }
  };
  await admin.send("POST", `${at}/${id}/sync`, 202, { json: {} });
  const first = await whenDone(null);
  const before = await peer.ask({});
  // The administrator of the realm is one more.
  if (before.accounts !== synced + 1) throw new Error(`the first sync created ${before.accounts} of ${synced + 1} accounts`);
  progress("provisioning: an unchanged sync");
  await admin.send("POST", `${at}/${id}/sync`, 202, { json: {} });
  await whenDone(first);
  return (await peer.ask({})).writes - before.writes;
}
