-- Realms, and what every later table hangs on. Times are epoch milliseconds; keys that are compared use the "C" collation.

create table realms (
  realm_id     text   collate "C" not null,
  created_at   bigint not null,
  deleted_at   bigint, -- set at once by a deletion; a job then purges the rows and frees the name
  version      bigint not null default 1,
  constraint realms_pkey primary key (realm_id),
  constraint realms_name_shape check (realm_id ~ '^[a-z0-9][a-z0-9-]{0,62}$')
);

-- Which configuration a node holds. Its own table, so that polling it touches no wide rows.
create table realm_versions (
  realm_id text   collate "C" not null,
  -- Starts at the time of day: a realm that takes the name of a purged one must not look like what a node still holds of that.
  version  bigint not null default (extract(epoch from clock_timestamp()) * 1000)::bigint,
  xid      xid8   not null default pg_current_xact_id(),
  constraint realm_versions_pkey primary key (realm_id)
);
create index realm_versions_by_xid on realm_versions (xid);

create table realm_settings (
  realm_id text   collate "C" not null,
  settings jsonb  not null default '{}',
  version  bigint not null default 1,
  constraint realm_settings_pkey primary key (realm_id),
  constraint realm_settings_realm foreign key (realm_id) references realms
);
create index realm_settings_by_display_name on realm_settings ((lower(settings ->> 'displayName')) text_pattern_ops);

create table realm_keys (
  realm_id    text   collate "C" not null,
  key_id      uuid   not null,
  algorithm   text   not null,
  status      text   not null,
  public_key  text   not null, -- base64 DER (SubjectPublicKeyInfo)
  private_key text   not null, -- sealed PKCS#8
  certificate text   not null, -- base64 DER, self-signed, for SAML
  created_at  bigint not null,
  rotated_at  bigint,
  constraint realm_keys_pkey primary key (realm_id, key_id),
  constraint realm_keys_realm foreign key (realm_id) references realms,
  constraint realm_keys_status check (status in ('ACTIVE', 'RETAINED'))
);
create unique index realm_keys_one_active on realm_keys (realm_id) where status = 'ACTIVE';

-- The canary that tells a wrong master key at start; realm_id '' is the server itself.
create table vault_canary (
  canary_id integer not null default 1,
  sealed    text    not null,
  constraint vault_canary_pkey primary key (canary_id),
  constraint vault_canary_single check (canary_id = 1)
);

create table users (
  realm_id       text    collate "C" not null,
  user_id        uuid    not null,
  username       text    not null,
  username_key   text    collate "C" not null,
  email          text,
  email_key      text    collate "C",
  email_verified boolean not null default false,
  enabled        boolean not null default true,
  locked         boolean not null default false,
  attributes     jsonb   not null default '{}',
  source         text    not null default 'local',
  created_at     bigint  not null,
  version        bigint  not null default 1,
  constraint users_pkey primary key (realm_id, user_id),
  constraint users_realm foreign key (realm_id) references realms
);
create index users_by_username on users (realm_id, username_key, user_id);
create index users_by_email on users (realm_id, coalesce(email_key, ''), user_id);
create index users_by_age on users (realm_id, created_at, user_id);

-- Usernames and mail addresses share one namespace: whatever a person types at sign-in finds one user.
create table login_names (
  realm_id text collate "C" not null,
  key      text collate "C" not null, -- NFKC lower case, computed in code
  user_id  uuid not null,
  constraint login_names_taken primary key (realm_id, key) include (user_id), -- a search counts its matches in the index alone
  constraint login_names_user foreign key (realm_id, user_id) references users on delete cascade
);
create index login_names_by_user on login_names (realm_id, user_id);

