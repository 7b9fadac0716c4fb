-- The account is the organization's own: its SCIM tokens change and delete it. It ends with the membership, and one organization has it.
alter table organization_members add column managed boolean not null default false;
create unique index organization_members_managed on organization_members (realm_id, user_id) where managed;

-- Certain of earlier accounts: a SCIM token created the user, and they joined in the same transaction, as only a token of that organization did.
update organization_members m set managed = true from users u
  where u.realm_id = m.realm_id and u.user_id = m.user_id and u.created_at = m.joined_at
    and exists (select 1 from scim_users s where s.realm_id = u.realm_id and s.user_id = u.user_id)
    and exists (select 1 from audit_events e where e.realm_id = u.realm_id and e.resource_type = 'users' and e.resource_id = u.user_id::text
      and e.type = 'ADMIN_CREATE' and e.actor_kind = 'scim-token')
    and not exists (select 1 from organization_members o where o.realm_id = m.realm_id and o.user_id = m.user_id
      and o.joined_at = m.joined_at and o.organization_id <> m.organization_id);
