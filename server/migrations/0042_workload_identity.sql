-- Workload identity federation: which tokens of which issuers stand for which client.
create table workload_credentials (
  realm_id          text    collate "C" not null,
  id                uuid    not null,
  name              text    not null,
  issuer            text    collate "C" not null, -- exactly the token's `iss`
  jwks_uri          text,                         -- null: by discovery, unless there is `jwks`
  jwks              jsonb,                        -- keys that are never fetched
  subject           text    not null,             -- exactly the value of `subject_claim`
  subject_claim     text    collate "C" not null,
  conditions        jsonb   not null,             -- claims and their allowed values; they only narrow
  audience          text    not null,             -- exactly the token's only `aud`
  match_key         text    collate "C" not null, -- sha256 of issuer, subject claim, subject and audience
  client_id         uuid    not null,             -- the client's `id`
  scopes            text    not null,             -- separated by spaces
  max_token_seconds integer not null,
  single_use        boolean not null,
  enabled           boolean not null,
  created_at        bigint  not null,
  version           bigint  not null default 1,
  constraint workload_credentials_pkey primary key (realm_id, id),
  constraint workload_credentials_match_taken unique (realm_id, match_key),
  constraint workload_credentials_client foreign key (realm_id, client_id) references clients (realm_id, id) on delete cascade
);
create unique index workload_credentials_name_taken on workload_credentials (realm_id, lower(name));
create index workload_credentials_by_age on workload_credentials (realm_id, created_at, id);
create index workload_credentials_of_issuer on workload_credentials (realm_id, issuer, subject_claim);
create index workload_credentials_of_client on workload_credentials (realm_id, client_id);
