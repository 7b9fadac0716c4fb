// Writes the rows that the token benchmarks need: clients, a user with tokens, and realms by the thousand whose keys can be opened.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { Pool } from "undici";
import { fillRealms } from "./directory-data.mjs";
import { Browser } from "./seed.mjs";

const REALM = "bench";
const PASSWORD = "bench-User-password-1";
const REDIRECT = "https://app.example/cb";

/**
 * Creates a realm with machines, a web application and a user of it.
 * @param {string} origin @param {{ chains: number, realm?: string }} options the number of refresh tokens
 */
export async function seedTokens(origin, { chains, realm = REALM }) {
  const pool = new Pool(origin, { connections: 4 });
  try {
    const master = new Browser(pool);
    await master.signIn("master", "admin");
    await master.send("POST", "/admin/realms", 201, { json: { realm, adminPassword: PASSWORD } });
    const at = `/admin/realms/${realm}`;
    const { userId } = await master.send("POST", `${at}/users`, 201, {
      json: { username: "ada", email: "ada@example.com", attributes: { firstName: "Ada", lastName: "Bench" } },
    });
    await master.send("PUT", `${at}/users/${userId}/password`, 204, { json: { newPassword: PASSWORD } });
    const client = async (/** @type {string} */ clientId, /** @type {object} */ more) =>
      /** @type {string} */ ((await master.send("POST", `${at}/clients`, 201, { json: { clientId, ...more } })).secret);
    const machineSecret = await client("machine", { grantTypes: ["client_credentials"] });
    const ecSecret = await client("machine-es256", { grantTypes: ["client_credentials"], accessTokenAlg: "ES256" });
    const webSecret = await client("web", {
      grantTypes: ["authorization_code", "refresh_token"],
      redirectUris: [REDIRECT],
      firstParty: true,
      accessTokenLifetime: 3600,
      // On a busy machine it takes a while to make the codes of a slice.
      codeLifetime: 600,
    });
    const visitor = new Browser(pool);
    await visitor.signIn(realm, "ada", PASSWORD);
    const { cookie } = visitor.jar;
    const secretOf = { machine: machineSecret, "machine-es256": ecSecret, web: webSecret };
    /** @type {{ access_token: string, refresh_token: string }[]} */
    const tokens = [];
    while (tokens.length < chains) tokens.push(await exchangeCode(pool, { realm, cookie, secret: webSecret }));
    return {
      origin,
      realm,
      cookie,
      secretOf,
      accessTokens: tokens.map((each) => each.access_token),
      refreshTokens: tokens.map((each) => each.refresh_token),
    };
  } finally {
    await pool.close();
  }
}

/** @param {Pool} pool @param {{ realm: string, cookie: string, secret: string }} at */
async function exchangeCode(pool, { realm, cookie, secret }) {
  const query = new URLSearchParams({
    client_id: "web",
    redirect_uri: REDIRECT,
    response_type: "code",
    scope: "openid profile email",
    state: "s",
  });
  const requested = await pool.request({ method: "GET", path: `/realms/${realm}/authorize?${query}`, headers: { cookie } });
  await requested.body.dump();
  const code = new URL(String(requested.headers.location), "http://localhost").searchParams.get("code");
  if (!code) throw new Error(`authorize answered ${requested.statusCode} to ${requested.headers.location}`);
  const answer = await pool.request({
    method: "POST",
    path: `/realms/${realm}/token`,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      authorization: `Basic ${Buffer.from(`web:${secret}`).toString("base64")}`,
    },
    body: new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri: REDIRECT }).toString(),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`token answered ${answer.statusCode}: ${text}`);
  return JSON.parse(text);
}

/** Seals and opens like the server: AES-256-GCM, bound to its place. @param {string} masterKey */
function sealer(masterKey) {
  const key = Buffer.from(masterKey, "base64");
  const id = createHash("sha256").update("gatehouse master key").update(key).digest("hex").slice(0, 8);
  const aad = (/** @type {string[]} */ place) => Buffer.from(place.join("\u0000"));
  return {
    open: (/** @type {string} */ sealed, /** @type {string[]} */ place) => {
      const [, , nonce = "", data = ""] = sealed.split(".");
      const bytes = Buffer.from(data, "base64url");
      const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64url")).setAAD(aad(place));
      decipher.setAuthTag(bytes.subarray(-16));
      return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString("utf8");
    },
    seal: (/** @type {string} */ plain, /** @type {string[]} */ place) => {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(aad(place));
      const data = Buffer.concat([cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `v1.${id}.${nonce.toString("base64url")}.${data.toString("base64url")}`;
    },
  };
}

const SEALED = [
  { table: "realm_keys", column: "private_key", row: "key_id" },
  { table: "realm_key_companions", column: "private_key", row: "key_id" },
  { table: "clients", column: "secret", row: "id" },
];

/**
 * Copies the realm, and seals the secrets of the first `open` copies so that the server can open them there.
 * @param {import("pg").Client} client
 * @param {{ count: number, open: number, masterKey: string, progress: (text: string) => void }} options
 * @returns {Promise<string[]>} the names of these copies
 */
export async function copyRealms(client, { count, open, masterKey, progress }) {
  await fillRealms(client, { like: REALM, count, progress });
  const { seal, open: unseal } = sealer(masterKey);
  const names = Array.from({ length: Math.min(open, count) }, (_, n) => `bench-r${n + 1}`);
  for (const { table, column, row } of SEALED) {
    const { rows } = await client.query(
      `select ${row}::text as row, ${column} as sealed from ${table} where realm_id = $1 and ${column} is not null`,
      [REALM],
    );
    for (const { row: id, sealed } of rows) {
      const plain = unseal(sealed, [REALM, table, column, id]);
      const resealed = names.map((realm) => ({ realm, sealed: seal(plain, [realm, table, column, id]) }));
      await client.query(
        `update ${table} t set ${column} = s.sealed from json_to_recordset($1::json) as s (realm text, sealed text) where t.realm_id = s.realm and t.${row} = $2`,
        [JSON.stringify(resealed), id],
      );
    }
  }
  await client.query("vacuum analyze");
  return names;
}
