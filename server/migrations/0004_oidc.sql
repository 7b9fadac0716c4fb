-- The OIDC issuer: clients, client scopes, claim mappers, what the engine keeps, tokens that ended early, registration.

create table clients (
  realm_id              text    collate "C" not null,
  id                    uuid    not null,
  client_id             text    collate "C" not null, -- as OAuth knows it; exact
  client_key            text    collate "C" not null, -- for searching: NFKC lower case
  name                  text,
  enabled               boolean not null default true,
  public_client         boolean not null,
  secret                text,   -- sealed; null for public clients and those that authenticate with keys
  previous_secret       text,   -- sealed; after a rotation with an overlap
  previous_secret_until bigint,
  settings              jsonb   not null default '{}', -- every other member of the resource: applications/clients/schema.ts
  allowed_resources     jsonb   not null default '[]',
  registration_hash     text    collate "C", -- sha256 of the registration access token, of clients that registered themselves
  created_at            bigint  not null,
  updated_at            bigint  not null,
  version               bigint  not null default 1,
  constraint clients_pkey primary key (realm_id, id),
  constraint clients_client_id_taken unique (realm_id, client_id),
  constraint clients_realm foreign key (realm_id) references realms
);
create index clients_by_key on clients (realm_id, client_key, id);
create index clients_by_age on clients (realm_id, created_at, id);
create index clients_previous_secret on clients (previous_secret_until) where previous_secret_until is not null;

-- A client's own roles are roles like any other, in a name space of their own.
alter table roles add column client_id uuid,
  add constraint roles_client foreign key (realm_id, client_id) references clients on delete cascade;
drop index roles_name_taken;
create unique index roles_name_taken on roles (realm_id, name_key) where client_id is null;
create unique index client_roles_name_taken on roles (realm_id, client_id, name_key) where client_id is not null;

-- What a client may do in its own name.
create table service_account_roles (
  realm_id text collate "C" not null,
  id       uuid not null,
  role_id  uuid not null,
  constraint service_account_roles_pkey primary key (realm_id, id, role_id),
  constraint service_account_roles_client foreign key (realm_id, id) references clients on delete cascade,
  constraint service_account_roles_role foreign key (realm_id, role_id) references roles on delete cascade
);
create index service_account_roles_by_role on service_account_roles (realm_id, role_id, id);

create view service_account_effective_roles as
  select s.realm_id, s.id, s.role_id from service_account_roles s
  union
  select s.realm_id, s.id, c.included_id from service_account_roles s join role_closure c on c.realm_id = s.realm_id and c.role_id = s.role_id;

create table client_scopes (
  realm_id     text    collate "C" not null,
  scope_id     uuid    not null,
  name         text    collate "C" not null,
  description  text,
  consent_text text,   -- what the consent page says; null: the page's own words, or the description
  assignment   text    collate "C" not null, -- DEFAULT, OPTIONAL, NONE
  built_in     boolean not null default false,
  created_at   bigint  not null,
  version      bigint  not null default 1,
  constraint client_scopes_pkey primary key (realm_id, scope_id),
  constraint client_scopes_name_taken unique (realm_id, name),
  constraint client_scopes_realm foreign key (realm_id) references realms,
  constraint client_scopes_assignment check (assignment in ('DEFAULT', 'OPTIONAL', 'NONE'))
);

-- What the claim `updated_at` tells; null: as old as the user.
alter table users add column updated_at bigint;

-- Claim mappers: of the realm (attached to scopes), or of one client (its protocol mappers).
create table claim_mappers (
  realm_id   text   collate "C" not null,
  claim_id   uuid   not null,
  client_id  uuid,  -- clients.id
  name       text   not null,
  name_key   text   collate "C" not null,
  mapper     jsonb  not null, -- claim, source, value, …: applications/claims/schema.ts
  created_at bigint not null,
  version    bigint not null default 1,
  constraint claim_mappers_pkey primary key (realm_id, claim_id),
  constraint claim_mappers_realm foreign key (realm_id) references realms,
  constraint claim_mappers_client foreign key (realm_id, client_id) references clients on delete cascade
);
create unique index claim_mappers_name_taken on claim_mappers (realm_id, name_key) where client_id is null;
create unique index client_mappers_name_taken on claim_mappers (realm_id, client_id, name_key) where client_id is not null;

