-- APIs: the resource indicators of clients, so that in a realm each stands for one API.
create table client_resources (
  realm_id     text collate "C" not null,
  resource_key text collate "C" not null, -- the same for every spelling of the address
  resource     text collate "C" not null, -- as it was registered, and as `aud` has it
  client_id    uuid not null,             -- the client's `id`
  constraint client_resources_taken primary key (realm_id, resource_key),
  constraint client_resources_client foreign key (realm_id, client_id) references clients (realm_id, id) on delete cascade
);
create index client_resources_of_client on client_resources (realm_id, client_id);

-- What a user allowed a client at a resource other than the realm itself, which `consents` is about.
create table resource_consents (
  realm_id   text   collate "C" not null,
  user_id    uuid   not null,
  client_id  text   collate "C" not null,
  resource   text   collate "C" not null,
  scopes     jsonb  not null default '[]',
  granted_at bigint not null,
  updated_at bigint not null,
  constraint resource_consents_pkey primary key (realm_id, user_id, client_id, resource),
  constraint resource_consents_user foreign key (realm_id, user_id) references users on delete cascade
);
create index resource_consents_by_client on resource_consents (realm_id, client_id, user_id);
create index resource_consents_by_resource on resource_consents (realm_id, resource);
