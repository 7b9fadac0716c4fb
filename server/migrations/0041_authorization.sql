-- Authorization services of a client: what it protects, and the policies that decide. `client_id` is the client's id in the admin API.
create table authz_settings (
  realm_id  text    collate "C" not null,
  client_id uuid    not null,
  enabled   boolean not null,
  settings  jsonb   not null,
  version   bigint  not null default 1,
  constraint authz_settings_pkey primary key (realm_id, client_id),
  constraint authz_settings_client foreign key (realm_id, client_id) references clients on delete cascade
);

create table authz_scopes (
  realm_id     text   collate "C" not null,
  client_id    uuid   not null,
  name         text   collate "C" not null,
  display_name text,
  icon_uri     text,
  created_at   bigint not null,
  version      bigint not null default 1,
  constraint authz_scopes_name_taken primary key (realm_id, client_id, name),
  constraint authz_scopes_settings foreign key (realm_id, client_id) references authz_settings on delete cascade
);

create table authz_resources (
  realm_id             text    collate "C" not null,
  client_id            uuid    not null,
  resource_id          uuid    not null,
  name                 text    collate "C" not null,
  owner_id             uuid,   -- a user; null: the client itself
  display_name         text,
  type                 text    collate "C",
  uris                 text[]  not null default '{}',
  scopes               text[]  not null default '{}', -- names: a scope that a resource has is not deleted
  icon_uri             text,
  owner_managed_access boolean not null default false,
  attributes           jsonb   not null default '{}',
  created_at           bigint  not null,
  version              bigint  not null default 1,
  constraint authz_resources_pkey primary key (realm_id, client_id, resource_id),
  constraint authz_resources_settings foreign key (realm_id, client_id) references authz_settings on delete cascade,
  constraint authz_resources_owner foreign key (realm_id, owner_id) references users on delete cascade
);
create unique index authz_resources_name_taken on authz_resources (realm_id, client_id, name, coalesce(owner_id, client_id));
create index authz_resources_by_type on authz_resources (realm_id, client_id, type, name, resource_id);
create index authz_resources_by_age on authz_resources (realm_id, client_id, created_at, resource_id);
create index authz_resources_by_owner on authz_resources (realm_id, owner_id, resource_id) where owner_id is not null;
create index authz_resources_by_uri on authz_resources using gin (uris);
create index authz_resources_by_scope on authz_resources using gin (scopes);

create table authz_policies (
  realm_id          text   collate "C" not null,
  client_id         uuid   not null,
  name              text   collate "C" not null,
  type              text   collate "C" not null,
  logic             text   collate "C" not null,
  decision_strategy text   collate "C" not null,
  description       text,
  config            jsonb  not null default '{}', -- the members of the type that name nothing of the realm
  created_at        bigint not null,
  version           bigint not null default 1,
  constraint authz_policies_name_taken primary key (realm_id, client_id, name),
  constraint authz_policies_settings foreign key (realm_id, client_id) references authz_settings on delete cascade
);

-- The roles, users, clients, groups and client scopes that policies name. A user who was deleted leaves an entry without an id.
create table authz_policy_entries (
  realm_id        text    collate "C" not null,
  client_id       uuid    not null,
  policy          text    collate "C" not null,
  position        integer not null,
  kind            text    collate "C" not null,
  entry_id        uuid,
  required        boolean not null default false,
  extend_children boolean not null default false,
  constraint authz_policy_entries_pkey primary key (realm_id, client_id, policy, position),
  constraint authz_policy_entries_policy foreign key (realm_id, client_id, policy) references authz_policies on delete cascade
);
create index authz_policy_entries_by_entry on authz_policy_entries (realm_id, kind, entry_id);

create table authz_permissions (
  realm_id          text    collate "C" not null,
  client_id         uuid    not null,
  name              text    collate "C" not null,
  type              text    collate "C" not null,
  decision_strategy text    collate "C" not null,
  description       text,
  resource_type     text    collate "C",
  is_general        boolean not null, -- a scope permission for every resource
  scopes            text[]  not null default '{}',
  policies          text[]  not null default '{}',
  created_at        bigint  not null,
  version           bigint  not null default 1,
  constraint authz_permissions_name_taken primary key (realm_id, client_id, name),
  constraint authz_permissions_settings foreign key (realm_id, client_id) references authz_settings on delete cascade
);

create table authz_permission_resources (
  realm_id    text collate "C" not null,
  client_id   uuid not null,
  permission  text collate "C" not null,
  resource_id uuid not null,
  constraint authz_permission_resources_pkey primary key (realm_id, client_id, permission, resource_id),
  constraint authz_permission_resources_permission foreign key (realm_id, client_id, permission) references authz_permissions on delete cascade,
  constraint authz_permission_resources_resource foreign key (realm_id, client_id, resource_id) references authz_resources on delete cascade
);
create index authz_permission_resources_by_resource on authz_permission_resources (realm_id, client_id, resource_id);

-- What owners shared with others, or others asked them for. An empty scope is the resource itself, where it has none.
create table authz_shares (
  realm_id    text   collate "C" not null,
  client_id   uuid   not null,
  resource_id uuid   not null,
  user_id     uuid   not null,
  scope       text   collate "C" not null,
  status      text   collate "C" not null, -- GRANTED, REQUESTED
  created_at  bigint not null,
  constraint authz_shares_pkey primary key (realm_id, client_id, resource_id, user_id, scope),
  constraint authz_shares_resource foreign key (realm_id, client_id, resource_id) references authz_resources on delete cascade,
  constraint authz_shares_user foreign key (realm_id, user_id) references users on delete cascade
);
create index authz_shares_by_user on authz_shares (realm_id, user_id, created_at, resource_id);
