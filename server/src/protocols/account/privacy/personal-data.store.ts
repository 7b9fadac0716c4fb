import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../platform/db/index.ts";
import type { PersonalData } from "./personal-data.schema.ts";

/** The limit of rows, more than any user has. Without it an attacker could make the list endless. */
const MANY = sql.lit(10_000);

type Credential = PersonalData["credentials"][number];
type Kept = Pick<
  PersonalData,
  | "credentials"
  | "samlNameIds"
  | "provisioned"
  | "knownBrowsers"
  | "acceptedTerms"
  | "transactions"
  | "ownedResources"
  | "sharedResources"
  | "ownedAgents"
> &
  Pick<PersonalData["realmMemberships"][number], "groups">;

/** Reads the rows of one user in the tables of many features. They are read here, so that the exported columns are in one place. */
export async function readKept(db: Db, realm: string, userId: string, now: number): Promise<Kept> {
  const rows = async <Row>(query: RawBuilder<Row>): Promise<Row[]> => (await query.execute(db)).rows;
  const mine = sql`realm_id = ${realm} and user_id = ${userId}`;
  return {
    groups: await rows(sql<Kept["groups"][number]>`
      select m.group_id as "groupId", g.name, m.joined_at as "joinedAt"
      from group_members m join groups g on g.realm_id = m.realm_id and g.group_id = m.group_id
      where m.realm_id = ${realm} and m.user_id = ${userId} order by g.name_key, m.group_id limit ${MANY}`),
    credentials: [
      ...(await rows(sql<Credential>`
        select type, created_at as "createdAt", last_used_at as "lastUsedAt"
        from credentials where ${mine} order by created_at, credential_id limit ${MANY}`)),
      ...(await rows(sql<Credential>`
        select 'push-device' as type, created_at as "createdAt", last_used_at as "lastUsedAt", device_name as "deviceName"
        from push_tokens where ${mine} order by push_token_id limit ${MANY}`)),
      ...(await rows(sql<Credential>`
        select 'session' as type, created_at as "createdAt", last_seen_at as "lastUsedAt", source_ip as "sourceIp", user_agent as "userAgent"
        from sessions where ${mine} and expires_at > ${now} and impersonator is null order by session_id limit ${MANY}`)),
    ],
    samlNameIds: await rows(sql<Kept["samlNameIds"][number]>`
      select entity_id as "entityId", name_id as "nameId", created_at as "createdAt"
      from saml_name_ids where ${mine} order by entity_id limit ${MANY}`),
    provisioned: {
      externalIds: await rows(sql<Kept["provisioned"]["externalIds"][number]>`
        select connection, external_id as "externalId" from scim_user_ids where ${mine}
        union all select connection, external_id from scim_organization_user_ids where ${mine} order by connection limit ${MANY}`),
      attributes: (await rows(sql<{ profile: Record<string, unknown> }>`select profile from scim_users where ${mine}`)).map(
        ({ profile }) => profile,
      ),
      targets: await rows(sql<Kept["provisioned"]["targets"][number]>`
        select t.name as target, o.remote_id as "remoteId", o.sent_at as "sentAt"
        from scim_objects o join scim_targets t on t.realm_id = o.realm_id and t.target_id = o.target_id
        where o.realm_id = ${realm} and o.local_id = ${userId} and o.kind = 'user' order by t.name_key limit ${MANY}`),
    },
    knownBrowsers: await rows(sql<Kept["knownBrowsers"][number]>`
      select user_agent as "userAgent", created_at as "createdAt", last_seen_at as "lastSeenAt", nullif(trusted_until, 0) as "trustedUntil"
      from known_devices where ${mine} and expires_at > ${now} order by created_at, device_id limit ${MANY}`),
    acceptedTerms: await rows(sql<Kept["acceptedTerms"][number]>`
      select version, accepted_at as "acceptedAt" from terms_acceptances where ${mine} order by accepted_at, version limit ${MANY}`),
    transactions: await rows(sql<Kept["transactions"][number]>`
      select transaction_id as id, client_id as "clientId", type, summary, created_at as "createdAt", signed_at as "signedAt",
        case when status in ('PENDING', 'SIGNED') and expires_at <= ${now} then 'EXPIRED' else status end as status
      from transactions where ${mine} order by created_at, transaction_id limit ${MANY}`),
    ownedResources: await rows(sql<Kept["ownedResources"][number]>`
      select c.client_id as "clientId", r.resource_id as "resourceId", r.name, r.created_at as "createdAt",
        (select count(distinct s.user_id)::int from authz_shares s
          where s.realm_id = r.realm_id and s.client_id = r.client_id and s.resource_id = r.resource_id and s.status = 'GRANTED') as shares
      from authz_resources r join clients c on c.realm_id = r.realm_id and c.id = r.client_id
      where r.realm_id = ${realm} and r.owner_id = ${userId} order by r.resource_id limit ${MANY}`),
    ownedAgents: await rows(sql<Kept["ownedAgents"][number]>`
      select id, name, description, status, created_at as "createdAt", last_reviewed_at as "lastReviewedAt"
      from agents where realm_id = ${realm} and owner_user_id = ${userId} order by id limit ${MANY}`),
    sharedResources: await rows(sql<Kept["sharedResources"][number]>`
      select c.client_id as "clientId", s.resource_id as "resourceId", s.scope, s.status, s.created_at as "createdAt"
      from authz_shares s join clients c on c.realm_id = s.realm_id and c.id = s.client_id
      where s.realm_id = ${realm} and s.user_id = ${userId} order by s.created_at, s.resource_id, s.scope limit ${MANY}`),
  };
}
