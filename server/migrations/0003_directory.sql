-- People: what they must do, the passwords they had, groups, composite roles, organizations, consents, imports, impersonation.

alter table users add column required_actions jsonb not null default '[]';
-- The administrator behind an impersonated session, and their own session: it ends with that one, and gives way to it at the end.
alter table sessions add column impersonator_id uuid, add column impersonator_realm text collate "C", add column impersonator_session uuid;
create index sessions_by_impersonator on sessions (impersonator_id) where impersonator_id is not null;

-- What a list of users is filtered by, where few of them match.
create index users_disabled on users (realm_id, username_key, user_id) where not enabled;
create index users_locked on users (realm_id, user_id) where locked;
create index login_attempts_locked on login_attempts (realm_id, kind, locked_until) where locked_until > 0;

create table password_history (
  realm_id   text   collate "C" not null,
  user_id    uuid   not null,
  history_id uuid   not null,
  hash       text   not null, -- as it stood in credentials
  created_at bigint not null,
  constraint password_history_pkey primary key (realm_id, user_id, history_id),
  constraint password_history_user foreign key (realm_id, user_id) references users on delete cascade
);

-- One token among all users of a realm; data holds when it ends.
create unique index credentials_enrollment_token on credentials (realm_id, secret) where type = 'enrollment-token';
create index credentials_enrollment_expiry on credentials (((data ->> 'expiresAt')::bigint)) where type = 'enrollment-token';

create table groups (
  realm_id    text   collate "C" not null,
  group_id    uuid   not null,
  parent_id   uuid,
  name        text   not null,
  name_key    text   collate "C" not null,
  description text,
  created_at  bigint not null,
  version     bigint not null default 1,
  constraint groups_pkey primary key (realm_id, group_id),
  constraint groups_realm foreign key (realm_id) references realms,
  constraint groups_parent foreign key (realm_id, parent_id) references groups on delete cascade
);
create unique index groups_name_taken on groups (realm_id, coalesce(parent_id, '00000000-0000-0000-0000-000000000000'), name_key);
create index groups_by_parent on groups (realm_id, parent_id, name_key, group_id);
create index groups_by_name on groups (realm_id, name_key, group_id);
create index groups_by_age on groups (realm_id, created_at, group_id);

-- The groups above a group, itself not among them; kept by the code that moves groups, under the realm's lock.
create table group_ancestors (
  realm_id    text collate "C" not null,
  group_id    uuid not null,
  ancestor_id uuid not null,
  constraint group_ancestors_pkey primary key (realm_id, group_id, ancestor_id),
  constraint group_ancestors_group foreign key (realm_id, group_id) references groups on delete cascade,
  constraint group_ancestors_ancestor foreign key (realm_id, ancestor_id) references groups on delete cascade
);
create index group_ancestors_by_ancestor on group_ancestors (realm_id, ancestor_id, group_id);

create table group_members (
  realm_id  text   collate "C" not null,
  group_id  uuid   not null,
  user_id   uuid   not null,
  joined_at bigint not null,
  constraint group_members_pkey primary key (realm_id, group_id, user_id),
  constraint group_members_group foreign key (realm_id, group_id) references groups on delete cascade,
  constraint group_members_user foreign key (realm_id, user_id) references users on delete cascade
);
create index group_members_by_user on group_members (realm_id, user_id, group_id);
create index group_members_by_age on group_members (realm_id, group_id, joined_at, user_id);

-- Counting a million members takes a second; a single counter would be a queue for everybody who joins. Sixteen are neither.
create table group_member_counts (
  realm_id text     collate "C" not null,
  group_id uuid     not null,
  shard    smallint not null,
  members  bigint   not null,
  constraint group_member_counts_pkey primary key (realm_id, group_id, shard),
  constraint group_member_counts_group foreign key (realm_id, group_id) references groups on delete cascade
);
--;;
create function count_group_members() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into group_member_counts as c (realm_id, group_id, shard, members)
      select realm_id, group_id, hashtext(user_id::text) & 15, count(*) from changed group by 1, 2, 3 order by 1, 2, 3
      on conflict (realm_id, group_id, shard) do update set members = c.members + excluded.members;
  else
    update group_member_counts c set members = c.members - d.members
      from (select realm_id, group_id, hashtext(user_id::text) & 15 as shard, count(*) as members from changed group by 1, 2, 3 order by 1, 2, 3) d
      where c.realm_id = d.realm_id and c.group_id = d.group_id and c.shard = d.shard;
  end if;
  return null;
