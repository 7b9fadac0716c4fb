-- Where passwords of users are asked for who moved in without them; one for each realm.
create table password_sources (
  realm_id   text    collate "C" not null,
  url        text    not null,
  enabled    boolean not null,
  secret     text    not null, -- sealed; signs the questions
  updated_at bigint  not null,
  version    bigint  not null default 1,
  constraint password_sources_pkey primary key (realm_id),
  constraint password_sources_realm foreign key (realm_id) references realms (realm_id) on delete cascade
);

-- Users who were imported without a password: it may come from the source, once.
create table awaited_passwords (
  realm_id text collate "C" not null,
  user_id  uuid not null,
  constraint awaited_passwords_pkey primary key (realm_id, user_id),
  constraint awaited_passwords_user foreign key (realm_id, user_id) references users (realm_id, user_id) on delete cascade
);
