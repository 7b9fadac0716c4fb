-- Directories: the entries that users came from, the runs of their synchronization, and who must not come back by one.

-- Beside the link that says whose account an entry is.
create table directory_entries (
  realm_id         text    collate "C" not null,
  provider_id      uuid    not null,
  subject          text    collate "C" not null,
  dn               text    not null,
  -- Of what the entry said last: an entry that says the same needs no write. Empty for one that is gone.
  fingerprint      text    collate "C" not null,
  -- The directory disabled the user, so it may enable them again; what an administrator disabled stays so.
  disabled_by_sync boolean not null default false,
  constraint directory_entries_pkey primary key (realm_id, provider_id, subject),
  constraint directory_entries_link foreign key (realm_id, provider_id, subject) references identity_links on delete cascade
);

create table directory_runs (
  realm_id     text    collate "C" not null,
  provider_id  uuid    not null,
  run_id       uuid    not null,
  kind         text    collate "C" not null, -- full, changed
  dry_run      boolean not null,
  state        text    collate "C" not null, -- running, done, failed
  requested_by text    not null,
  started_at   bigint  not null,
  finished_at  bigint,
  -- A node that dies leaves its run behind: after this, another may begin.
  lease_until  bigint  not null,
  report       jsonb   not null default '{}',
  -- Up to where the directory was read, in its own words.
  mark         text,
  constraint directory_runs_pkey primary key (realm_id, provider_id, run_id),
  constraint directory_runs_provider foreign key (realm_id, provider_id)
    references identity_providers (realm_id, provider_id) on delete cascade
);
create unique index directory_runs_one on directory_runs (realm_id, provider_id) where state = 'running';
create index directory_runs_finished on directory_runs (finished_at) where finished_at is not null;

-- Keyed hashes of entries whose users were erased: no run makes them anew.
create table directory_erasures (
  realm_id    text   collate "C" not null,
  provider_id uuid   not null,
  hash        text   collate "C" not null,
  erased_at   bigint not null,
  constraint directory_erasures_pkey primary key (realm_id, provider_id, hash),
  constraint directory_erasures_provider foreign key (realm_id, provider_id)
    references identity_providers (realm_id, provider_id) on delete cascade
);

-- Directories that are read by themselves.
create index identity_providers_scheduled on identity_providers (realm_id, alias)
  where enabled and protocol in ('ldap', 'ad') and (config ? 'fullSyncMinutes' or config ? 'changedSyncMinutes');
