// npm run bench -- machines: measures the cost of an agent's token compared with a plain client's, and of a workload's exchange compared
// with client_credentials.
import { generateKeyPairSync, sign } from "node:crypto";
import { Pool } from "undici";
import { startAssistant, startServer } from "./processes.mjs";
import { measureRounds } from "./rounds.mjs";
import { Browser } from "./seed.mjs";

const REALM = "machines";
const AUDIENCE = "the bench";
const ISSUER = "https://issuer.example";

const rows = [
  { id: "machine-rs256", title: "client_credentials RS256" },
  { id: "machine-agent", title: "client_credentials RS256 of an agent", against: "machine-rs256", target: 1.3 },
  { id: "machine-audited", title: "client_credentials RS256, with auditClientLogins" },
  { id: "workload", title: "workload exchange", against: "machine-audited", target: 1.5 },
];

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
 * @returns {Promise<import("./rounds.mjs").Line[]>}
 */
export async function measureMachines({ newPlace, dbCpu, rounds, seconds, connections, profile, progress, untilTheEnd }) {
  progress("machines: realms with an agent and a workload");
  const own = untilTheEnd(await startServer({ ...(await newPlace()), profile }));
  const plain = await seedMachines(own.origin, REALM, { auditClientLogins: false });
  const audited = await seedMachines(own.origin, `${REALM}-audited`, { auditClientLogins: true });
  const load = untilTheEnd(await startAssistant("tokens-load.mjs"));
  const targets = {
    "machine-rs256": plain.machine,
    "machine-agent": plain.agent,
    "machine-audited": audited.machine,
    workload: audited.workload,
  };
  /** @type {import("./rounds.mjs").Lane[]} */
  const lanes = rows.map((row) => {
    const target = targets[/** @type {keyof typeof targets} */ (row.id)];
    const kind = row.id === "machine-audited" ? "machine-rs256" : row.id;
    return { row, build: null, pid: own.pid, slice: (time) => load.ask({ kind, target, seconds: time, connections }), dbCpu };
  });
  progress("machines: until everything has been used");
  for (const lane of lanes) for (let answered = 0; answered < 5_000; ) answered += (await lane.slice(seconds)).count;
  return measureRounds(lanes, { rounds, seconds, progress });
}

/** @param {string} origin @param {string} realm @param {object} settings */
async function seedMachines(origin, realm, settings) {
  const pool = new Pool(origin, { connections: 1 });
  try {
    const master = new Browser(pool);
    await master.signIn("master", "admin");
    await master.send("POST", "/admin/realms", 201, { json: { realm, adminPassword: "bench-User-password-1" } });
    const at = `/admin/realms/${realm}`;
    const { userId } = await master.send("POST", `${at}/users`, 201, { json: { username: "owen" } });
    const limits = { rateLimits: { workloadTokens: 100_000 } };
    await master.send("PUT", `${at}/settings`, 200, { json: { ...settings, ...limits } });
    const client = async (/** @type {string} */ clientId) =>
      /** @type {string} */ (
        (await master.send("POST", `${at}/clients`, 201, { json: { clientId, grantTypes: ["client_credentials"] } })).secret
      );
    const target = { origin, realm };
    const machine = { ...target, secret: await client("machine") };
    const agent = { ...target, secret: await client("agent") };
    const { id } = await master.send("POST", `${at}/agents`, 201, { json: { name: "agent", clientId: "agent", ownerUserId: userId } });
    await master.send("POST", `${at}/agents/${id}/activate`, 200);
    await client("workload");
    const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const jwks = { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "k1", alg: "RS256", use: "sig" }] };
    const credential = { name: "workload", issuer: ISSUER, subject: "pod", audience: AUDIENCE, clientId: "workload", jwks };
    await master.send("POST", `${at}/workload-identity`, 201, { json: credential });
    return { machine, agent, workload: { ...target, secret: tokenOf(privateKey) } };
  } finally {
    await pool.close();
  }
}

/** Returns a workload's token, as Kubernetes would sign it. @param {import("node:crypto").KeyObject} key */
function tokenOf(key) {
  const encode = (/** @type {object} */ value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const iat = Math.floor(Date.now() / 1000);
  const signed = `${encode({ alg: "RS256", kid: "k1" })}.${encode({ iss: ISSUER, sub: "pod", aud: AUDIENCE, iat, exp: iat + 3600 })}`;
  return `${signed}.${sign("sha256", Buffer.from(signed), key).toString("base64url")}`;
}
