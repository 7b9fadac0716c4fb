// npm run bench -- ldap: measures the cost of a directory: sign-ins by an OpenLDAP on loopback, and the sync of 100,000 entries that have
// not changed.
import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { Pool, request } from "undici";
import { openLdap, startOpenLdap } from "../test/peers/index.mjs";
import { residentMb, startAssistant, startServer } from "./processes.mjs";
import { measureRounds } from "./rounds.mjs";
import { makeIdentity } from "./saml.mjs";
import { Browser, seed } from "./seed.mjs";

const run = promisify(execFile);

/** @typedef {{ name: string, value: number, unit: string, target: number, isLeast?: boolean }} Measure `isLeast`: the target is a minimum */
/** @typedef {{ lines: import("./rounds.mjs").Line[], measures: Measure[] }} Ldap */

/** The concurrent requests, all on the one service connection of the server. */
const AT_ONCE = 20;
/** The resolution of the product's metric. */
const RESOLUTION_MS = 10;
const PASSWORD = "bench-Ldap-password-1";
const SUFFIX = "dc=corp,dc=test";
const ATTRIBUTES = ["entryUUID", "uid", "mail", "givenName", "sn", "userAccountControl", "nsAccountLock", "modifyTimestamp"];

/** @param {number} i */
const entry = (i) =>
  `dn: uid=p${i},ou=people,${SUFFIX}\nobjectClass: inetOrgPerson\nuid: p${i}\ncn: p${i}\nsn: Last ${i}\ngivenName: First ${i}\nmail: p${i}@corp.test\nuserPassword: ${PASSWORD}\n`;

/** Counts the tuples that were written, except the record of the runs. @param {pg.Client} client @returns {Promise<number>} */
async function writes(client) {
  await client.query("select pg_stat_clear_snapshot()");
  const { rows } = await client.query(
    "select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::int as n from pg_stat_user_tables where relname in ('users', 'login_names', 'identity_links', 'directory_entries', 'user_roles', 'identity_provider_grants')",
  );
  return rows[0].n;
}

/** Returns the largest delay of the event loop since the last call, in milliseconds. @param {string} origin */
async function loopDelay(origin) {
  const { body } = await request(`${origin}/monitoring/metrics`);
  return -RESOLUTION_MS + 1000 * Number(/^nodejs_eventloop_lag_p99_seconds ([\d.e+-]+)$/m.exec(await body.text())?.[1]);
}

/** @param {readonly number[]} values */
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/**
 * @param {object} options
 * @param {() => Promise<{ main: string, dataDir: string, databaseUrl: string, masterKey: string }>} options.newPlace
 * @param {() => number | null} options.dbCpu
 * @param {number} options.entries
 * @param {string | undefined} options.profile
 * @param {number} options.rounds
 * @param {number} options.seconds
 * @param {(text: string) => void} options.progress
 * @param {<T extends { stop: () => Promise<void> }>(program: T) => T} options.untilTheEnd
 * @returns {Promise<Ldap>}
 */
