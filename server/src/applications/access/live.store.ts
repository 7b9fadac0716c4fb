import { type RawBuilder, sql } from "kysely";
import { SECOND } from "../../kernel/clock.ts";
import { batched, type Db, prepared } from "../../platform/db/index.ts";

type Operand = string | RawBuilder<unknown>;

/** The SQL condition that agent `a` may act: it is active, and has not expired. */
export const acts = (now: number) => sql`(a.status = 'ACTIVE' and (a.expires_at is null or a.expires_at > ${now}))`;

/**
 * Selects the row `c` of a client whose tokens count: it is enabled, and its agent `a` is active, if it has one. A caller that joins it
 * laterally adds `limit 1`; others may add conditions.
 */
export const liveClient = (realm: Operand, clientId: Operand, now: number): RawBuilder<unknown> =>
  sql`select c.id from clients c left join lateral (
      select a.id, a.status, a.expires_at from agents a where a.realm_id = c.realm_id and a.client_id = c.id limit 1) a on true
    where c.realm_id = ${realm} and c.client_id = ${clientId} and c.enabled and (a.id is null or ${acts(now)})`;

/** The SQL condition that the client of row `c` is live, as in `liveClient`, for a statement that lists clients. */
export const isLive = (now: number): RawBuilder<boolean> => sql<boolean>`(c.enabled and not exists (
  select 1 from agents a where a.realm_id = c.realm_id and a.client_id = c.id and not ${acts(now)}))`;

/**
 * A condition to add to `liveClient`: a token names the agent that its client has. Tokens from before the client was bound to an agent do
 * not count afterwards, because nothing in them identifies the agent.
 */
export const isOfAgent = (agentId: string | null): RawBuilder<unknown> => sql`a.id is not distinct from ${agentId}::uuid`;

/** A condition to add to `liveClient`, for a token without a grant: it was issued to this client, not before the client was disabled. */
export const isOfEpoch = (since: number, until: number): RawBuilder<unknown> =>
  sql`c.token_epoch between ${since}::bigint and ${until}::bigint`;

interface Asked {
  readonly realm: string;
  readonly agentId: string;
  readonly now: number;
}

const active = prepared(
  ({ realms, ids, now }: { readonly realms: readonly string[]; readonly ids: readonly string[]; readonly now: number }) =>
    sql<{ n: number }>`
    select asked.n::int as n from unnest(${realms}::text[], ${ids}::uuid[]) with ordinality as asked (realm_id, id, n)
    join agents a on a.realm_id = asked.realm_id and a.id = asked.id and ${acts(now)}`,
);

const activeBatch = batched<Asked, boolean>(async (db, asked) => {
  const rows = await active(db, {
    realms: asked.map(({ realm }) => realm),
    ids: asked.map(({ agentId }) => agentId),
    now: Math.max(...asked.map(({ now }) => now)),
  });
  const answers: boolean[] = [];
  for (const { n } of rows) answers[n - 1] = true;
  return answers;
});

/** Tells whether an agent may act. It is read at this moment, because a snapshot may be a second old. */
export const isAgentActive = async (db: Db, realm: string, agentId: string, now: number): Promise<boolean> =>
  (await activeBatch(db, { realm, agentId, now })) ?? false;

/** One party of an `act` claim. */
export interface ActingAgent {
  readonly agentId: string;
  /** The OAuth client id of its client. */
  readonly clientId: string;
  /** True if the user must have consented to it, because it acts under a grant of another client. */
  readonly needsConsent: boolean;
}

/** A token and its user. */
interface TokenOfUser {
  readonly userId: string;
  /** The `iat` of the token, in seconds. */
  readonly issuedAt: number;
}

/** Tells whether every agent of a chain of actors may act, with its client enabled, and has the user's consent if it needs one. */
export async function mayAllAct(db: Db, realm: string, token: TokenOfUser, agents: readonly ActingAgent[], now: number): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
    from json_to_recordset(${JSON.stringify(agents)}::text::json) as t ("agentId" uuid, "clientId" text, "needsConsent" boolean)
    join agents a on a.realm_id = ${realm} and a.id = t."agentId" and ${acts(now)}
    join clients c on c.realm_id = a.realm_id and c.id = a.client_id and c.client_id = t."clientId" and c.enabled
    where not t."needsConsent" or ${consented(realm, token, sql`c.client_id`)}`.execute(db);
  return rows[0]?.count === agents.length;
}

/**
 * The SQL condition that the user had consented to the client, at the realm itself or at an API, when the token was issued, and has not
 * withdrawn it since: a withdrawal deletes every row, and a later consent does not make the token valid again.
 */
const consented = (realm: string, { userId, issuedAt }: TokenOfUser, clientId: Operand) => {
  const ofToken = sql`k.realm_id = ${realm} and k.user_id = ${userId} and k.client_id = ${clientId}
    and k.granted_at < ${(issuedAt + 1) * SECOND}::bigint`;
  return sql<boolean>`(exists (select 1 from consents k where ${ofToken}) or exists (select 1 from resource_consents k where ${ofToken}))`;
};

export async function hasConsented(db: Db, realm: string, token: TokenOfUser, clientId: string): Promise<boolean> {
  const { rows } = await sql<{ consented: boolean }>`select ${consented(realm, token, clientId)} as consented`.execute(db);
  return rows[0]?.consented === true;
}
