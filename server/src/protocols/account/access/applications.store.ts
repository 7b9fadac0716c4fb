import { sql } from "kysely";
import { heldBy, isAllowedBy, isLive } from "../../../applications/access/index.ts";
import { likePrefix, loginKey } from "../../../kernel/text.ts";
import type { Db } from "../../../platform/db/index.ts";
import { listOrder, mapPage, type Page, pageOf } from "../../../platform/paging/index.ts";
import { AccountApplication, type AccountApplicationQuery } from "./access.schema.ts";

/** Selects live grants. Grants that an administrator made while impersonating the user are not the user's. */
const grantsOf = (realm: string, userId: string, now: number) => sql`
  select g.grant_id, g.client_id, g.session_id, g.payload, g.created_at
  from oidc_grants g left join sessions s on s.realm_id = g.realm_id and s.session_id = g.session_id
  where g.realm_id = ${realm} and g.user_id = ${userId} and g.expires_at > ${now}
    and (g.session_id is null or (s.expires_at > ${now} and s.impersonator is null))`;

/** Tells whether the application can get tokens of the user now. */
export async function hasGrant(db: Db, realm: string, userId: string, clientId: string, now: number): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select exists (
    select 1 from (${grantsOf(realm, userId, now)}) g where g.client_id = ${clientId}) as found`.execute(db);
  return rows[0]?.found ?? false;
}

const mayUse = isAllowedBy(sql.ref("c.settings"));

/** Selects the user's consents to each client, in the realm and at APIs. */
const consentsOf = (realm: string, userId: string) => sql`
  select client_id, array_agg(scopes) as scopes, array_remove(array_agg(resource order by resource), null) as resources,
    min(granted_at) as granted_at, max(updated_at) as updated_at
  from (
    select client_id, null as resource, scopes, granted_at, updated_at from consents where realm_id = ${realm} and user_id = ${userId}
    union all
    select client_id, resource, scopes, granted_at, updated_at from resource_consents
    where realm_id = ${realm} and user_id = ${userId}) each_one
  group by client_id`;

/** Selects clients with a consent or a live grant of the user, and clients with an address that the user may use. */
const oidcApplications = (realm: string, userId: string, now: number) => sql`
  with held as (${heldBy(realm, userId)}), grants as (${grantsOf(realm, userId, now)}), allowed as (${consentsOf(realm, userId)}), used as (
    select g.client_id,
      bool_or(g.session_id is null) as offline,
      max(greatest(g.created_at, (select max((r.payload ->> 'iat')::bigint) * 1000 from oidc_records r
        where r.realm_id = ${realm} and r.grant_id = g.grant_id))) as last_used,
      string_agg(g.payload -> 'openid' ->> 'scope', ' ') as scopes
    from grants g group by g.client_id
  ), listed as (
    select c.id from clients c where c.realm_id = ${realm} and c.client_id in (select client_id from used union
      select client_id from allowed)
    union
    select c.id from clients c cross join held
      where c.realm_id = ${realm} and c.enabled and c.settings ->> 'clientUri' is not null and ${isLive(now)} and ${mayUse}
  )
  select 'oidc' as protocol, c.client_id as "clientId", c.name, c.settings ->> 'clientUri' as "clientUri", c.settings ->> 'logoUri' as "logoUri",
    case when ${isLive(now)} and ${mayUse} then c.settings ->> 'clientUri' end as link,
    coalesce((c.settings -> 'firstParty')::boolean, false) as "firstParty",
    array(select distinct scope from (
      select jsonb_array_elements_text(each) as scope from unnest(k.scopes) each
      union all select regexp_split_to_table(u.scopes, ' +')) all_scopes where scope <> '' order by scope) as scopes,
    coalesce(k.resources, '{}') as resources,
    k.granted_at as "consentedAt", u.client_id is not null as active, coalesce(u.offline, false) as offline, u.last_used as "lastUsedAt",
    coalesce(greatest(u.last_used, k.updated_at), 0) as used_at, lower(coalesce(c.name, c.client_id)) as name_key
  from listed join clients c on c.realm_id = ${realm} and c.id = listed.id cross join held
  left join used u on u.client_id = c.client_id
  left join allowed k on k.client_id = c.client_id`;

const samlMayUse = isAllowedBy(sql`(c.settings -> 'options')`);

const samlOption = (name: string) => sql`c.settings -> 'options' ->> ${sql.lit(name)}`;

/** Tells whether a SAML application has a link, by the index saml_clients_with_link. The realm's setting decides for those without one. */
const hasLink = (startsHere: boolean) => sql`(${samlOption("clientUri")} is not null or ${samlOption("idpInitiatedSsoEnabled")} = 'true'
  ${startsHere ? sql`or ${samlOption("idpInitiatedSsoEnabled")} is null` : sql``})`;

/** Selects SAML applications that the user may start here or that have a home page, and those that the user has consented to. */
export const samlApplications = (realm: string, userId: string, now: number, startsHere: boolean) => sql`
  with held as (${heldBy(realm, userId)}), used as (
    select p.client_id as entity_id, max(p.joined_at) as joined_at
    from sessions s join session_participants p on p.realm_id = s.realm_id and p.session_id = s.session_id and p.protocol = 'saml'
    where s.realm_id = ${realm} and s.user_id = ${userId} and s.expires_at > ${now} and s.impersonator is null group by p.client_id
  ), allowed as (
    select substr(k.client_id, length(${realm}::text) + 2) as entity_id, k.scopes, k.granted_at, k.updated_at from consents k
    where k.realm_id = ${realm} and k.user_id = ${userId} and starts_with(k.client_id, ${`${realm}|`})
  ), listed as (
    select c.id from saml_clients c where c.realm_id = ${realm} and c.entity_id in (select entity_id from used union select entity_id from allowed)
    union
    select c.id from saml_clients c cross join held where c.realm_id = ${realm} and c.enabled and ${hasLink(startsHere)} and ${samlMayUse}
  )
  select 'saml' as protocol, a.name_of as "clientId", c.name, c.settings -> 'options' ->> 'clientUri' as "clientUri",
    c.settings -> 'options' ->> 'logoUri' as "logoUri",
    case when not a.may_open then null when a.starts_here then ${START} || c.entity_id else c.settings -> 'options' ->> 'clientUri' end as link,
    false as "firstParty", array(select jsonb_array_elements_text(k.scopes) order by 1) as scopes, array[]::text[] as resources,
    k.granted_at as "consentedAt",
    p.joined_at is not null as active, false as offline, p.joined_at as "lastUsedAt",
    coalesce(greatest(p.joined_at, k.updated_at), 0) as used_at, lower(coalesce(c.name, c.entity_id)) as name_key
  from listed join saml_clients c on c.realm_id = ${realm} and c.id = listed.id cross join held
  cross join lateral (select c.realm_id || '|' || c.entity_id as name_of, c.enabled and ${samlMayUse} as may_open,
    coalesce((c.settings -> 'options' ->> 'idpInitiatedSsoEnabled')::boolean, ${startsHere}) as starts_here) a
  left join allowed k on k.entity_id = c.entity_id
  left join used p on p.entity_id = c.entity_id`;

/** The prefix of the entityID of an application that starts here, until it is replaced by a URL. */
const START = "start:";

const columns = Object.keys(AccountApplication.properties);

const order = listOrder("-lastUsedAt", { lastUsedAt: "a.used_at", name: "a.name_key" }, "a.clientId");

/** Tells whether SAML applications without a setting may be started here, and at which address. */
export interface SamlStart {
  readonly isDefault: boolean;
  urlOf(entityId: string): string;
}

export async function listApplications(
  db: Db,
  realm: string,
  userId: string,
  now: number,
  saml: SamlStart,
  { search = "", openable, ...query }: AccountApplicationQuery,
): Promise<Page<AccountApplication>> {
  const prefix = likePrefix(loginKey(search));
  const base = db
    .selectFrom(
      sql`((${oidcApplications(realm, userId, now)}) union all (${samlApplications(realm, userId, now, saml.isDefault)}))`.as<"a">("a"),
    )
    .select(columns.map((name) => sql.ref(`a.${name}`).as(name)))
    .$if(search !== "", (q) => q.where(sql<boolean>`(a.name_key like ${prefix} or lower(a."clientId") like ${prefix})`))
    .$if(openable !== undefined, (q) => q.where(sql<boolean>`(a.link is not null) = ${openable}`));
  // biome-ignore lint/suspicious/noExplicitAny: a query made of several tables is none of them alone
  const page = (await pageOf(db, base as any, order, query)) as unknown as Page<AccountApplication>;
  const linkOf = ({ protocol, link }: AccountApplication) =>
    protocol === "saml" && link?.startsWith(START) ? saml.urlOf(link.slice(START.length)) : link;
  return mapPage(page, (row) => ({ ...row, link: linkOf(row) }));
}
