-- Keys of hashes that are compared for years, sealed under the master key: a new master key must not change them.
create table lasting_keys (
  purpose text collate "C" not null,
  sealed  text not null,
  constraint lasting_keys_pkey primary key (purpose)
);