end $$;
--;;
create trigger group_members_joined after insert on group_members referencing new table as changed
  for each statement execute function count_group_members();
create trigger group_members_left after delete on group_members referencing old table as changed
  for each statement execute function count_group_members();

create table group_roles (
  realm_id text collate "C" not null,
  group_id uuid not null,
  role_id  uuid not null,
  constraint group_roles_pkey primary key (realm_id, group_id, role_id),
  constraint group_roles_group foreign key (realm_id, group_id) references groups on delete cascade,
  constraint group_roles_role foreign key (realm_id, role_id) references roles on delete cascade
);
create index group_roles_by_role on group_roles (realm_id, role_id, group_id);

create table role_composites (
  realm_id    text collate "C" not null,
  role_id     uuid not null,
  included_id uuid not null,
  constraint role_composites_pkey primary key (realm_id, role_id, included_id),
  constraint role_composites_role foreign key (realm_id, role_id) references roles on delete cascade,
  constraint role_composites_included foreign key (realm_id, included_id) references roles on delete cascade
);
create index role_composites_by_included on role_composites (realm_id, included_id, role_id);

-- Everything that a role includes by whatever way, itself not among it; kept by the code, under the realm's lock.
create table role_closure (
  realm_id    text collate "C" not null,
  role_id     uuid not null,
  included_id uuid not null,
  constraint role_closure_pkey primary key (realm_id, role_id, included_id),
  constraint role_closure_role foreign key (realm_id, role_id) references roles on delete cascade,
  constraint role_closure_included foreign key (realm_id, included_id) references roles on delete cascade
);
create index role_closure_by_included on role_closure (realm_id, included_id, role_id);