create table client_scope_claims (
  realm_id text collate "C" not null,
  scope_id uuid not null,
  claim_id uuid not null,
  constraint client_scope_claims_pkey primary key (realm_id, scope_id, claim_id),
  constraint client_scope_claims_scope foreign key (realm_id, scope_id) references client_scopes on delete cascade,
  constraint client_scope_claims_claim foreign key (realm_id, claim_id) references claim_mappers on delete cascade
);
create index client_scope_claims_by_claim on client_scope_claims (realm_id, claim_id);

-- What new realms begin with (applications/client-scopes/seeds.ts), for those that are there already.
insert into client_scopes (realm_id, scope_id, name, description, assignment, built_in, created_at)
  select r.realm_id, gen_random_uuid(), s.name, s.description, s.assignment, s.built_in, (extract(epoch from now()) * 1000)::bigint
  from realms r cross join (values
    ('openid', 'Sign in', 'DEFAULT', true),
    ('profile', 'Name and other details of the profile', 'DEFAULT', false),
    ('email', 'Mail address', 'DEFAULT', false),
    ('roles', 'Roles in the realm and in its applications', 'DEFAULT', false),
    ('address', 'Postal address', 'OPTIONAL', false),
    ('phone', 'Phone number', 'OPTIONAL', false),
    ('offline_access', 'Access while the user is not signed in', 'OPTIONAL', true),
    ('groups', 'Groups', 'OPTIONAL', false),
    ('organizations', 'Organizations', 'OPTIONAL', false)
  ) s (name, description, assignment, built_in);
insert into claim_mappers (realm_id, claim_id, name, name_key, mapper, created_at)
  select r.realm_id, gen_random_uuid(), m.claim, m.claim, jsonb_build_object('claim', m.claim, 'source', m.source, 'value', m.value,
    'type', m.type, 'multivalued', m.multivalued, 'targets', string_to_array(m.targets, ',')), (extract(epoch from now()) * 1000)::bigint
  from realms r cross join (values
    ('name', 'property', 'name', 'string', false, 'idToken,userinfo'),
    ('given_name', 'attribute', 'firstName', 'string', false, 'idToken,userinfo'),
    ('family_name', 'attribute', 'lastName', 'string', false, 'idToken,userinfo'),
    ('middle_name', 'attribute', 'middleName', 'string', false, 'idToken,userinfo'),
    ('nickname', 'attribute', 'nickname', 'string', false, 'idToken,userinfo'),
    ('preferred_username', 'property', 'username', 'string', false, 'idToken,userinfo,introspection'),
    ('profile', 'attribute', 'profile', 'string', false, 'idToken,userinfo'),
    ('picture', 'attribute', 'picture', 'string', false, 'idToken,userinfo'),
    ('website', 'attribute', 'website', 'string', false, 'idToken,userinfo'),
    ('gender', 'attribute', 'gender', 'string', false, 'idToken,userinfo'),
    ('birthdate', 'attribute', 'birthdate', 'string', false, 'idToken,userinfo'),
    ('zoneinfo', 'attribute', 'zoneinfo', 'string', false, 'idToken,userinfo'),
    ('locale', 'attribute', 'locale', 'string', false, 'idToken,userinfo'),
    ('updated_at', 'property', 'updatedAt', 'number', false, 'idToken,userinfo'),
    ('email', 'property', 'email', 'string', false, 'idToken,userinfo'),
    ('email_verified', 'property', 'emailVerified', 'boolean', false, 'idToken,userinfo'),
    ('address.formatted', 'attribute', 'formattedAddress', 'string', false, 'idToken,userinfo'),
    ('address.street_address', 'attribute', 'streetAddress', 'string', false, 'idToken,userinfo'),
    ('address.locality', 'attribute', 'locality', 'string', false, 'idToken,userinfo'),
    ('address.region', 'attribute', 'region', 'string', false, 'idToken,userinfo'),
    ('address.postal_code', 'attribute', 'postalCode', 'string', false, 'idToken,userinfo'),
    ('address.country', 'attribute', 'country', 'string', false, 'idToken,userinfo'),
    ('phone_number', 'attribute', 'phoneNumber', 'string', false, 'idToken,userinfo'),
    ('phone_number_verified', 'attribute', 'phoneNumberVerified', 'boolean', false, 'idToken,userinfo'),
    ('roles', 'roles', 'realm', 'string', true, 'idToken,accessToken,userinfo,introspection'),
    ('resource_access', 'roles', 'clients', 'json', true, 'idToken,accessToken,userinfo,introspection'),
    ('realm_access.roles', 'roles', 'realm', 'string', true, 'idToken,accessToken,userinfo,introspection'),
    ('groups', 'groups', 'path', 'string', true, 'idToken,accessToken,userinfo,introspection'),
    ('organizations', 'organizations', 'alias', 'string', true, 'idToken,accessToken,userinfo,introspection')
  ) m (claim, source, value, type, multivalued, targets);
