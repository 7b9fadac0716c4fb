-- Signing in: flows.

-- Those that a realm changed or made itself; the others are as they ship.
create table flows (
  realm_id     text    collate "C" not null,
  alias        text    collate "C" not null,
  display_name text    not null,
  steps        jsonb   not null,
  created_at   bigint  not null,
  updated_at   bigint  not null,
  version      bigint  not null default 1,
  constraint flows_alias_taken primary key (realm_id, alias),
  constraint flows_realm foreign key (realm_id) references realms
);

-- Browsers by which users are known again: no mail about a new device, and no second factor where they said so.
create table known_devices (
  realm_id      text   collate "C" not null,
  user_id       uuid   not null,
  device_id     uuid   not null,
  token_hash    text   collate "C" not null,
  user_agent    text,
  created_at    bigint not null,
  last_seen_at  bigint not null,
  trusted_until bigint not null default 0, -- until then no second factor is asked for in this browser
  expires_at    bigint not null,
  constraint known_devices_pkey primary key (realm_id, user_id, device_id),
  constraint known_devices_user foreign key (realm_id, user_id) references users on delete cascade
);
create unique index known_devices_by_token on known_devices (realm_id, user_id, token_hash);
create index known_devices_expiry on known_devices (expires_at);

-- Devices: what somebody is asked on another screen than the one that waits. push: whether a sign-in is theirs; qr: whether the screen
-- that shows the picture may go on as them.
create table device_challenges (
  realm_id     text    collate "C" not null,
  challenge_id uuid    not null,
  kind         text    collate "C" not null,
  user_id      uuid, -- push: who is asked; qr: who confirmed
  browser_hash text    collate "C" not null, -- of the browser that waits
  session_id   uuid, -- of the browser that waits, where it has one: that one cannot answer for itself
  number       text    collate "C" not null, -- shown by the screen that waits
  data         jsonb   not null default '{}',
  client_id    text,
  source_ip    text,
  user_agent   text,
  status       text    collate "C" not null default 'PENDING',
  created_at   bigint  not null,
  answered_at  bigint,
  expires_at   bigint  not null,
  constraint device_challenges_pkey primary key (realm_id, challenge_id),
  constraint device_challenges_user foreign key (realm_id, user_id) references users on delete cascade,
  constraint device_challenges_kind check (kind in ('push', 'qr')),
  constraint device_challenges_status check (status in ('PENDING', 'APPROVED', 'DENIED', 'WRONG', 'WITHDRAWN', 'USED'))
);
create index device_challenges_by_user on device_challenges (realm_id, user_id, created_at);
create index device_challenges_expiry on device_challenges (expires_at);

-- A device names itself by its credential alone.
create unique index credentials_push on credentials (realm_id, credential_id) where type = 'push';

-- Transactions: what an application wants a user to sign, once, with a fresh second factor.
create table transactions (
  realm_id       text     collate "C" not null,
  transaction_id uuid     not null,
  user_id        uuid     not null,
  client_id      text     collate "C" not null, -- who asked, and may consume it
  type           text     collate "C" not null,
  summary        text     not null,
  payload_hash   text     collate "C" not null,
  acr            text     collate "C" not null,
  status         text     collate "C" not null default 'PENDING',
  attempts       smallint not null default 0,
  jws            text,
  created_at     bigint   not null,
  signed_at      bigint,
  consumed_at    bigint,
  expires_at     bigint   not null,
  constraint transactions_pkey primary key (realm_id, transaction_id),
  constraint transactions_user foreign key (realm_id, user_id) references users on delete cascade,
  constraint transactions_status check (status in ('PENDING', 'SIGNED', 'CONSUMED', 'DECLINED')),
  constraint transactions_signed check ((status in ('SIGNED', 'CONSUMED')) = (jws is not null))
);
create index transactions_by_user on transactions (realm_id, user_id, created_at);
create index transactions_expiry on transactions (expires_at);

-- What was mailed to somebody: links and codes, each of which works once.
create table action_tokens (
  realm_id   text   collate "C" not null,
  token_hash text   collate "C" not null,
  kind       text   collate "C" not null, -- verify-email, reset-password, registration: one kind never serves as another
  user_id    uuid, -- null: nobody yet, who registers
  data       jsonb  not null default '{}',
  created_at bigint not null,
  expires_at bigint not null,
  constraint action_tokens_pkey primary key (realm_id, token_hash),
  constraint action_tokens_realm foreign key (realm_id) references realms,
  constraint action_tokens_user foreign key (realm_id, user_id) references users on delete cascade
);
create index action_tokens_by_user on action_tokens (realm_id, user_id);
create index action_tokens_expiry on action_tokens (expires_at);

-- Which version of a realm's terms a user has accepted, and when.
create table terms_acceptances (
  realm_id    text   collate "C" not null,
  user_id     uuid   not null,
  version     text   collate "C" not null,
  accepted_at bigint not null,
  constraint terms_acceptances_pkey primary key (realm_id, user_id, version),
  constraint terms_acceptances_user foreign key (realm_id, user_id) references users on delete cascade
);

-- Passkeys: found by the id that the browser sends, before anybody has said who they are.
create unique index credentials_passkey on credentials (realm_id, (data ->> 'credentialId')) where type = 'passkey';

-- Challenges that a passkey has answered: each counts once. Those that nobody answered were never stored.
create table spent_challenges (
  realm_id       text   collate "C" not null,
  challenge_hash text   collate "C" not null,
  expires_at     bigint not null,
  constraint spent_challenges_pkey primary key (realm_id, challenge_hash)
);
create index spent_challenges_expiry on spent_challenges (expires_at);

-- Authenticator apps, by what a new master key finds them; recovery codes, of which a user has one set.
create index credentials_totp on credentials (realm_id, credential_id) where type = 'totp';
create unique index credentials_one_recovery_code on credentials (realm_id, user_id) where type = 'recovery-code';
