// npm run bench -- authz: measures the cost of a decision among many resources and policies compared with one among few, and of a hundred
// at once compared with one.
import pg from "pg";
import { Pool } from "undici";
import { startAssistant, startServer } from "./processes.mjs";
import { measureRounds } from "./rounds.mjs";
import { Browser } from "./seed.mjs";

const REALM = "authz";
const SMALL = { clientId: "small", resources: 100, policies: 100 };
const LARGE = { clientId: "large", resources: 100_000, policies: 1_000 };

const rows = [
  { id: "authz-small", title: "AuthZEN evaluation, 100 resources and 100 policies" },
  { id: "authz-large", title: "AuthZEN evaluation, 100,000 resources and 1,000 policies", against: "authz-small", target: 2 },
  { id: "authz-batch", title: "AuthZEN evaluations of 100, among as many", against: "authz-large", target: 8 },
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
export async function measureAuthz({ newPlace, dbCpu, rounds, seconds, connections, profile, progress, untilTheEnd }) {
  progress("authz: resource servers with 100 and with 100,000 resources");
  const place = await newPlace();
  const own = untilTheEnd(await startServer({ ...place, profile }));
  const tokens = await seedServers(own.origin, place.databaseUrl);
  const load = untilTheEnd(await startAssistant("authz-load.mjs"));
  const target = (/** @type {typeof SMALL} */ { clientId, resources }, /** @type {number} */ batch) => ({
    ...{ origin: own.origin, token: tokens.get(clientId), resources, batch },
    path: `/realms/${REALM}/access/v1/${batch === 1 ? "evaluation" : "evaluations"}`,
  });
  const targets = { "authz-small": target(SMALL, 1), "authz-large": target(LARGE, 1), "authz-batch": target(LARGE, 100) };
  const lanes = rows.map((row) => {
    const asked = targets[/** @type {keyof typeof targets} */ (row.id)];
    return {
      row,
      build: null,
      pid: own.pid,
      slice: (/** @type {number} */ time) => load.ask({ target: asked, seconds: time, connections }),
      dbCpu,
    };
  });
  progress("authz: until everything has been used");
  for (const lane of lanes) for (let answered = 0; answered < 1_000; ) answered += (await lane.slice(seconds)).count;
  return measureRounds(lanes, { rounds, seconds, progress });
}

/** @param {string} origin @param {string} databaseUrl @returns {Promise<Map<string, string>>} a token for each resource server */
async function seedServers(origin, databaseUrl) {
  const pool = new Pool(origin, { connections: 1 });
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  try {
    const master = new Browser(pool);
    await master.signIn("master", "admin");
    await master.send("POST", "/admin/realms", 201, { json: { realm: REALM, adminPassword: "bench-User-password-1" } });
    const at = `/admin/realms/${REALM}`;
    await master.send("POST", `${at}/roles`, 201, { json: { name: "reader" } });
    for (let n = 0; n < 100; n++) await master.send("POST", `${at}/users`, 201, { json: { username: `user${n}`, roles: ["reader"] } });
    const tokens = new Map();
    for (const { clientId, resources, policies } of [SMALL, LARGE]) {
      const made = { clientId, grantTypes: ["client_credentials"], accessTokenLifetime: 86_400 };
      const { id, secret } = await master.send("POST", `${at}/clients`, 201, { json: made });
      const authz = `${at}/clients/${id}/authz`;
      await master.send("PUT", `${authz}/settings`, 200, { json: { enabled: true } });
      await master.send("POST", `${authz}/scopes`, 201, { json: { name: "view" } });
      await master.send("POST", `${authz}/policies`, 201, { json: { name: "readers", type: "role", roles: ["reader"] } });
      const all = [REALM, id];
      await db.query(
        `insert into authz_policies (realm_id, client_id, name, type, logic, decision_strategy, config, created_at)
         select $1, $2, 'level ' || n, 'attribute', 'POSITIVE', 'UNANIMOUS', jsonb_build_object('path', 'user.attributes.level', 'operator', 'eq', 'value', n), 0
         from generate_series(1, $3::int) n`,
        [...all, policies - 1],
      );
      await db.query(
        `insert into authz_resources (realm_id, client_id, resource_id, name, type, scopes, created_at)
         select $1, $2, gen_random_uuid(), '/docs/' || n, 'doc', '{view}', 0 from generate_series(0, $3::int - 1) n`,
        [...all, resources],
      );
      // Every policy decides about its own type, except the one of the requests.
      await db.query(
        `insert into authz_permissions (realm_id, client_id, name, type, decision_strategy, resource_type, is_general, scopes, policies, created_at)
         select $1, $2, 'permission ' || n, 'resource', 'UNANIMOUS', 'type-' || n, false, '{}', array['level ' || n], 0
         from generate_series(1, $3::int) n`,
        [...all, policies - 1],
      );
      const permission = { name: "view", type: "scope", scopes: ["view"], policies: ["readers"] };
      await master.send("POST", `${authz}/permissions`, 201, { json: permission });
      const form = new URLSearchParams({ grant_type: "client_credentials", client_id: clientId, client_secret: secret }).toString();
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const answer = await pool.request({ method: "POST", path: `/realms/${REALM}/token`, headers, body: form });
      tokens.set(clientId, /** @type {{ access_token: string }} */ (await answer.body.json()).access_token);
    }
    await db.query("vacuum analyze");
    return tokens;
  } finally {
    await db.end();
    await pool.destroy();
  }
}
