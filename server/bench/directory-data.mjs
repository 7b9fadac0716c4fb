// Writes users and realms by the million, without the server. Names are spread over the alphabet, as real names are.
import { fillEvents } from "./events-data.mjs";

/** Returns the name of the n-th of the initial users. @param {number} n */
export const usernameOf = (n) => `person-${((BigInt(n) * 2654435761n) % 4294967296n).toString(16).padStart(8, "0")}`;
const USERNAME = "'person-' || lpad(to_hex(n * 2654435761 % 4294967296), 8, '0')";
const USER_ID = "('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid";
/** @param {number} n */
export const userIdOf = (n) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;

/** A hash of no user's password, in the form of the server. */
export const HASH = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g";

/**
 * @param {import("pg").Client} client
 * @param {{ realm: string, users: number, events?: number, progress: (text: string) => void }} options
 */
export async function fillUsers(client, { realm, users, events = users, progress }) {
  progress(`writing ${users.toLocaleString("en")} users`);
  // The references are correct by construction. To check every one of them would take most of the time.
  await client.query("set session_replication_role = replica");
  const rebuild = await dropIndexes(client, ["users", "login_names", "credentials", "user_roles"]);
  const from = `from generate_series(1::bigint, ${users}) n`;
  await client.query(`
    insert into users (realm_id, user_id, username, username_key, email, email_key, email_verified, attributes, created_at)
    select '${realm}', ${USER_ID}, ${USERNAME}, ${USERNAME}, ${USERNAME} || '@example.com', ${USERNAME} || '@example.com', true,
      jsonb_build_object('firstName', 'Ada', 'lastName', 'Bench ' || n), 1600000000000 + n ${from}`);
  await client.query(`insert into login_names (realm_id, key, user_id) select '${realm}', ${USERNAME}, ${USER_ID} ${from}`);
  await client.query(
    `insert into login_names (realm_id, key, user_id) select '${realm}', ${USERNAME} || '@example.com', ${USER_ID} ${from}`,
  );
  await client.query(`
    insert into credentials (realm_id, user_id, credential_id, type, secret, created_at)
    select '${realm}', ${USER_ID}, ${USER_ID}, 'password', '${HASH}', 1600000000000 ${from}`);
  await client.query(`
    insert into user_roles (realm_id, user_id, role_id)
    select '${realm}', ${USER_ID}, (select role_id from roles where realm_id = '${realm}' and is_default) ${from}`);
  progress("building their indexes");
  await rebuild();
  await client.query("set session_replication_role = origin");
  if (events > 0) await fillEvents(client, { total: events, realm, progress });
}

/**
 * Drops indexes. Unordered names reach every page of an index, so at a million rows it is much faster to build it afterwards. Indexes of
 * constraints stay.
 * @param {import("pg").Client} client
 * @param {string[]} tables
 * @returns {Promise<() => Promise<void>>} a function that builds them again
 */
async function dropIndexes(client, tables) {
  const { rows } = await client.query(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i
    where i.indrelid = any ($1::regclass[]) and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
    [tables],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return async () => {
    await client.query("set maintenance_work_mem = '256MB'");
    for (const { definition } of rows) await client.query(definition);
  };
}

/**
 * Writes realms as the server makes them, except for their keys: a key for each would take most of an hour, so they share one.
 * @param {import("pg").Client} client
 * @param {{ like: string, count: number, progress: (text: string) => void }} options
 */
export async function fillRealms(client, { like, count, progress }) {
  progress(`writing ${count.toLocaleString("en")} realms`);
  await client.query("set session_replication_role = replica");
  const { rows: tables } = await client.query(`
    select c.table_name, array_agg(quote_ident(c.column_name) order by c.ordinal_position) filter (where c.column_name <> 'realm_id' and c.is_identity = 'NO') as columns
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.table_name <> 'audit_events'
    group by c.table_name having bool_or(c.column_name = 'realm_id')`);
  for (const { table_name, columns } of tables) {
    const copied = columns.map((/** @type {string} */ column) => `, ${column}`).join("");
    // This includes every table in which a realm has rows, also later ones. Tables that realms share (jobs) are left out by their key.
    await client.query(`
      insert into ${table_name} (realm_id${copied}) select 'bench-r' || n${copied}
      from ${table_name}, generate_series(1, ${count}) n where realm_id = '${like}' on conflict do nothing`);
  }
  await client.query("set session_replication_role = origin");
}