insert into client_scope_claims (realm_id, scope_id, claim_id)
  select s.realm_id, s.scope_id, m.claim_id
  from (values
    ('profile', array['name', 'given_name', 'family_name', 'middle_name', 'nickname', 'preferred_username', 'profile', 'picture', 'website', 'gender', 'birthdate', 'zoneinfo', 'locale', 'updated_at']),
    ('email', array['email', 'email_verified']),
    ('address', array['address.formatted', 'address.street_address', 'address.locality', 'address.region', 'address.postal_code', 'address.country']),
    ('phone', array['phone_number', 'phone_number_verified']),
    ('roles', array['roles', 'resource_access']),
    ('groups', array['groups']),
    ('organizations', array['organizations'])
  ) brings (scope, claims)
  join client_scopes s on s.name = brings.scope
  join claim_mappers m on m.realm_id = s.realm_id and m.client_id is null and m.name = any (brings.claims);
-- End of the beginnings.

-- What a realm decides about its issuer besides its settings; no row: the defaults.
create table realm_oidc (
  realm_id        text   collate "C" not null,
  subject_claim   jsonb  not null default '{"strategy": "userId"}',
  provisioning    jsonb  not null default '{}',
  pairwise_salt   text,  -- sealed; made when first needed, kept for ever: subjects hang on it
  version         bigint not null default 1,
  constraint realm_oidc_pkey primary key (realm_id),
  constraint realm_oidc_realm foreign key (realm_id) references realms
);

-- The P-256 companion of a signing key, made when a realm or a client first asks for ES256; kid `<key_id>-ec`.
create table realm_key_companions (
  realm_id    text   collate "C" not null,
  key_id      uuid   not null,
  public_jwk  jsonb  not null,
  private_key text   not null, -- sealed PKCS#8
  created_at  bigint not null,
  constraint realm_key_companions_pkey primary key (realm_id, key_id),
  constraint realm_key_companions_key foreign key (realm_id, key_id) references realm_keys on delete cascade
);