export async function measureLdap({ newPlace, dbCpu, entries, profile, rounds, seconds, progress, untilTheEnd }) {
  if (!openLdap()) throw new Error("OpenLDAP is not installed. On Debian or Ubuntu: sudo apt-get install slapd ldap-utils");
  progress(`directories: an OpenLDAP with ${entries.toLocaleString("en")} entries`);
  const ldif = Array.from({ length: entries }, (_, i) => entry(i)).join("\n");
  const { certificate, privateKey } = makeIdentity();
  const directory = untilTheEnd(await startOpenLdap({ identity: { cert: certificate, key: privateKey }, ca: certificate, ldif }));
  const place = await newPlace();
  const env = { GATEHOUSE_MODE: "development", GATEHOUSE_ALLOWED_HOSTS: "127.0.0.1" };
  const server = untilTheEnd(await startServer({ ...place, profile, env }));
  const target = await seed(server.origin, { users: 200, logins: 200 });
  const pool = new Pool(server.origin, { connections: 2, headersTimeout: 0, bodyTimeout: 0 });
  const client = new pg.Client({ connectionString: place.databaseUrl });
  await client.connect();
  try {
    const admin = new Browser(pool);
    await admin.signIn(target.realm, "admin");
    const at = `/admin/realms/${target.realm}`;
    const config = {
      url: directory.url,
      bindDn: `cn=sync,${SUFFIX}`,
      bindPassword: "sync-password",
      userSearchBase: `ou=people,${SUFFIX}`,
    };
    await admin.send("POST", `${at}/identity-providers`, 201, { json: { alias: "corp", protocol: "ldap", config } });
    const sync = () => admin.send("POST", `${at}/user-federation/corp/sync`, 200, { json: {} });
    progress("directories: the first sync");
    const first = await sync();
    if (first.created !== entries) throw new Error(`the first sync created ${first.created} of ${entries} users`);
    await client.query("vacuum analyze");
    const measures = await measureSync({ server, directory, client, sync, entries, rounds, progress });
    for (const { name, value, unit } of measures) progress(`directories: ${name}: ${value.toFixed(2)} ${unit}`);
    return { lines: await measureSignIns(), measures };

    /** Measures sign-ins by the directory, and by a second node on the same database, whose local passwords are right at once. */
    async function measureSignIns() {
      const instant = untilTheEnd(await startServer({ ...place, preload: "instant-passwords.mjs", env }));
      const visitors = new Pool(instant.origin, { connections: 1 });
      const visitor = new Browser(visitors);
      await visitor.send("GET", `/realms/${target.realm}/login`, 200);
      await visitors.close();
      const load = untilTheEnd(await startAssistant("load.mjs"));
      const by = (/** @type {import("./rows.mjs").Target} */ whom) => (/** @type {number} */ time) =>
        load.ask({ row: "login", target: whom, seconds: time, connections: AT_ONCE });
      const logins = Array.from({ length: 200 }, (_, i) => `p${i}`);
      const lanes = [
        {
          row: { id: "instant", title: "sign-in by a source that answers at once" },
          pid: instant.pid,
          slice: by({ ...target, origin: instant.origin, visitor: visitor.jar }),
        },
        {
          row: { id: "ldap", title: "sign-in by OpenLDAP on loopback", against: "instant", target: 1.3 },
          pid: server.pid,
          slice: by({ ...target, logins, password: PASSWORD }),
        },
      ];
      return measureRounds(
        lanes.map((lane) => ({ ...lane, dbCpu, build: null })),
        { rounds, seconds, progress },
      );
    }
  } finally {
    await client.end();
    await pool.close();
  }
}

/**
 * @param {{ server: import("./processes.mjs").RunningServer, directory: { url: string }, client: pg.Client, sync: () => Promise<any>, entries: number, rounds: number, progress: (text: string) => void }} options
 * @returns {Promise<Measure[]>}
 */
async function measureSync({ server, directory, client, sync, entries, rounds, progress }) {
  const search = ["-x", "-LLL", "-H", directory.url, "-D", `cn=sync,${SUFFIX}`, "-w", "sync-password", "-b", `ou=people,${SUFFIX}`];
  const ratios = [];
  const delays = [];
  let grown = 0;
  const idle = residentMb(server.pid) ?? 0;
  await sleep(1_500);
  const before = await writes(client);
  for (let round = 1; round <= rounds; round++) {
    progress(`directories: an unchanged sync, ${round} of ${rounds}`);
    const requested = performance.now();
    await run("ldapsearch", [...search, "-E", "pr=500/noprompt", "(uid=*)", ...ATTRIBUTES], { maxBuffer: 2 ** 30 });
    const peer = performance.now() - requested;
    await loopDelay(server.origin);
    const began = performance.now();
    const watching = new AbortController();
    const watch = (async () => {
      while (!watching.signal.aborted) {
        grown = Math.max(grown, (residentMb(server.pid) ?? 0) - idle);
        await sleep(50);
      }
    })();
    const { created, updated, synced } = await sync();
    ratios.push((performance.now() - began) / peer);
    watching.abort();
    await watch;
    delays.push(await loopDelay(server.origin));
    if (created + updated > 0 || synced !== entries) throw new Error(`an unchanged sync changed ${created + updated} of ${synced} users`);
  }
  await sleep(1_500);
  return [
    {
      name: `unchanged sync of ${entries.toLocaleString("en")} entries, beside ldapsearch -E pr=500`,
      value: median(ratios),
      unit: "×",
      target: 4,
    },
    { name: "memory above idle during it", value: grown, unit: "MB", target: 200 },
    { name: "event loop, p99 of its delay during it", value: median(delays), unit: "ms", target: 50 },
    { name: "rows written for entries that have not changed", value: (await writes(client)) - before, unit: "rows", target: 0 },
  ];
}