create table credentials (
  realm_id      text   collate "C" not null,
  user_id       uuid   not null,
  credential_id uuid   not null,
  type          text   not null,
  secret        text   not null, -- password: Argon2id; other types: sealed or hashed, as their feature says
  data          jsonb  not null default '{}',
  created_at    bigint not null,
  last_used_at  bigint,
  constraint credentials_pkey primary key (realm_id, user_id, credential_id),
  constraint credentials_user foreign key (realm_id, user_id) references users on delete cascade
);
create unique index credentials_one_password on credentials (realm_id, user_id) where type = 'password';

create table roles (
  realm_id    text    collate "C" not null,
  role_id     uuid    not null,
  name        text    not null,
  name_key    text    collate "C" not null,
  description text,
  is_default  boolean not null default false,
  created_at  bigint  not null,
  version     bigint  not null default 1,
  constraint roles_pkey primary key (realm_id, role_id),
  constraint roles_realm foreign key (realm_id) references realms
);
create unique index roles_name_taken on roles (realm_id, name_key);
create unique index roles_one_default on roles (realm_id) where is_default;

create table role_permissions (
  realm_id   text collate "C" not null,
  role_id    uuid not null,
  permission text collate "C" not null,
  constraint role_permissions_pkey primary key (realm_id, role_id, permission),
  constraint role_permissions_role foreign key (realm_id, role_id) references roles on delete cascade
);
create index role_permissions_by_permission on role_permissions (realm_id, permission, role_id);

create table user_roles (
  realm_id text collate "C" not null,
  user_id  uuid not null,
  role_id  uuid not null,
  constraint user_roles_pkey primary key (realm_id, user_id, role_id),
  constraint user_roles_user foreign key (realm_id, user_id) references users on delete cascade,
  constraint user_roles_role foreign key (realm_id, role_id) references roles on delete cascade
);
create index user_roles_by_role on user_roles (realm_id, role_id, user_id);

-- What a user may do as an administrator, by whatever way. Later migrations replace it as groups and composites come.
create view user_permissions as
  select distinct ur.realm_id, ur.user_id, rp.permission
  from user_roles ur
  join role_permissions rp on rp.realm_id = ur.realm_id and rp.role_id = ur.role_id;

-- The SSO session: one per browser and realm. The cookie's value is stored as a hash and rotates; the session id does not.
create table sessions (
  realm_id        text    collate "C" not null,
  session_id      uuid    not null,
  token_hash      text    collate "C" not null,
  user_id         uuid    not null,
  created_at      bigint  not null,
  auth_time       bigint  not null,
  last_seen_at    bigint  not null,
  expires_at      bigint  not null, -- idle or absolute, whichever comes first
  absolute_expiry bigint  not null,
  remembered      boolean not null default false,
  acr             text,
  amr             jsonb   not null default '[]',
  impersonator    text,
  source_ip       text,
  user_agent      text,
  constraint sessions_pkey primary key (realm_id, session_id),
  constraint sessions_user foreign key (realm_id, user_id) references users on delete cascade
);
create unique index sessions_by_token on sessions (realm_id, token_hash);
create index sessions_by_user on sessions (realm_id, user_id);
create index sessions_by_activity on sessions (realm_id, last_seen_at, session_id);
create index sessions_expiry on sessions (expires_at);

-- Who takes part in a session, whatever the protocol: back-channel logout and SAML single logout read this.
create table session_participants (
  realm_id     text   collate "C" not null,
  session_id   uuid   not null,
  protocol     text   not null,
  client_id    text   collate "C" not null,
  participant  jsonb  not null default '{}', -- sid, or SessionIndex and NameID
  joined_at    bigint not null,
  constraint session_participants_pkey primary key (realm_id, session_id, protocol, client_id),
  constraint session_participants_session foreign key (realm_id, session_id) references sessions on delete cascade
);

-- A sign-in in progress, whatever asked for it: admin login, OIDC, SAML, a broker.
create table interactions (
  realm_id       text   collate "C" not null,
  interaction_id uuid   not null,
  kind           text   not null,
  browser_hash   text   collate "C" not null, -- the browser that started it; no other may go on with it
  request        jsonb  not null default '{}',
  state          jsonb  not null default '{}',
  result         jsonb,
  return_to      text   not null,
  created_at     bigint not null,
  expires_at     bigint not null,
  version        bigint not null default 1,
  constraint interactions_pkey primary key (realm_id, interaction_id),
  constraint interactions_realm foreign key (realm_id) references realms
);
create index interactions_expiry on interactions (expires_at);

