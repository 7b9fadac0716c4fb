-- Persistent NameIDs: one per user and service provider (pairwise), for as long as the user exists. They outlive the service provider's
-- registration, so that one registered again knows its users again.
create table saml_name_ids (
  realm_id   text   collate "C" not null,
  entity_id  text   collate "C" not null,
  user_id    uuid   not null,
  name_id    text   collate "C" not null,
  created_at bigint not null,
  constraint saml_name_ids_pkey primary key (realm_id, user_id, entity_id),
  constraint saml_name_ids_user foreign key (realm_id, user_id) references users on delete cascade
);
create unique index saml_name_ids_by_value on saml_name_ids (realm_id, name_id);

-- AuthnRequests that got an assertion: each gets one. Kept for as long as the same message would still be accepted.
create table saml_answered_requests (
  realm_id   text   collate "C" not null,
  request    text   collate "C" not null, -- SHA-256 of entityID and request ID
  expires_at bigint not null,
  constraint saml_answered_requests_pkey primary key (realm_id, request),
  constraint saml_answered_requests_realm foreign key (realm_id) references realms
);
create index saml_answered_requests_expiry on saml_answered_requests (expires_at);
