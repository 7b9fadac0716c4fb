// Compares an import of users with ready hashes with multi-row INSERTs of the same rows, a part of each in turn.
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import pg from "pg";
import { HASH } from "./directory-data.mjs";
import { median } from "./rounds.mjs";

export const MIN_SHARE = 0.6;
const ROWS = 10_000;
const ROWS_OF_A_STATEMENT = 500;

/** @typedef {{ rows: number, bare: number, imported: number, share: number }} ImportFigures rows per second, and the ratio of both */

/**
 * @param {{ place: { databaseUrl: string, pool: import("undici").Pool, signIn: (realm: string) => Promise<import("./seed.mjs").Jar> },
 *   rounds: number, progress: (text: string) => void }} options
 * @returns {Promise<ImportFigures>}
 */
export async function measureImport({ place, rounds, progress }) {
  const jar = await place.signIn("bench-import");
  const client = new pg.Client({ connectionString: place.databaseUrl });
  await client.connect();
  const { rows: roles } = await client.query("select role_id from roles where realm_id = 'bench-bare' and is_default");
  const samples = [];
  for (let round = 0; round <= rounds; round++) {
    progress(round === 0 ? "import, warming up" : `import, round ${round} of ${rounds}`);
    const people = Array.from({ length: ROWS }, (_, n) => person(round, n));
    const bare = await seconds(() => insertBare(client, people, roles[0].role_id));
    const imported = await seconds(() => send(place.pool, jar, people));
    if (round > 0) samples.push({ bare: ROWS / bare, imported: ROWS / imported });
  }
  await client.end();
  return {
    rows: ROWS,
    bare: median(samples.map(({ bare }) => bare)),
    imported: median(samples.map(({ imported }) => imported)),
    share: median(samples.map(({ bare, imported }) => imported / bare)),
  };
}

/** @param {number} round @param {number} n */
const person = (round, n) => ({
  username: `import-${round}-${n}`,
  email: `import-${round}-${n}@example.com`,
  emailVerified: true,
  attributes: { firstName: "Ada", lastName: `Bench ${n}`, department: "R&D" },
  passwordHash: HASH,
});

/** @param {() => Promise<void>} work */
async function seconds(work) {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

/** @param {import("undici").Pool} pool @param {import("./seed.mjs").Jar} jar @param {ReturnType<typeof person>[]} people */
async function send(pool, { cookie, csrf }, people) {
  const lines = function* () {
    for (let n = 0; n < people.length; n += 200)
      yield people
        .slice(n, n + 200)
        .map((one) => `${JSON.stringify(one)}\n`)
        .join("");
  };
  const answer = await pool.request({
    method: "POST",
    path: "/admin/realms/bench-import/users/import",
    headers: { cookie, "x-xsrf-token": csrf, "content-type": "application/x-ndjson" },
    body: Readable.from(lines()),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200 || JSON.parse(text).created !== people.length)
    throw new Error(`the import answered ${answer.statusCode}: ${text.slice(0, 500)}`);
}

/** Writes the rows of an import by the shortest way in SQL. @param {pg.Client} client @param {ReturnType<typeof person>[]} people @param {string} role */
async function insertBare(client, people, role) {
  const now = Date.now();
  for (let n = 0; n < people.length; n += ROWS_OF_A_STATEMENT) {
    const some = people.slice(n, n + ROWS_OF_A_STATEMENT).map((one) => ({ ...one, id: randomUUID() }));
    const realm = "bench-bare";
    await client.query("begin");
    await insert(
      client,
      "users (realm_id, user_id, username, username_key, email, email_key, email_verified, attributes, created_at)",
      some.map((one) => [realm, one.id, one.username, one.username, one.email, one.email, true, JSON.stringify(one.attributes), now]),
    );
    await insert(
      client,
      "login_names (realm_id, key, user_id)",
      some.flatMap((one) => [one.username, one.email].map((key) => [realm, key, one.id])),
    );
    await insert(
      client,
      "credentials (realm_id, user_id, credential_id, type, secret, created_at)",
      some.map((one) => [realm, one.id, randomUUID(), "password", one.passwordHash, now]),
    );
    await insert(
      client,
      "user_roles (realm_id, user_id, role_id)",
      some.map((one) => [realm, one.id, role]),
    );
    await client.query("commit");
  }
}

/** @param {pg.Client} client @param {string} into @param {unknown[][]} rows */
async function insert(client, into, rows) {
  let at = 0;
  const values = rows.map((row) => `(${row.map(() => `$${++at}`).join(",")})`).join(",");
  await client.query({ name: `${into.split(" ")[0]}-${rows.length}`, text: `insert into ${into} values ${values}`, values: rows.flat() });
}