-- The roles of a user and where each comes from: 'direct', 'group' (also one above, where the realm says so; `via` is the group),
-- 'composite' (`via` is the role that includes it).
-- Made to be asked for one user, as every request does: it goes from the user to the groups to the roles, and over each of them once.
-- Lateral, because a plain join would let Postgres compare with all groups of the realm where realms are small on average.
create view user_effective_roles as
  select g.realm_id, g.user_id, e.role_id,
    case when e.included then 'composite' else g.origin end as origin, case when e.included then g.role_id else g.group_id end as via
  from (
    select ur.realm_id, ur.user_id, ur.role_id, 'direct' as origin, null::uuid as group_id from user_roles ur
    union all
    select gm.realm_id, gm.user_id, granted.role_id, 'group', granted.group_id
      from group_members gm
      cross join lateral (
        select gr.role_id, gr.group_id from group_roles gr where gr.realm_id = gm.realm_id and gr.group_id = gm.group_id
        union all
        select gr.role_id, gr.group_id
          from group_ancestors ga join group_roles gr on gr.realm_id = ga.realm_id and gr.group_id = ga.ancestor_id
          where ga.realm_id = gm.realm_id and ga.group_id = gm.group_id
            and (select s.settings #> '{groups,inheritRoles}' = 'true' from realm_settings s where s.realm_id = gm.realm_id)
      ) granted
  ) g
  cross join lateral (
    select g.role_id, false as included
    union all
    select c.included_id, true from role_closure c where c.realm_id = g.realm_id and c.role_id = g.role_id
  ) e;

create or replace view user_permissions as
  select distinct e.realm_id, e.user_id, rp.permission
  from user_effective_roles e
  join role_permissions rp on rp.realm_id = e.realm_id and rp.role_id = e.role_id;

create table organizations (
  realm_id          text    collate "C" not null,
  organization_id   uuid    not null,
  name              text    not null,
  name_key          text    collate "C" not null,
  alias             text    collate "C" not null,
  display_name      text,
  display_name_key  text    collate "C", -- folded like a name, for the search
  attributes        jsonb   not null default '{}',
  branding          jsonb   not null default '{}',
  identity_provider text,
  enabled           boolean not null default true,
  created_at        bigint  not null,
  version           bigint  not null default 1,
  constraint organizations_pkey primary key (realm_id, organization_id),
  constraint organizations_realm foreign key (realm_id) references realms
);
create unique index organizations_name_taken on organizations (realm_id, name_key);
create unique index organizations_alias_taken on organizations (realm_id, alias);
create index organizations_by_display_name on organizations (realm_id, display_name_key);
create index organizations_by_age on organizations (realm_id, created_at, organization_id);

create table organization_domains (
  realm_id        text    collate "C" not null,
  domain          text    collate "C" not null,
  organization_id uuid    not null,
  verified        boolean not null default false,
  constraint organization_domains_taken primary key (realm_id, domain),
  constraint organization_domains_organization foreign key (realm_id, organization_id) references organizations on delete cascade
);
create index organization_domains_by_organization on organization_domains (realm_id, organization_id, domain);

create table organization_members (
  realm_id        text   collate "C" not null,
  organization_id uuid   not null,
  user_id         uuid   not null,
  role            text   collate "C" not null,
  joined_at       bigint not null,
  constraint organization_members_pkey primary key (realm_id, organization_id, user_id),
  constraint organization_members_organization foreign key (realm_id, organization_id) references organizations on delete cascade,
  constraint organization_members_user foreign key (realm_id, user_id) references users on delete cascade
);
create index organization_members_by_user on organization_members (realm_id, user_id, organization_id);
create index organization_members_by_age on organization_members (realm_id, organization_id, joined_at, user_id);

-- As for groups: right at every moment, cheap for a list of organizations, and no queue for those who join.
create table organization_member_counts (
  realm_id        text     collate "C" not null,
  organization_id uuid     not null,
  shard           smallint not null,
  members         bigint   not null,
  constraint organization_member_counts_pkey primary key (realm_id, organization_id, shard),
  constraint organization_member_counts_organization foreign key (realm_id, organization_id) references organizations on delete cascade
);
--;;
create function count_organization_members() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into organization_member_counts as c (realm_id, organization_id, shard, members)
      select realm_id, organization_id, hashtext(user_id::text) & 15, count(*) from changed group by 1, 2, 3 order by 1, 2, 3
      on conflict (realm_id, organization_id, shard) do update set members = c.members + excluded.members;
  else
    update organization_member_counts c set members = c.members - d.members
      from (select realm_id, organization_id, hashtext(user_id::text) & 15 as shard, count(*) as members
        from changed group by 1, 2, 3 order by 1, 2, 3) d
      where c.realm_id = d.realm_id and c.organization_id = d.organization_id and c.shard = d.shard;
  end if;
  return null;
end $$;
--;;
create trigger organization_members_joined after insert on organization_members referencing new table as changed
  for each statement execute function count_organization_members();
create trigger organization_members_left after delete on organization_members referencing old table as changed
  for each statement execute function count_organization_members();

-- Nobody is named by a copy: who invited and who accepted are references, which go when that user goes.
create table organization_invitations (
  realm_id        text   collate "C" not null,
  invitation_id   uuid   not null,
  organization_id uuid   not null,
  email           text   not null,
  email_key       text   collate "C" not null,
  role            text   collate "C" not null,
  token_hash      text   collate "C" not null,
  inviter_realm   text   collate "C", -- the realm's own, or master
  inviter_id      uuid,
  created_at      bigint not null,
  expires_at      bigint not null,
  accepted_at     bigint,
  accepted_by     uuid,
  constraint organization_invitations_pkey primary key (realm_id, invitation_id),
  constraint organization_invitations_organization foreign key (realm_id, organization_id) references organizations on delete cascade,
  constraint organization_invitations_inviter foreign key (inviter_realm, inviter_id) references users on delete set null,
  constraint organization_invitations_accepted_by foreign key (realm_id, accepted_by) references users on delete cascade
);
create unique index organization_invitations_by_token on organization_invitations (realm_id, token_hash);
create unique index organization_invitations_open on organization_invitations (realm_id, organization_id, email_key) where accepted_at is null;
create index organization_invitations_by_age on organization_invitations (realm_id, organization_id, created_at, invitation_id);
create index organization_invitations_by_email on organization_invitations (realm_id, organization_id, email_key, invitation_id);
create index organization_invitations_by_address on organization_invitations (realm_id, email_key);
create index organization_invitations_by_inviter on organization_invitations (inviter_realm, inviter_id);
create index organization_invitations_by_accepted on organization_invitations (realm_id, accepted_by);
create index organization_invitations_expiry on organization_invitations (expires_at);

-- What a user allowed a client to know and do.
create table consents (
  realm_id   text   collate "C" not null,
  user_id    uuid   not null,
  client_id  text   collate "C" not null,
  scopes     jsonb  not null default '[]',
  granted_at bigint not null,
  updated_at bigint not null,
  constraint consents_pkey primary key (realm_id, user_id, client_id),
  constraint consents_user foreign key (realm_id, user_id) references users on delete cascade
);
create index consents_by_client on consents (realm_id, client_id, user_id);

create table user_imports (
  realm_id    text   collate "C" not null,
  import_id   text   collate "C" not null,
  status      text   collate "C" not null, -- RUNNING, COMPLETED, INTERRUPTED, FAILED
  rows_done   bigint not null default 0, -- committed; a repeated import goes on after them
  digest      text   not null default '', -- of those rows as they were sent: what follows must follow the same file
  created     bigint not null default 0,
  updated     bigint not null default 0,
  skipped     bigint not null default 0,
  failed      bigint not null default 0,
  errors      jsonb  not null default '[]', -- the first of them, with row and reason; never what the row held
  stopped     jsonb, -- where the body could not be read any further
  holder      uuid, -- the request that writes it now, until held_until unless it says so again
  held_until  bigint not null default 0,
  actor       jsonb, -- who asked, while it runs: for the event, should the server not live to write it
  started_at  bigint not null,
  updated_at  bigint not null,
  finished_at bigint,
  constraint user_imports_pkey primary key (realm_id, import_id),
  constraint user_imports_realm foreign key (realm_id) references realms
);
create index user_imports_running on user_imports (held_until) where status = 'RUNNING';
create index user_imports_age on user_imports (updated_at);

-- A link that an administrator opens to act as a user: once, and soon.
create table impersonation_tickets (
  realm_id             text   collate "C" not null,
  ticket_id            uuid   not null,
  token_hash           text   collate "C" not null,
  user_id              uuid   not null,
  impersonator         text   not null,
  impersonator_id      uuid   not null,
  impersonator_realm   text   collate "C" not null,
  impersonator_session uuid   not null,
  created_at           bigint not null,
  expires_at           bigint not null,
  constraint impersonation_tickets_pkey primary key (realm_id, ticket_id),
  constraint impersonation_tickets_user foreign key (realm_id, user_id) references users on delete cascade
);
create unique index impersonation_tickets_by_token on impersonation_tickets (realm_id, token_hash);
create index impersonation_tickets_expiry on impersonation_tickets (expires_at);

-- Where erasing a person looks. What administrators of master did in other realms is found by who they are, not realm by realm.
create index audit_events_across_realms on audit_events (actor_id) where actor like 'master/%';
create index audit_events_impersonated_across on audit_events (impersonator) where impersonator like 'master/%';
-- An event about something else may name one person, by their id, in its detail.
create index audit_events_by_named on audit_events (realm_id, substring(detail from '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'))
  where substring(detail from '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}') is not null;
create index webhook_deliveries_answered on webhook_deliveries (realm_id, event_id) where answer is not null;
