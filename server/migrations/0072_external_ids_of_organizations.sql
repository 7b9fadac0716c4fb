-- The externalIds that tokens of an organization keep are the organization's own, under whatever name of a connection. They end with the membership,
-- or with the group.
create table scim_organization_user_ids (
  realm_id        text collate "C" not null,
  organization_id uuid not null,
  connection      text collate "C" not null,
  user_id         uuid not null,
  external_id     text collate "C" not null,
  constraint scim_organization_user_ids_pkey primary key (realm_id, organization_id, connection, user_id),
  constraint scim_organization_user_ids_member foreign key (realm_id, organization_id, user_id) references organization_members on delete cascade
);
create unique index scim_organization_user_ids_taken on scim_organization_user_ids (realm_id, organization_id, connection, external_id);
create index scim_organization_user_ids_by_member on scim_organization_user_ids (realm_id, user_id, organization_id);

create table scim_organization_group_ids (
  realm_id        text collate "C" not null,
  organization_id uuid not null,
  connection      text collate "C" not null,
  group_id        uuid not null,
  external_id     text collate "C" not null,
  constraint scim_organization_group_ids_pkey primary key (realm_id, organization_id, connection, group_id),
  constraint scim_organization_group_ids_group foreign key (realm_id, organization_id, group_id) references scim_organization_groups on delete cascade
);
create unique index scim_organization_group_ids_taken on scim_organization_group_ids (realm_id, organization_id, connection, external_id);
create index scim_organization_group_ids_by_group on scim_organization_group_ids (realm_id, group_id, organization_id);

-- The rows are copied: the previous release reads them where they are. This release does so for the realm alone.
-- A connection of one organization alone is its own. Where owners share one, an organization has the ids of the accounts that it manages, and of
-- members whom none of the owners manages if the realm has no token of it. Without a token, the organization that manages the account has them.
insert into scim_organization_user_ids (realm_id, organization_id, connection, user_id, external_id)
  select x.realm_id, m.organization_id, x.connection, x.user_id, x.external_id
  from scim_user_ids x
  join organization_members m on m.realm_id = x.realm_id and m.user_id = x.user_id
  cross join lateral (
    select coalesce(bool_or(t.organization_id = m.organization_id), false) as is_its,
      coalesce(bool_or(t.organization_id is distinct from m.organization_id), false) as is_shared,
      coalesce(bool_or(t.organization_id is null), false) as is_realms,
      count(*) = 0 as is_unused
    from scim_tokens t where t.realm_id = x.realm_id and t.connection = x.connection
  ) c
  where case
    when m.managed then c.is_its or c.is_unused
    when c.is_shared then c.is_its and not c.is_realms and not exists (select 1 from organization_members o
      join scim_tokens t on t.realm_id = o.realm_id and t.organization_id = o.organization_id and t.connection = x.connection
      where o.realm_id = x.realm_id and o.user_id = x.user_id and o.managed)
    else c.is_its
  end;

insert into scim_organization_group_ids (realm_id, organization_id, connection, group_id, external_id)
  select x.realm_id, o.organization_id, x.connection, x.group_id, x.external_id
  from scim_group_ids x join scim_organization_groups o on o.realm_id = x.realm_id and o.group_id = x.group_id;
