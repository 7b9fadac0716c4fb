-- The pictures of a realm's brand.
create table realm_images (
  realm_id   text    collate "C" not null,
  name       text    collate "C" not null,
  media_type text    not null,
  body       text    not null, -- base64
  hash       text    not null, -- of the picture's bytes: a part of its address
  width      integer not null,
  height     integer not null,
  updated_at bigint  not null,
  constraint realm_images_pkey primary key (realm_id, name),
  constraint realm_images_realm foreign key (realm_id) references realms (realm_id) on delete cascade,
  constraint realm_images_name check (name in ('logo', 'logo-dark', 'favicon')),
  constraint realm_images_media_type check (media_type in ('image/png', 'image/svg+xml'))
);

-- A brand that is being tried, for the session that tries it.
create table branding_drafts (
  realm_id   text   collate "C" not null,
  session_id text   collate "C" not null,
  branding   jsonb  not null,
  expires_at bigint not null,
  constraint branding_drafts_pkey primary key (realm_id, session_id),
  constraint branding_drafts_realm foreign key (realm_id) references realms (realm_id) on delete cascade
);
create index branding_drafts_expiry on branding_drafts (expires_at);
