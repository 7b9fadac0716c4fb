-- What leaves the server on its own: events that are sent on, webhooks, messages.

-- How far each reader of the audit trail has come, in commit order; see tenancy/audit/stream.ts.
create table event_cursors (
  name         text   collate "C" not null,
  xid          xid8   not null default pg_current_xact_id(), -- a new reader begins with what commits after it
  event_id     uuid   not null default 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  floor_ts     bigint not null default 0, -- after a restore into another cluster: older events were told before
  locked_until bigint not null default 0,
  moved_at     bigint not null default 0,
  last_error   text, -- why the last try to send failed; null since it worked
  constraint event_cursors_pkey primary key (name)
);
insert into event_cursors (name) values ('webhooks');

-- Every filter of /events finds its rows in the order of the page. Sorted by id within a type, this one served neither filter alone.
drop index audit_events_by_resource;
create index audit_events_by_resource_type on audit_events (realm_id, resource_type, ts desc, event_id desc) where resource_type is not null;
create index audit_events_by_resource_id on audit_events (realm_id, resource_id, ts desc, event_id desc) where resource_id is not null;
create index audit_events_by_impersonator on audit_events (realm_id, impersonator) where impersonator is not null; -- erasure looks there
-- By default only a fifth of the table's size in new rows would bring a vacuum, and until then counting has to visit every row.
alter table audit_events set (
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000
);

create table webhooks (
  realm_id        text    collate "C" not null,
  webhook_id      uuid    not null,
  name            text    not null,
  url             text    not null,
  event_types     text    not null, -- comma-separated, as its owner wrote it
  enabled         boolean not null default true,
  secret          text,             -- sealed
  previous_secret text,             -- sealed; signs too until previous_until
  previous_until  bigint,
  created_at      bigint  not null,
  version         bigint  not null default 1,
  constraint webhooks_pkey primary key (realm_id, webhook_id),
  constraint webhooks_realm foreign key (realm_id) references realms
);

-- One row per event and subscription. The body is made from the event when it is sent: erasure reaches it, and nothing is stored twice.
create table webhook_deliveries (
  realm_id      text    collate "C" not null,
  webhook_id    uuid    not null,
  delivery_id   uuid    not null,
  event_id      uuid    not null,
  event_ts      bigint  not null,
  event_type    text    collate "C" not null,
  status        text    collate "C" not null default 'PENDING',
  attempts      integer not null default 0,
  next_at       bigint  not null,
  locked_until  bigint  not null default 0,
  answer_status integer,
  answer        text,   -- the beginning of what the receiver said
  error         text,
  latency_ms    integer,
  created_at    bigint  not null,
  ended_at      bigint,
  constraint webhook_deliveries_pkey primary key (realm_id, webhook_id, delivery_id),
  constraint webhook_deliveries_webhook foreign key (realm_id, webhook_id) references webhooks on delete cascade,
  constraint webhook_deliveries_status check (status in ('PENDING', 'DELIVERED', 'DEAD'))
);
-- Begins with the subscription: one with a long backlog is stepped over, not waded through.
create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_at, delivery_id) where status = 'PENDING';
create index webhook_deliveries_by_status on webhook_deliveries (realm_id, webhook_id, status, delivery_id);
create index webhook_deliveries_ended on webhook_deliveries (ended_at) where ended_at is not null;

-- What a job must know but nobody may read in the table: a message's recipient, its code. Sealed under the job's own id.
alter table jobs add column sealed text;

create table messaging_providers (
  realm_id     text    collate "C" not null,
  channel      text    collate "C" not null,
  driver       text    collate "C" not null,
  provider_id  uuid    not null,
  enabled      boolean not null default true,
  from_address text,
  from_name    text,
  config       jsonb   not null default '{}',
  secret       text,   -- sealed
  created_at   bigint  not null,
  version      bigint  not null default 1,
  constraint messaging_providers_pkey primary key (realm_id, channel, driver),
  constraint messaging_providers_realm foreign key (realm_id) references realms
);
create unique index messaging_providers_one_enabled on messaging_providers (realm_id, channel) where enabled;

-- Only what a realm changed: the texts that ship are in the code.
create table message_templates (
  realm_id     text    collate "C" not null,
  template_key text    collate "C" not null,
  channel      text    collate "C" not null,
  locale       text    collate "C" not null default '', -- '' = whoever has no variant of their own
  template_id  uuid    not null,
  subject      text,
  body         text    not null,
  text_body    text,   -- the plain part beside an HTML body
  html         boolean not null default false,
  enabled      boolean not null default true,
  updated_at   bigint  not null,
  version      bigint  not null default 1,
  constraint message_templates_pkey primary key (realm_id, template_key, channel, locale),
  constraint message_templates_realm foreign key (realm_id) references realms
);

create table push_tokens (
  realm_id      text   collate "C" not null,
  push_token_id uuid   not null,
  user_id       uuid   not null,
  driver        text   collate "C" not null,
  token         text   not null, -- sealed
  token_hash    text   collate "C" not null,
  device_name   text,
  created_at    bigint not null,
  last_used_at  bigint,
  constraint push_tokens_pkey primary key (realm_id, push_token_id),
  constraint push_tokens_user foreign key (realm_id, user_id) references users on delete cascade
);
create unique index push_tokens_by_token on push_tokens (realm_id, driver, token_hash);
create index push_tokens_by_user on push_tokens (realm_id, user_id, push_token_id);

-- How much was sent to whom: one row per recipient (hashed) and one per realm and channel, as a leaky bucket.
create table message_limits (
  realm_id   text   collate "C" not null,
  subject    text   collate "C" not null,
  full_until bigint not null,
  expires_at bigint not null,
  constraint message_limits_pkey primary key (realm_id, subject)
);
create index message_limits_expiry on message_limits (expires_at);
