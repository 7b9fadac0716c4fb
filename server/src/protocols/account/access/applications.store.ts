import { sql } from "kysely";
import type { Db } from "../../../platform/db/index.ts";
import type { AccountApplication } from "./applications.schema.ts";

/** More than any user has. */
const MANY = sql.lit(1_000);

/** Grants that are alive. Those that an administrator made while playing the user are not the user's. */
const grantsOf = (realm: string, userId: string, now: number) => sql`
  select g.grant_id, g.client_id, g.session_id, g.payload, g.created_at
  from oidc_grants g left join sessions s on s.realm_id = g.realm_id and s.session_id = g.session_id
  where g.realm_id = ${realm} and g.user_id = ${userId} and g.expires_at > ${now}
    and (g.session_id is null or (s.expires_at > ${now} and s.impersonator is null))`;

/** The applications that have something from a user: a consent, or a grant that is alive; last used first. */
export async function listApplications(db: Db, realm: string, userId: string, now: number): Promise<AccountApplication[]> {
  const { rows } = await sql<AccountApplication>`
    with grants as (${grantsOf(realm, userId, now)}), used as (
      select g.client_id,
        bool_or(g.session_id is null) as offline,
        max(greatest(g.created_at, (select max((r.payload ->> 'iat')::bigint) * 1000 from oidc_records r
          where r.realm_id = ${realm} and r.grant_id = g.grant_id))) as last_used,
        string_agg(g.payload -> 'openid' ->> 'scope', ' ') as scopes
      from grants g group by g.client_id
    )
    select c.client_id as "clientId", c.name, c.settings ->> 'clientUri' as "clientUri", c.settings ->> 'logoUri' as "logoUri",
      coalesce((c.settings -> 'firstParty')::boolean, false) as "firstParty",
      array(select distinct scope from (
        select jsonb_array_elements_text(k.scopes) as scope
        union all select regexp_split_to_table(u.scopes, ' +')) all_scopes where scope <> '' order by scope) as scopes,
      k.granted_at as "consentedAt", u.client_id is not null as active, coalesce(u.offline, false) as offline, u.last_used as "lastUsedAt"
    from clients c
    left join used u on u.client_id = c.client_id
    left join consents k on k.realm_id = c.realm_id and k.user_id = ${userId} and k.client_id = c.client_id
    where c.realm_id = ${realm} and c.client_id in (select client_id from used union
      select client_id from consents where realm_id = ${realm} and user_id = ${userId})
    order by greatest(u.last_used, k.updated_at) desc nulls last, c.client_id limit ${MANY}`.execute(db);
  return rows;
}
