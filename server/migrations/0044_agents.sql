-- Agents (non-human identities): who answers for a client, and whether it may act at all.
create table agents (
  realm_id         text   collate "C" not null,
  id               uuid   not null,
  name             text   not null,
  description      text,
  owner_user_id    uuid,            -- null: no user answers for it
  client_id        uuid,            -- the client's `id`; null: not bound yet, or the client was deleted
  scopes           jsonb  not null, -- empty: those of the client
  status           text   not null,
  created_at       bigint not null,
  activated_at     bigint,
  expires_at       bigint,
  last_used_at     bigint,          -- written with the activity of clients, every few seconds
  last_reviewed_at bigint,
  review_due_at    bigint,          -- by the realm's settings; null: not activated yet
  suspend_at       bigint,          -- for want of a review; null: never
  reminded_at      bigint,          -- of the review that is due
  version          bigint not null default 1,
  constraint agents_pkey primary key (realm_id, id),
  constraint agents_status check (status in ('CREATED', 'ACTIVE', 'SUSPENDED', 'REVOKED')),
  constraint agents_realm foreign key (realm_id) references realms on delete cascade,
  constraint agents_client foreign key (realm_id, client_id) references clients (realm_id, id) on delete cascade,
  constraint agents_client_taken unique (realm_id, client_id)
);
create unique index agents_name_taken on agents (realm_id, lower(name));
create index agents_by_age on agents (realm_id, created_at, id);
create index agents_of_owner on agents (realm_id, owner_user_id);
create index agents_to_review on agents (realm_id, review_due_at, id) where status in ('ACTIVE', 'SUSPENDED');
create index agents_to_remind on agents (review_due_at) where status = 'ACTIVE' and reminded_at is null;
create index agents_to_suspend on agents (suspend_at) where status = 'ACTIVE' and suspend_at is not null;
