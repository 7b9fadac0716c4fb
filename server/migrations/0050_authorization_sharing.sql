-- What an owner typed when they shared a resource. It is listed whether or not there is such a user, so that the list does not reveal who exists;
-- `authz_shares` has what counts.
create table authz_share_names (
  realm_id    text   collate "C" not null,
  client_id   uuid   not null,
  resource_id uuid   not null,
  share_id    uuid   not null,
  name        text   not null, -- as typed
  name_key    text   collate "C" not null,
  user_id     uuid,  -- null: there was no such user
  scopes      text[] not null, -- an empty text is the resource itself, where it has no scopes
  created_at  bigint not null,
  constraint authz_share_names_pkey primary key (realm_id, client_id, resource_id, share_id),
  constraint authz_share_names_taken unique (realm_id, client_id, resource_id, name_key),
  constraint authz_share_names_resource foreign key (realm_id, client_id, resource_id) references authz_resources on delete cascade,
  constraint authz_share_names_user foreign key (realm_id, user_id) references users on delete cascade
);
create index authz_share_names_by_name on authz_share_names (realm_id, name_key);
create index authz_share_names_by_user on authz_share_names (realm_id, user_id) where user_id is not null;
