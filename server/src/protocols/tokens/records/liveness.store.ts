import { sql } from "kysely";
import { isOfAgent, isOfEpoch, liveClient } from "../../../applications/access/index.ts";
import type { SubjectUser } from "../../../applications/claims/index.ts";
import { type Db, prepared } from "../../../platform/db/index.ts";
import { acrOf } from "../../../signin/sessions/index.ts";
import { type Impersonator, type ImpersonatorColumns, toImpersonator } from "../contents/act.ts";
import { joinUserAndSession, sessionIsAlive, toUser, type UserColumns, userColumns } from "./grants.store.ts";

declare module "../../../platform/db/tables.ts" {
  interface Tables {
    revoked_tokens: { realm_id: string; jti: string; expires_at: number };
  }
}

/** The user, session and impersonator of a live token. */
export interface Holder {
  readonly userId: string;
  readonly username: string;
  /** The row that claims are made from. */
  readonly user: SubjectUser;
  readonly sessionId: string | null;
  /** The client that the user made the grant to. It differs from the token's client if the token was exchanged. */
  readonly grantClientId: string;
  readonly impersonator: Impersonator | null;
  /** The time of the authentication, or null without a session. */
  readonly authTime: number | null;
  readonly acr: string | null;
  readonly amr: readonly string[];
}

interface Asked {
  readonly realm: string;
  readonly jti: string;
  readonly clientId: string;
  /** The agent that the token names, or null if it names none. */
  readonly agentId: string | null;
  /** The first and the last epoch of the client that the token may have. */
  readonly since: number;
  readonly until: number;
  readonly now: number;
}

interface HolderRow extends UserColumns, ImpersonatorColumns {
  grant_client: string;
  session_id: string | null;
  auth_time: number | null;
  acr: string | null;
  amr: string[] | null;
}

const holder = prepared(
  ({ realm, jti, clientId, agentId, since, until, now, grantId }: Asked & { grantId: string }) =>
    sql<HolderRow>`
    select ${userColumns}, g.session_id, g.client_id as grant_client, s.impersonator, s.impersonator_id, s.impersonator_realm, s.auth_time, s.acr, s.amr
    from oidc_grants g ${joinUserAndSession}
    cross join lateral (${liveClient(sql`g.realm_id`, clientId, now)} and ${isOfAgent(agentId)} and (g.client_id = ${clientId} or ${isOfEpoch(since, until)}) limit 1) c
    where g.realm_id = ${realm} and g.grant_id = ${grantId} and g.expires_at > ${now} and ${sessionIsAlive(now)}
      and not exists (select 1 from revoked_tokens r where r.realm_id = g.realm_id and r.jti = ${jti})`,
);

/** Finds the holder in one query over grant, session, user, client and revoked tokens. Returns null if the token is not live. */
export async function findHolder(db: Db, asked: Asked & { readonly grantId: string }): Promise<Holder | null> {
  const [row] = await holder(db, asked);
  if (!row) return null;
  return {
    userId: row.user_id,
    username: row.username,
    user: toUser(row),
    sessionId: row.session_id,
    grantClientId: row.grant_client,
    impersonator: toImpersonator(row),
    authTime: row.auth_time,
    acr: row.session_id === null ? null : acrOf(row),
    amr: row.amr ?? [],
  };
}

const clientToken = prepared(
  ({ realm, jti, clientId, agentId, since, until, now }: Asked) =>
    sql<{ id: string }>`
    ${liveClient(realm, clientId, now)} and ${isOfAgent(agentId)} and ${isOfEpoch(since, until)}
      and not exists (select 1 from revoked_tokens r where r.realm_id = c.realm_id and r.jti = ${jti})`,
);

/** Tells whether a client credentials token is live. */
export async function isClientTokenLive(db: Db, asked: Asked): Promise<boolean> {
  return (await clientToken(db, asked)).length > 0;
}

/** Revokes an access token. The row is kept until the token would expire anyway. */
export async function revokeToken(db: Db, realm: string, jti: string, expiresAt: number): Promise<void> {
  await sql`insert into revoked_tokens (realm_id, jti, expires_at) values (${realm}, ${jti}, ${expiresAt}) on conflict do nothing`.execute(
    db,
  );
}
