-- Realms as SAML service providers: answers of identity providers, and what is known of their metadata.

-- Each assertion counts once. One that was posted waits here, verified, for the browser to come by with its cookies.
create table broker_answers (
  realm_id       text   collate "C" not null,
  answer_id      uuid   not null, -- the ciphertext is bound to it
  provider_id    uuid   not null,
  assertion_hash text   collate "C" not null,
  handle_hash    text   collate "C", -- null: it was used
  sealed         text,
  waits_until    bigint not null,
  expires_at     bigint not null, -- from then on the assertion is too old to be accepted
  constraint broker_answers_pkey primary key (realm_id, answer_id),
  constraint broker_answers_once unique (realm_id, provider_id, assertion_hash),
  constraint broker_answers_provider foreign key (realm_id, provider_id)
    references identity_providers (realm_id, provider_id) on delete cascade
);
create unique index broker_answers_by_handle on broker_answers (realm_id, handle_hash) where handle_hash is not null;
create index broker_answers_expiry on broker_answers (expires_at);

-- Metadata of providers that have a `metadataUrl`, as it was read last.
create table identity_provider_metadata (
  realm_id    text   collate "C" not null,
  provider_id uuid   not null,
  url         text   not null, -- another one in the configuration makes the row worthless
  metadata    jsonb  not null,
  read_at     bigint not null,
  next_at     bigint not null, -- when it is to be read again; moved on by the node that does
  constraint identity_provider_metadata_pkey primary key (realm_id, provider_id),
  constraint identity_provider_metadata_provider foreign key (realm_id, provider_id)
    references identity_providers (realm_id, provider_id) on delete cascade
);
create index identity_provider_metadata_due on identity_provider_metadata (next_at);
