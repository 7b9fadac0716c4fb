-- Identity providers and directories of a realm, their secrets, mappers, and who is linked to whom.

create table identity_providers (
  realm_id     text    collate "C" not null,
  alias        text    collate "C" not null,
  -- Of this record and no later one: links of a deleted provider never count for another of the same alias.
  provider_id  uuid    not null,
  protocol     text    collate "C" not null,
  display_name text    not null,
  name_key     text    collate "C" not null,
  enabled      boolean not null default true,
  config       jsonb   not null default '{}', -- nothing secret
  created_at   bigint  not null,
  version      bigint  not null default 1,
  constraint identity_providers_alias_taken primary key (realm_id, alias),
  constraint identity_providers_realm foreign key (realm_id) references realms
);
create unique index identity_providers_by_id on identity_providers (realm_id, provider_id);
create index identity_providers_by_name on identity_providers (realm_id, name_key, alias);
create index identity_providers_by_age on identity_providers (realm_id, created_at, alias);

-- A row for each secret member of a config.
create table identity_provider_secrets (
  realm_id    text collate "C" not null,
  provider_id uuid not null,
  member      text collate "C" not null,
  -- What the ciphertext is bound to, besides realm and table.
  secret_key  text collate "C" not null,
  sealed      text not null,
  constraint identity_provider_secrets_pkey primary key (realm_id, secret_key),
  constraint identity_provider_secrets_key check (secret_key = provider_id::text || '/' || member),
  constraint identity_provider_secrets_provider foreign key (realm_id, provider_id)
    references identity_providers (realm_id, provider_id) on delete cascade
);
create index identity_provider_secrets_by_provider on identity_provider_secrets (realm_id, provider_id, member);

create table identity_provider_mappers (
  realm_id    text   collate "C" not null,
  mapper_id   uuid   not null,
  provider_id uuid   not null,
  name        text   not null,
  name_key    text   collate "C" not null,
  mapper      jsonb  not null,
  created_at  bigint not null,
  version     bigint not null default 1,
  constraint identity_provider_mappers_pkey primary key (realm_id, mapper_id),
  constraint identity_provider_mappers_provider foreign key (realm_id, provider_id)
    references identity_providers (realm_id, provider_id) on delete cascade
);
create unique index identity_provider_mappers_name_taken on identity_provider_mappers (realm_id, provider_id, name_key);

-- Whose account somebody's identity at a provider is. No foreign key to the provider: a directory may have a million, which a job forgets.
create table identity_links (
  realm_id    text   collate "C" not null,
  provider_id uuid   not null,
  subject     text   collate "C" not null,
  user_id     uuid   not null,
  -- As the provider calls them, to be shown.
  username    text,
  linked_at   bigint not null,
  used_at     bigint,
  constraint identity_links_subject_taken primary key (realm_id, provider_id, subject),
  constraint identity_links_user foreign key (realm_id, user_id) references users on delete cascade
);
create unique index identity_links_one_each on identity_links (realm_id, user_id, provider_id);

-- Roles and groups that a user has by a mapper: what a mapper gave, it may take away, and nothing else.
create table identity_provider_grants (
  realm_id    text collate "C" not null,
  user_id     uuid not null,
  provider_id uuid not null,
  kind        text collate "C" not null, -- role, group
  target_id   uuid not null,
  constraint identity_provider_grants_pkey primary key (realm_id, user_id, provider_id, kind, target_id),
  constraint identity_provider_grants_user foreign key (realm_id, user_id) references users on delete cascade
);
create index identity_provider_grants_by_provider on identity_provider_grants (realm_id, provider_id);

-- Users who came by a provider or from a directory.
create index users_by_source on users (realm_id, source, user_id) where source <> 'local';
