-- SAML service providers that sign in at a realm, and what their assertions say.
create table saml_clients (
  realm_id        text    collate "C" not null,
  id              uuid    not null, -- never shown: the entityID is the key that people and peers use
  entity_id       text    collate "C" not null, -- exact
  application_key text    collate "C" not null, -- for searching and sorting: the beginning of <realm>|<entityID> in NFKC lower case
  name            text,
  enabled         boolean not null default true,
  settings        jsonb   not null default '{}', -- every other member of the resource: applications/saml-clients/settings.ts
  metadata        jsonb,  -- of a client that was imported: from where, when, and with which values
  created_at      bigint  not null,
  updated_at      bigint  not null,
  version         bigint  not null default 1,
  constraint saml_clients_pkey primary key (realm_id, id),
  constraint saml_clients_entity_id_taken unique (realm_id, entity_id),
  constraint saml_clients_realm foreign key (realm_id) references realms
);
create index saml_clients_by_key on saml_clients (realm_id, application_key, id);
create index saml_clients_by_age on saml_clients (realm_id, created_at, id);

-- Not in claim_mappers: the release before would take them for mappers of the realm.
create table saml_client_mappers (
  realm_id       text   collate "C" not null,
  mapper_id      uuid   not null,
  saml_client_id uuid   not null,
  name           text   not null,
  name_key       text   collate "C" not null,
  mapper         jsonb  not null, -- as in claim_mappers, with samlName and samlNameFormat
  created_at     bigint not null,
  version        bigint not null default 1,
  constraint saml_client_mappers_pkey primary key (realm_id, mapper_id),
  constraint saml_client_mappers_client foreign key (realm_id, saml_client_id) references saml_clients on delete cascade,
  constraint saml_client_mappers_name_taken unique (realm_id, saml_client_id, name_key)
);
