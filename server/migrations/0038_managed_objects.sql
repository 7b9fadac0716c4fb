-- What an import under a name (`source`) created: a later import under the same name may prune it when its document no longer has it.
create table managed_objects (
  realm_id text collate "C" not null references realms (realm_id) on delete cascade,
  section text collate "C" not null,
  item_key text not null,
  -- The object itself: one that was made again by hand under the same key is another.
  item_id text not null,
  source text collate "C" not null,
  created_at bigint not null,
  primary key (realm_id, section, item_key)
);
