-- Sessions that came by identity providers, the tokens of providers that are kept for users, and logouts between them and this server.

-- What a session was at the provider: by this the provider ends it here, and a logout here goes on there.
create table brokered_sessions (
  realm_id            text   collate "C" not null,
  brokered_session_id uuid   not null, -- the ciphertext is bound to it
  session_id          uuid   not null,
  provider_id         uuid   not null,
  subject             text   collate "C" not null, -- as in identity_links
  upstream_session_id text   collate "C", -- `sid`, SessionIndex; null: the provider named none
  sealed              text, -- what a logout at the provider needs: the ID token, the NameID
  created_at          bigint not null,
  constraint brokered_sessions_pkey primary key (realm_id, brokered_session_id),
  constraint brokered_sessions_session foreign key (realm_id, session_id) references sessions on delete cascade
);
create unique index brokered_sessions_one_each on brokered_sessions (realm_id, session_id, provider_id);
-- Hashed: a NameID may be longer than an index takes.
create index brokered_sessions_by_subject on brokered_sessions (realm_id, provider_id, md5(subject));
create index brokered_sessions_by_upstream on brokered_sessions (realm_id, provider_id, md5(upstream_session_id))
  where upstream_session_id is not null;

-- Tokens of a provider, where it is configured to keep them (`storeTokens`). They go with the link.
create table identity_link_tokens (
  realm_id         text   collate "C" not null,
  link_token_id    uuid   not null, -- the ciphertext is bound to it
  user_id          uuid   not null,
  provider_id      uuid   not null,
  sealed           text   not null, -- access token, refresh token, ID token, scope: JSON
  expires_at       bigint, -- of the access token; null: the provider did not say
  stored_at        bigint not null,
  refreshing_until bigint, -- one request at a time refreshes: a provider may take a second use for theft
  constraint identity_link_tokens_pkey primary key (realm_id, link_token_id),
  constraint identity_link_tokens_link foreign key (realm_id, user_id, provider_id)
    references identity_links (realm_id, user_id, provider_id) on delete cascade
);
create unique index identity_link_tokens_one_each on identity_link_tokens (realm_id, user_id, provider_id);

-- Logouts that went on at a provider. The session here is over by then; this says where the browser goes when it is back.
create table broker_logouts (
  realm_id     text   collate "C" not null,
  state_hash   text   collate "C" not null,
  provider_id  uuid   not null,
  browser_hash text   collate "C" not null, -- no other browser may go on with it
  kept         jsonb  not null default '{}', -- what the protocol compares the answer with
  next         text   not null,
  expires_at   bigint not null,
  constraint broker_logouts_pkey primary key (realm_id, state_hash),
  constraint broker_logouts_realm foreign key (realm_id) references realms
);
create index broker_logouts_expiry on broker_logouts (expires_at);

-- Logout tokens of providers that were accepted: each counts once. Kept for as long as the same token would still be accepted.
create table broker_logout_tokens (
  realm_id    text   collate "C" not null,
  provider_id uuid   not null,
  token_hash  text   collate "C" not null, -- SHA-256 of `jti`
  expires_at  bigint not null,
  constraint broker_logout_tokens_pkey primary key (realm_id, provider_id, token_hash),
  constraint broker_logout_tokens_realm foreign key (realm_id) references realms
);
create index broker_logout_tokens_expiry on broker_logout_tokens (expires_at);
