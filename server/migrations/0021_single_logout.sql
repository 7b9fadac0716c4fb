-- Single logout under way: a session that is over, and its SAML service providers that are still to be told in the browser or that are
-- told by the back channel while it waits. Rows live for minutes.
create table saml_logouts (
  realm_id     text   collate "C" not null,
  logout_id    uuid   not null,
  session_id   uuid   not null, -- that has ended
  user_id      uuid   not null,
  browser_hash text   collate "C", -- no other browser may go on with it; null: asked for over SOAP
  requester    jsonb, -- the service provider that asked, and how it is answered
  next         text   not null, -- where the browser goes if none asked
  frames       jsonb  not null default '[]', -- OIDC clients that are told by frames of the last page
  created_at   bigint not null,
  expires_at   bigint not null,
  constraint saml_logouts_pkey primary key (realm_id, logout_id),
  constraint saml_logouts_user foreign key (realm_id, user_id) references users on delete cascade
);
create unique index saml_logouts_by_session on saml_logouts (realm_id, session_id);
create index saml_logouts_by_user on saml_logouts (realm_id, user_id);
create index saml_logouts_expiry on saml_logouts (expires_at);

create table saml_logout_participants (
  realm_id    text   collate "C" not null,
  logout_id   uuid   not null,
  entity_id   text   collate "C" not null,
  participant jsonb  not null, -- as in session_participants
  state       text   not null default 'waiting', -- asked, done, failed
  request_id  text   collate "C", -- of our LogoutRequest; the answer names it
  constraint saml_logout_participants_pkey primary key (realm_id, logout_id, entity_id),
  constraint saml_logout_participants_logout foreign key (realm_id, logout_id) references saml_logouts on delete cascade,
  constraint saml_logout_participants_state check (state in ('waiting', 'asked', 'done', 'failed'))
);
create unique index saml_logout_participants_by_request on saml_logout_participants (realm_id, request_id) where request_id is not null;

-- A LogoutRequest over SOAP names its sessions by NameID and SessionIndex. Hashed: a NameID may be longer than an index takes.
create index session_participants_by_name_id on session_participants (realm_id, client_id, md5(participant -> 'nameId' ->> 'value'))
  where protocol = 'saml';