-- Failed attempts per user, per address and per factor; raised before any password is hashed.
create table login_attempts (
  realm_id     text   collate "C" not null,
  kind         text   collate "C" not null, -- 'user:password', 'address:password', …
  subject      text   collate "C" not null,
  failures     integer not null,
  last_at      bigint not null,
  locked_until bigint not null default 0,
  expires_at   bigint not null,
  constraint login_attempts_pkey primary key (realm_id, kind, subject)
);
create index login_attempts_expiry on login_attempts (expires_at);

create table audit_events (
  realm_id      text   collate "C" not null,
  event_id      uuid   not null,
  ts            bigint not null,
  category      text   collate "C" not null,
  type          text   collate "C" not null,
  actor         text   collate "C" not null,
  actor_id      text   collate "C",
  source_ip     text,
  resource_type text   collate "C",
  resource_id   text   collate "C",
  outcome       text   collate "C" not null,
  detail        text,
  impersonator  text,
  xid           xid8   not null default pg_current_xact_id(), -- readers that send events on go by (xid, event_id): no late commit is skipped
  constraint audit_events_pkey primary key (realm_id, ts, event_id)
);
create index audit_events_by_type on audit_events (realm_id, type, ts desc, event_id desc);
create index audit_events_by_category on audit_events (realm_id, category, ts desc, event_id desc);
create index audit_events_by_actor on audit_events (realm_id, actor, ts desc, event_id desc);
create index audit_events_by_actor_id on audit_events (realm_id, actor_id, ts desc, event_id desc);
create index audit_events_by_outcome on audit_events (realm_id, outcome, ts desc, event_id desc);
create index audit_events_by_resource on audit_events (realm_id, resource_type, resource_id, ts desc, event_id desc);
create index audit_events_in_commit_order on audit_events (xid, event_id);

--;;
-- The trail is append-only. Only three functions of the server lift that, for their own transaction, and each leaves an event.
create function audit_events_append_only() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('gatehouse.maintenance', true), '') in ('erasure', 'retention', 'realm-delete') then
    if tg_op = 'DELETE' then return old; else return new; end if;
  end if;
  raise exception 'audit events cannot be changed or deleted' using errcode = 'insufficient_privilege';
end $$;
--;;
create trigger audit_events_append_only before update or delete on audit_events
  for each row execute function audit_events_append_only();
create trigger audit_events_no_truncate before truncate on audit_events
  for each statement execute function audit_events_append_only();

create table jobs (
  job_id       uuid    not null,
  realm_id     text    collate "C",
  kind         text    not null,
  payload      jsonb   not null default '{}',
  dedupe_key   text    collate "C",
  run_at       bigint  not null,
  attempts     integer not null default 0,
  max_attempts integer not null default 10,
  locked_until bigint  not null default 0,
  last_error   text,
  dead_at      bigint,
  created_at   bigint  not null,
  constraint jobs_pkey primary key (job_id)
);
create index jobs_due on jobs (run_at, job_id) where dead_at is null;
create index jobs_dead on jobs (dead_at) where dead_at is not null;
create unique index jobs_deduplicated on jobs (kind, dedupe_key) where dead_at is null and dedupe_key is not null;

-- Counters of all nodes, in hours, for /admin/metrics/summary.
create table metric_hours (
  realm_id text   collate "C" not null,
  hour     bigint not null, -- start of the hour
  metric   text   collate "C" not null,
  outcome  text   collate "C" not null default '',
  count    bigint not null,
  constraint metric_hours_pkey primary key (realm_id, hour, metric, outcome)
);
create index metric_hours_by_hour on metric_hours (hour);
