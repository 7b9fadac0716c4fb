// npm run bench -- brokers: measures the cost of a sign-in by an identity provider, and the cost of providers for other users.
import { Pool } from "undici";
import { startAssistant, startServer } from "./processes.mjs";
import { measureRounds } from "./rounds.mjs";
import { Browser, inParallel } from "./seed.mjs";

const PASSWORD = "bench-User-password-1";
const USERS = 200;
/** The number of sign-ins of one slice. */
const COUNT = 800;
/**
 * The number of sign-ins of each kind before the measurement, in turn: then the code is compiled, the users are linked, and their browsers
 * known. After 1,000 the compiler still takes a fifth of a callback, and hardly anything of a sign-in by password.
 */
const WARM_UP = 6_000;
const HANGING = 16;
const MANY = 1_000;

/** @type {(import("./rounds.mjs").Row & { id: string })[]} */
const rows = [
  { id: "password", title: "sign-in by password, less its hash" },
  { id: "callback", title: "from an OpenID provider's callback to the session", against: "password", target: 1.3 },
  { id: "hung", title: `sign-in by password, ${HANGING} sign-ins waiting for a provider`, against: "password", target: 1.1 },
  { id: "page-3", title: "sign-in page, 3 providers" },
  { id: "page-20", title: "sign-in page, 20 providers" },
  { id: `page-${MANY}`, title: `sign-in page, ${MANY.toLocaleString("en")} providers, 20 shown`, against: "page-20", target: 1.1 },
];

/**
 * @param {object} options
 * @param {() => Promise<{ main: string, dataDir: string, databaseUrl: string, masterKey: string }>} options.newPlace
 * @param {() => number | null} options.dbCpu
 * @param {number} options.connections
 * @param {string | undefined} options.profile
 * @param {number} options.rounds
 * @param {number} options.seconds
 * @param {(text: string) => void} options.progress
 * @param {<T extends { stop: () => Promise<void> }>(program: T) => T} options.untilTheEnd
 */
export async function measureBrokers({ newPlace, dbCpu, connections, profile, rounds, seconds, progress, untilTheEnd }) {
  progress("brokers: a bare provider, and realms with 3, 20 and 1,000 of them");
  const { ask } = untilTheEnd(await startAssistant("brokers-provider.mjs"));
  const { origin: provider } = await ask({});
  const env = { GATEHOUSE_MODE: "development", NODE_OPTIONS: `--import=${new URL("brokers-no-hash.mjs", import.meta.url).href}` };
  const server = untilTheEnd(await startServer({ ...(await newPlace()), profile, env }));
  const pages = await seed(server.origin, provider);
  const target = { origin: server.origin, realm: "bench", users: USERS, password: PASSWORD, provider };
  const load = untilTheEnd(await startAssistant("brokers-load.mjs"));
  const looker = untilTheEnd(await startAssistant("load.mjs"));
  const prepare = (/** @type {string} */ kind, count = COUNT) => load.ask({ do: "prepare", target, kind, count, connections });
  const finish = () => load.ask({ do: "finish", target, connections });

  progress(`brokers: ${WARM_UP} sign-ins of each kind before anything counts`);
  for (let done = 0; done < WARM_UP; done += COUNT)
    for (const kind of ["password", "callback"]) {
      await prepare(kind);
      await finish();
    }
  const lanes = rows.map((row) => {
    const lane = { row, build: null, pid: server.pid, dbCpu };
    const page = pages.get(row.id);
    if (page)
      return {
        ...lane,
        slice: (/** @type {number} */ time) => looker.ask({ row: "login-page", target: page, seconds: time, connections }),
      };
    const hangs = async () => {
      await prepare("hanging", HANGING);
      await load.ask({ do: "hang", target });
      await prepare("password");
    };
    return { ...lane, prepare: row.id === "hung" ? hangs : () => prepare(row.id), slice: finish };
  });
  return measureRounds(lanes, { rounds, seconds, progress });
}

/** @param {string} origin @param {string} provider @returns {Promise<Map<string, object>>} the requests of the rows of pages */
async function seed(origin, provider) {
  const pool = new Pool(origin, { connections: 8 });
  try {
    const master = new Browser(pool);
    await master.signIn("master", "admin");
    const newRealm = async (/** @type {string} */ realm, /** @type {object} */ more = {}) => {
      await master.send("POST", "/admin/realms", 201, { json: { realm, adminPassword: PASSWORD, ...more } });
      const add = (/** @type {string} */ alias, order = 100) =>
        master.send("POST", `/admin/realms/${realm}/identity-providers`, 201, {
          json: {
            ...{ alias, protocol: "oidc", displayName: `Sign-in of ${alias}` },
            config: { issuer: provider, clientId: "gatehouse", clientSecret: "bench-Client-secret-1", order },
          },
        });
      return add;
    };
    const add = await newRealm("bench");
    await add("bench");
    const users = Array.from({ length: USERS }, (_, i) => `user-${i}`);
    await inParallel(users, async (username) => {
      const json = { username, email: `${username}@example.org`, attributes: { firstName: "Ada", lastName: "Bench" } };
      const { userId } = await master.send("POST", "/admin/realms/bench/users", 201, { json });
      await master.send("PUT", `/admin/realms/bench/users/${userId}/password`, 204, { json: { newPassword: PASSWORD } });
    });
    await master.send("POST", "/admin/realms/bench/clients", 201, {
      json: { clientId: "web", grantTypes: ["authorization_code"], redirectUris: ["https://app.example/cb"], firstParty: true },
    });
    const pages = new Map();
    for (const count of [3, 20, MANY]) {
      const realm = `page-${count}`;
      const addTo = await newRealm(realm);
      await inParallel(
        Array.from({ length: count }, (_, i) => i),
        (i) => addTo(`provider-${i}`, i),
      );
      const visitor = new Browser(pool);
      await visitor.send("GET", `/realms/${realm}/login`, 200);
      pages.set(realm, { origin, realm, visitor: visitor.jar });
    }
    return pages;
  } finally {
    await pool.close();
  }
}