-- What one user gave one client in one sign-in (or for good, with offline_access): every token of theirs hangs on it.
create table oidc_grants (
  realm_id   text   collate "C" not null,
  grant_id   uuid   not null,
  user_id    uuid   not null,
  client_id  text   collate "C" not null,
  session_id uuid,  -- null: lives without a session (offline_access, password grant)
  payload    jsonb  not null, -- the engine's Grant: scopes, claims, resources, authorization details
  created_at bigint not null,
  expires_at bigint not null,
  constraint oidc_grants_pkey primary key (realm_id, grant_id),
  constraint oidc_grants_user foreign key (realm_id, user_id) references users on delete cascade,
  constraint oidc_grants_client foreign key (realm_id, client_id) references clients (realm_id, client_id) on delete cascade
);
create index oidc_grants_by_user on oidc_grants (realm_id, user_id, client_id);
create index oidc_grants_by_client on oidc_grants (realm_id, client_id, user_id);
create index oidc_grants_by_session on oidc_grants (realm_id, session_id) where session_id is not null;
create index oidc_grants_expiry on oidc_grants (expires_at);

-- Codes, refresh tokens, device codes, pushed requests, sign-ins in progress, … as the engine keeps them; the key is sha256 of what was handed out.
create table oidc_records (
  realm_id    text   collate "C" not null,
  model       text   collate "C" not null,
  record_id   text   collate "C" not null,
  payload     jsonb  not null,
  grant_id    uuid,
  client_id   text   collate "C",
  uid         text   collate "C",
  user_code   text   collate "C", -- sha256
  sealed      text,  -- sealed; what a CIBA client is called back with
  consumed_at bigint,
  expires_at  bigint not null,
  constraint oidc_records_pkey primary key (realm_id, model, record_id),
  constraint oidc_records_realm foreign key (realm_id) references realms,
  constraint oidc_records_grant foreign key (realm_id, grant_id) references oidc_grants on delete cascade,
  constraint oidc_records_client foreign key (realm_id, client_id) references clients (realm_id, client_id) on delete cascade
);
create index oidc_records_by_grant on oidc_records (realm_id, grant_id) where grant_id is not null;
create index oidc_records_by_client on oidc_records (realm_id, client_id) where client_id is not null;
create unique index oidc_records_by_uid on oidc_records (realm_id, model, uid) where uid is not null;
create unique index oidc_records_by_user_code on oidc_records (realm_id, model, user_code) where user_code is not null;
create index oidc_records_expiry on oidc_records (expires_at);
-- What waits for a user's answer (CIBA).
create index oidc_records_asked on oidc_records (realm_id, (payload ->> 'accountId')) where model = 'BackchannelAuthenticationRequest';

-- Access tokens that ended before their time.
create table revoked_tokens (
  realm_id   text   collate "C" not null,
  jti        text   collate "C" not null,
  expires_at bigint not null,
  constraint revoked_tokens_pkey primary key (realm_id, jti),
  constraint revoked_tokens_realm foreign key (realm_id) references realms
);
create index revoked_tokens_expiry on revoked_tokens (expires_at);

-- When a client last got a token in its own name; each node adds its share every few seconds.
create table client_activity (
  realm_id     text   collate "C" not null,
  id           uuid   not null,
  first_at     bigint not null,
  last_at      bigint not null,
  tokens       bigint not null,
  source_ip    text,
  expires_at   bigint not null, -- when the last of these tokens ends
  constraint client_activity_pkey primary key (realm_id, id),
  constraint client_activity_client foreign key (realm_id, id) references clients on delete cascade
);
create index client_activity_by_age on client_activity (realm_id, last_at, id);
create index client_activity_expiry on client_activity (expires_at);

create table initial_access_tokens (
  realm_id   text   collate "C" not null,
  token_id   uuid   not null,
  token_hash text   collate "C" not null,
  name       text,
  uses_left  integer not null,
  created_at bigint not null,
  expires_at bigint not null,
  constraint initial_access_tokens_pkey primary key (realm_id, token_id),
  constraint initial_access_tokens_realm foreign key (realm_id) references realms
);
create unique index initial_access_tokens_by_hash on initial_access_tokens (realm_id, token_hash);
create index initial_access_tokens_by_age on initial_access_tokens (realm_id, created_at, token_id);
create index initial_access_tokens_expiry on initial_access_tokens (expires_at);
