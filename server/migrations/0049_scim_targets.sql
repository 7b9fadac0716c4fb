-- Outbound SCIM: the targets of a realm, what was sent to each, and which users and groups have changed since.

create table scim_targets (
  realm_id   text    collate "C" not null,
  target_id  uuid    not null,
  name       text    not null,
  name_key   text    collate "C" not null,
  url        text    not null,
  enabled    boolean not null,
  secret     text, -- sealed
  config     jsonb   not null,
  created_at bigint  not null,
  version    bigint  not null default 1,
  constraint scim_targets_pkey primary key (realm_id, target_id),
  constraint scim_targets_realm foreign key (realm_id) references realms
);
create unique index scim_targets_name_taken on scim_targets (realm_id, name_key);

-- How a target fares. Apart from its settings, so that a change of these waits for no sender.
create table scim_target_states (
  realm_id          text    collate "C" not null,
  target_id         uuid    not null,
  -- One node sends to a target at a time; another takes over when this time has passed.
  lease_id          uuid,
  locked_until      bigint  not null default 0,
  paused_until      bigint  not null default 0,
  pause_reason      text,
  strikes           integer not null default 0, -- pauses in a row
  suspended_at      bigint,
  suspended_reason  text,
  -- A full sync that waits or runs: how far it is.
  sync_requested_at bigint,
  resends           boolean not null default false,
  walk_phase        text    collate "C",
  walk_after        uuid,
  last_sync_at      bigint,
  last_sent_at      bigint,
  held_at           bigint,
  failing           boolean not null default false, -- an object is FAILED or DEAD
  -- Transactions before this one may have changed users without a line in scim_changes: a full sync waits until they have ended.
  fed_from          xid8    not null default pg_current_xact_id(),
  constraint scim_target_states_pkey primary key (realm_id, target_id),
  constraint scim_target_states_target foreign key (realm_id, target_id) references scim_targets on delete cascade
);

-- Users and groups, as each target has them. No names: what was sent is kept as a keyed hash.
create table scim_objects (
  realm_id      text    collate "C" not null,
  target_id     uuid    not null,
  kind          text    collate "C" not null, -- user, group
  local_id      uuid    not null,
  remote_id     text    collate "C",
  state         text    collate "C" not null, -- PENDING, SYNCED, FAILED, DEAD, HELD, GONE
  changes       bigint  not null default 1,   -- raised by every change: what was sent counts only if it has stayed the same
  leaving       boolean,                      -- whether it is to be deactivated or deleted there; null: not looked at yet
  confirmed     boolean not null default false,
  erased        boolean not null default false,
  sent_digest   text    collate "C",
  failed_digest text    collate "C",
  attempts      integer not null default 0,
  next_at       bigint  not null,
  error         text,
  sent_at       bigint,
  left_at       bigint,
  constraint scim_objects_pkey primary key (realm_id, target_id, kind, local_id),
  constraint scim_objects_target foreign key (realm_id, target_id) references scim_targets on delete cascade
);
create unique index scim_objects_claimed on scim_objects (realm_id, target_id, kind, remote_id) where remote_id is not null;
create index scim_objects_due on scim_objects (realm_id, target_id, next_at) where state = 'PENDING';
create index scim_objects_by_state on scim_objects (realm_id, target_id, state, local_id);
create index scim_objects_by_local on scim_objects (realm_id, local_id);
create index scim_objects_left on scim_objects (left_at) where left_at is not null;

-- The memberships that a target was sent.
create table scim_members (
  realm_id  text collate "C" not null,
  target_id uuid not null,
  group_id  uuid not null,
  user_id   uuid not null,
  constraint scim_members_pkey primary key (realm_id, target_id, group_id, user_id),
  constraint scim_members_target foreign key (realm_id, target_id) references scim_targets on delete cascade
);
create index scim_members_by_user on scim_members (realm_id, user_id);

-- What has changed, whoever changed it: lines are appended by the triggers below and taken by one sender.
create table scim_changes (
  realm_id  text   collate "C" not null,
  change_id bigint generated always as identity,
  kind      text   collate "C" not null, -- user, group, tree
  object_id uuid   not null,
  constraint scim_changes_pkey primary key (realm_id, change_id)
);
create index scim_changes_in_order on scim_changes (change_id);
--;;
create function note_scim_changes() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from scim_targets where enabled) then
    return null;
  end if;
  if tg_table_name = 'users' then
    if tg_op = 'UPDATE' then
      insert into scim_changes (realm_id, kind, object_id)
        select n.realm_id, 'user', n.user_id from changed n join former o on o.realm_id = n.realm_id and o.user_id = n.user_id
        where (n.username, n.email, n.email_verified, n.enabled, n.attributes)
            is distinct from (o.username, o.email, o.email_verified, o.enabled, o.attributes)
          and exists (select 1 from scim_targets t where t.realm_id = n.realm_id and t.enabled);
    else
      insert into scim_changes (realm_id, kind, object_id)
        select c.realm_id, 'user', c.user_id from changed c
        where exists (select 1 from scim_targets t where t.realm_id = c.realm_id and t.enabled);
    end if;
  elsif tg_table_name = 'groups' then
    if tg_op = 'UPDATE' then
      insert into scim_changes (realm_id, kind, object_id)
        select n.realm_id, case when n.parent_id is distinct from o.parent_id then 'tree' else 'group' end, n.group_id
        from changed n join former o on o.realm_id = n.realm_id and o.group_id = n.group_id
        where (n.name, n.parent_id) is distinct from (o.name, o.parent_id)
          and exists (select 1 from scim_targets t where t.realm_id = n.realm_id and t.enabled);
    else
      insert into scim_changes (realm_id, kind, object_id)
        select c.realm_id, 'group', c.group_id from changed c
        where exists (select 1 from scim_targets t where t.realm_id = c.realm_id and t.enabled);
    end if;
  elsif tg_table_name = 'group_members' then
    insert into scim_changes (realm_id, kind, object_id)
      select distinct c.realm_id, k.kind, case k.kind when 'user' then c.user_id else c.group_id end
      from changed c cross join (values ('user'), ('group')) as k (kind)
      where exists (select 1 from scim_targets t where t.realm_id = c.realm_id and t.enabled);
  else
    insert into scim_changes (realm_id, kind, object_id)
      select distinct c.realm_id, 'user', c.user_id from changed c
      where exists (select 1 from scim_targets t where t.realm_id = c.realm_id and t.enabled);
  end if;
  return null;
end $$;
--;;
create trigger scim_users_added after insert on users referencing new table as changed
  for each statement execute function note_scim_changes();
create trigger scim_users_changed after update on users referencing old table as former new table as changed
  for each statement execute function note_scim_changes();
create trigger scim_users_removed after delete on users referencing old table as changed
  for each statement execute function note_scim_changes();
create trigger scim_groups_added after insert on groups referencing new table as changed
  for each statement execute function note_scim_changes();
create trigger scim_groups_changed after update on groups referencing old table as former new table as changed
  for each statement execute function note_scim_changes();
create trigger scim_groups_removed after delete on groups referencing old table as changed
  for each statement execute function note_scim_changes();
create trigger scim_members_joined after insert on group_members referencing new table as changed
  for each statement execute function note_scim_changes();
create trigger scim_members_left after delete on group_members referencing old table as changed
  for each statement execute function note_scim_changes();
create trigger scim_organization_joined after insert on organization_members referencing new table as changed
  for each statement execute function note_scim_changes();
create trigger scim_organization_left after delete on organization_members referencing old table as changed
  for each statement execute function note_scim_changes();
