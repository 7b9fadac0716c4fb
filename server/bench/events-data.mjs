// Writes audit events by the million, without the server: one large realm and many small ones, over the last two years, newest last.

/** An actor with this many events in two years is no person, but a synchronisation or a deployment. */
export const BUSY_ACTOR = { name: "sync-service", id: "00000000-0000-7000-8000-00000000b05e" };
/** Returns the number of users: an audit trail grows with time and with users, by five hundred events each. @param {number} total */
const usersOf = (total) => Math.max(200, Math.min(20_000, Math.round(total / 500)));
const SMALL_REALMS = 49;
const YEAR_MS = 365 * 24 * 3600 * 1000;

/** Returns the id of the n-th user, which is the same in Postgres. @param {number} n */
export const userId = (n) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;

/**
 * The events, with their frequency in ten thousand. `of` is the object of the event.
 * @type {readonly { type: string, category: string, share: number, outcome?: string, of?: string, detail?: string }[]}
 */
const mix = [
  { type: "LOGIN_SUCCESS", category: "AUTHN", share: 6_000 },
  { type: "LOGIN_FAILURE", category: "AUTHN", share: 900, outcome: "FAILURE" },
  { type: "LOGOUT", category: "AUTHN", share: 1_500 },
  { type: "ADMIN_UPDATE", category: "ADMIN", share: 700, of: "users", detail: "roles +readers" },
  { type: "ADMIN_CREATE", category: "ADMIN", share: 300, of: "users" },
  { type: "ADMIN_DELETE", category: "ADMIN", share: 100, of: "roles" },
  { type: "ADMIN_ACTION", category: "ADMIN", share: 98, of: "clients", detail: "rotate" },
  { type: "ADMIN_DENIED", category: "ADMIN", share: 100, outcome: "FAILURE", of: "users", detail: "POST admin.forbidden" },
  { type: "PASSWORD_RESET", category: "SECURITY", share: 200, of: "users" },
  { type: "SESSION_REVOKED", category: "SECURITY", share: 100, of: "users" },
  { type: "KEY_ROTATED", category: "SECURITY", share: 2, of: "keys" },
];

/**
 * Writes the events. Indexes are created again at the end, which is many times as fast as to update them row by row.
 * @param {import("pg").Client} client
 * @param {{ total: number, realm: string, progress: (text: string) => void }} options `realm` gets six of ten events
 */
export async function fillEvents(client, { total, realm, progress }) {
  const { rows: indexes } = await client.query(
    "select indexname, indexdef from pg_indexes where tablename = 'audit_events' and indexname <> 'audit_events_pkey'",
  );
  const { rows: keys } = await client.query(
    "select pg_get_constraintdef(oid) as definition from pg_constraint where conname = 'audit_events_pkey'",
  );
  for (const { indexname } of indexes) await client.query(`drop index ${indexname}`);
  await client.query("alter table audit_events drop constraint audit_events_pkey");
  await client.query("set maintenance_work_mem = '512MB'");

  const users = usersOf(total);
  let below = 0;
  const cases = mix.map((kind) => {
    below += kind.share;
    return { ...kind, below };
  });
  const pick = (/** @type {(kind: typeof cases[number]) => string | undefined} */ value) =>
    `case ${cases.map((kind) => `when dice < ${kind.below} then ${literal(value(kind))}`).join(" ")} end`;
  progress(`writing ${total.toLocaleString("en")} events`);
  await client.query("begin");
  await client.query(`
    insert into audit_events (realm_id, event_id, ts, category, type, actor, actor_id, source_ip, resource_type, resource_id, outcome, detail)
    select
      case when n % 10 < 6 then ${literal(realm)} else 'bench-small-' || (n * 7919 % ${SMALL_REALMS}) end,
      (lpad(to_hex(ts), 12, '0') || '7' || lpad(to_hex(n & 4095), 3, '0') || '8' || lpad(to_hex(n), 15, '0'))::uuid,
      ts, ${pick((kind) => kind.category)}, ${pick((kind) => kind.type)},
      case when busy then '${BUSY_ACTOR.name}' else 'user-' || person end,
      case when busy then '${BUSY_ACTOR.id}' else '00000000-0000-7000-8000-' || lpad(to_hex(person), 12, '0') end,
      '192.0.2.' || (n % 250),
      ${pick((kind) => kind.of)},
      case when ${pick((kind) => kind.of)} is null then null else '00000000-0000-7000-8000-' || lpad(to_hex(person * 31 % ${users}), 12, '0') end,
      ${pick((kind) => kind.outcome ?? "SUCCESS")}, ${pick((kind) => kind.detail)}
    from (
      select n, floor(random() * 10000)::int as dice, floor(random() * ${users})::int as person, random() < 0.05 as busy,
        (extract(epoch from now()) * 1000)::bigint - ${2 * YEAR_MS} + (n * ${2 * YEAR_MS}::bigint / ${total}) as ts
      from generate_series(1::bigint, ${total}) n
    ) events`);
  // These events are not to be forwarded: readers that send events begin after them.
  await client.query("update event_cursors set xid = pg_current_xact_id(), event_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff'");
  await client.query("commit");
  progress("making the indexes");
  await client.query(`alter table audit_events add constraint audit_events_pkey ${keys[0].definition}`);
  for (const { indexdef } of indexes) await client.query(indexdef);
  // A database in use has been vacuumed. One that was filled a second ago has not.
  await client.query("vacuum analyze audit_events");
}

/** @param {string | undefined} text */
const literal = (text) => (text === undefined ? "null::text" : `'${text}'`);
