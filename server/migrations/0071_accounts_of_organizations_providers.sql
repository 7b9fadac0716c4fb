-- Accounts that came by the organization's own identity provider before the mark was there: it is theirs by the rule of those who came since. Their
-- address lies in a verified domain of the organization, and was proven: it is verified, or the trail says that they joined by a sign-in at the
-- provider. A later membership, or one from which an administrator took the mark, was decided with the mark in sight.
update organization_members m set managed = true
  from organizations o, organization_domains d, identity_providers p, identity_links l, users u
  where not m.managed
    and m.joined_at < (select extract(epoch from s."timestamp"::timestamptz) * 1000 from schema_migrations s where s.name = '0064_accounts_of_organizations')
    and o.realm_id = m.realm_id and o.organization_id = m.organization_id and o.enabled
    and p.realm_id = o.realm_id and p.alias = o.identity_provider
    and l.realm_id = m.realm_id and l.user_id = m.user_id and l.provider_id = p.provider_id
    and u.realm_id = m.realm_id and u.user_id = m.user_id and u.source = p.protocol || ':' || p.alias
    and d.realm_id = o.realm_id and d.organization_id = o.organization_id and d.verified and d.domain = substring(u.email_key from '[^@]+$')
    and (u.email_verified or exists (select 1 from audit_events e where e.realm_id = m.realm_id and e.actor_id = m.user_id::text
      and e.ts = m.joined_at and e.type = 'BROKER_LOGIN' and e.detail = p.alias))
    and not exists (select 1 from audit_events e where e.realm_id = m.realm_id and e.resource_type = 'users' and e.resource_id = m.user_id::text
      and e.type = 'ADMIN_UPDATE' and e.detail like 'organizations +' || o.alias || ' (%, not managed)')
    and not exists (select 1 from organization_members other where other.realm_id = m.realm_id and other.user_id = m.user_id and other.managed);
