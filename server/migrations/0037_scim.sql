-- SCIM: the tokens of provisioning clients, and what these keep of users and groups.

create table scim_tokens (
  realm_id        text    collate "C" not null,
  token_id        uuid    not null,
  token_hash      text    collate "C" not null,
  name            text    not null,
  connection      text    collate "C" not null, -- tokens of one connection share the externalIds of its resources
  permissions     jsonb   not null,
  organization_id uuid,
  provider_id     uuid, -- users are linked there by their externalId; a provider that is gone links none
  trust_emails    boolean not null default false,
  created_at      bigint  not null,
  expires_at      bigint,
  last_used_at    bigint,
  constraint scim_tokens_pkey primary key (realm_id, token_id),
  constraint scim_tokens_realm foreign key (realm_id) references realms,
  constraint scim_tokens_organization foreign key (realm_id, organization_id) references organizations on delete cascade
);
create unique index scim_tokens_by_hash on scim_tokens (realm_id, token_hash);
create index scim_tokens_by_age on scim_tokens (realm_id, created_at, token_id);
create index scim_tokens_by_organization on scim_tokens (realm_id, organization_id) where organization_id is not null;
create index scim_tokens_expiry on scim_tokens (expires_at) where expires_at is not null;

-- The attributes of RFC 7643 that users have nowhere else.
create table scim_users (
  realm_id text  collate "C" not null,
  user_id  uuid  not null,
  profile  jsonb not null,
  constraint scim_users_pkey primary key (realm_id, user_id),
  constraint scim_users_user foreign key (realm_id, user_id) references users on delete cascade
);

-- All addresses of a user, folded as names to sign in by are: provisioning clients look for users by them.
create table scim_user_emails (
  realm_id text collate "C" not null,
  key      text collate "C" not null,
  user_id  uuid not null,
  constraint scim_user_emails_pkey primary key (realm_id, key, user_id),
  constraint scim_user_emails_user foreign key (realm_id, user_id) references users on delete cascade
);
create index scim_user_emails_by_user on scim_user_emails (realm_id, user_id);

create table scim_user_ids (
  realm_id    text collate "C" not null,
  connection  text collate "C" not null,
  user_id     uuid not null,
  external_id text collate "C" not null,
  constraint scim_user_ids_pkey primary key (realm_id, connection, user_id),
  constraint scim_user_ids_user foreign key (realm_id, user_id) references users on delete cascade
);
create unique index scim_user_ids_taken on scim_user_ids (realm_id, connection, external_id);
create index scim_user_ids_by_user on scim_user_ids (realm_id, user_id);

create table scim_group_ids (
  realm_id    text collate "C" not null,
  connection  text collate "C" not null,
  group_id    uuid not null,
  external_id text collate "C" not null,
  constraint scim_group_ids_pkey primary key (realm_id, connection, group_id),
  constraint scim_group_ids_group foreign key (realm_id, group_id) references groups on delete cascade
);
create unique index scim_group_ids_taken on scim_group_ids (realm_id, connection, external_id);
create index scim_group_ids_by_group on scim_group_ids (realm_id, group_id);

-- The groups that tokens of an organization created: its tokens see no others.
create table scim_organization_groups (
  realm_id        text collate "C" not null,
  organization_id uuid not null,
  group_id        uuid not null,
  constraint scim_organization_groups_pkey primary key (realm_id, organization_id, group_id),
  constraint scim_organization_groups_organization foreign key (realm_id, organization_id) references organizations on delete cascade,
  constraint scim_organization_groups_group foreign key (realm_id, group_id) references groups on delete cascade
);
create index scim_organization_groups_by_group on scim_organization_groups (realm_id, group_id);

-- Provisioning clients ask for what has changed since.
create index users_by_change on users (realm_id, coalesce(updated_at, created_at), user_id);
-- Top-level groups in the order of their ids: what SCIM lists.
create index groups_at_top on groups (realm_id, group_id) where parent_id is null;

alter table groups add column updated_at bigint; -- null: not changed since it was created
