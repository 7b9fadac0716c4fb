// npm run bench -- signin: measures the cost of a sign-in compared with the cryptography that it cannot avoid, and the effect of a flood of
// passwords on other requests.
import { Pool } from "undici";
import { startAssistant, startServer } from "./processes.mjs";
import { measureRounds, median } from "./rounds.mjs";
import { Browser, inParallel } from "./seed.mjs";

const REALM = "bench";
const PASSWORD = "bench-User-password-1";
const USERS = 200;
/** The number of sign-ins before the measurement, so that the server is in use: its code is compiled, and users have signed in before. */
export const WARM_UP = 2_000;
/** The flood sends this many times more passwords than the machine can hash. */
const TOO_MANY = 4;
/** The minimum number of passwords in a flood. */
const FLOOD = 1_000;
/** The maximum ratio of the time that others wait meanwhile to that of an empty route on an equally busy machine. */
export const MAX_WAIT = 5;

/**
 * @typedef {object} SignIns
 * @property {import("./rounds.mjs").Line[]} lines
 * @property {{ rate: number, signedIn: number, busy: number, busyWithoutRetryAfter: number, other: number, own: number, empty: number, ratio: number }} flood
 */

/**
 * @param {object} options
 * @param {() => Promise<{ main: string, dataDir: string, databaseUrl: string, masterKey: string }>} options.newPlace
 * @param {() => number | null} options.dbCpu
 * @param {number} options.rounds
 * @param {number} options.seconds
 * @param {number} options.connections
 * @param {string | undefined} options.profile
 * @param {(text: string) => void} options.progress
 * @param {<T extends { stop: () => Promise<void> }>(program: T) => T} options.untilTheEnd
 * @returns {Promise<SignIns>}
 */
export async function measureSignIns({ newPlace, dbCpu, rounds, seconds, connections, profile, progress, untilTheEnd }) {
  progress("sign-in: a realm with users");
  const own = untilTheEnd(await startServer({ ...(await newPlace()), profile }));
  const target = await seedSignIns(own.origin);
  const load = untilTheEnd(await startAssistant("signin-load.mjs"));
  const looker = untilTheEnd(await startAssistant("signin-load.mjs"));
  const limits = untilTheEnd(await startAssistant("limits.mjs"));
  const loaded = untilTheEnd(await startAssistant("signin-loaded.mjs"));
  const { origin: emptyOrigin } = await loaded.ask({});

  /** @type {import("./rounds.mjs").Lane[]} */
  const lanes = [
    {
      row: { id: "sign-in-limit", title: "one Argon2id hash and two RSA-2048 signatures" },
      build: null,
      pid: limits.pid,
      slice: (time) => limits.ask({ row: "sign-in", seconds: time }),
      dbCpu: () => null,
    },
    {
      row: { id: "sign-in", title: "sign-in by password, code flow, from link to tokens", against: "sign-in-limit", target: 1.5 },
      build: null,
      pid: own.pid,
      slice: (time) => load.ask({ do: "signIns", target, seconds: time, connections }),
      dbCpu,
    },
  ];
  progress(`sign-in: ${WARM_UP} before anything counts`);
  for (let done = 0; done < WARM_UP; ) done += (await load.ask({ do: "signIns", target, seconds: 5, connections })).count;
  const lines = await measureRounds(lanes, { rounds, seconds: Math.max(seconds, 3), progress });

  progress("sign-in: more passwords than can be hashed");
  const hashes = await limits.ask({ row: "argon2", seconds: 2 });
  const rate = Math.ceil((TOO_MANY * hashes.count) / hashes.seconds);
  // The flood lasts so long that the surplus is many times the length of the queue, however slow the machine is.
  const time = Math.max(seconds, 5, FLOOD / rate);
  /** @type {{ own: number, empty: number }[]} */
  const waits = [];
  const total = { signedIn: 0, busy: 0, busyWithoutRetryAfter: 0, other: 0 };
  for (let round = 0; round <= rounds; round++) {
    const [answers, seen] = await Promise.all([
      load.ask({ do: "flood", target, seconds: time, rate }),
      looker.ask({ do: "look", origin: own.origin, path: `/realms/${REALM}/jwks`, seconds: time }),
    ]);
    await loaded.ask({ busy: true });
    const empty = await looker.ask({ do: "look", origin: emptyOrigin, path: "/", seconds: time });
    await loaded.ask({ busy: false });
    if (round === 0) continue;
    waits.push({ own: seen.p99, empty: empty.p99 });
    for (const name of /** @type {(keyof typeof total)[]} */ (Object.keys(total))) total[name] += answers[name];
  }
  return {
    lines,
    flood: {
      rate,
      ...total,
      own: median(waits.map((each) => each.own)),
      empty: median(waits.map((each) => each.empty)),
      ratio: median(waits.map((each) => each.own / each.empty)),
    },
  };
}

/** @param {string} origin */
export async function seedSignIns(origin) {
  const pool = new Pool(origin, { connections: 8 });
  try {
    const master = new Browser(pool);
    await master.signIn("master", "admin");
    await master.send("POST", "/admin/realms", 201, { json: { realm: REALM, adminPassword: PASSWORD } });
    const at = `/admin/realms/${REALM}`;
    const logins = Array.from({ length: USERS }, (_, i) => `user-${i}`);
    await inParallel(logins, async (username) => {
      const { userId } = await master.send("POST", `${at}/users`, 201, { json: { username, email: `${username}@example.com` } });
      await master.send("PUT", `${at}/users/${userId}/password`, 204, { json: { newPassword: PASSWORD } });
    });
    const { secret } = await master.send("POST", `${at}/clients`, 201, {
      json: { clientId: "web", grantTypes: ["authorization_code"], redirectUris: ["https://app.example/cb"], firstParty: true },
    });
    const visitor = new Browser(pool);
    await visitor.send("GET", `/realms/${REALM}/login`, 200);
    return { origin, realm: REALM, logins, password: PASSWORD, secret, visitor: visitor.jar };
  } finally {
    await pool.close();
  }
}
