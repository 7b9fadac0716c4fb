-- The keys beside a signing key that share its life: `<key_id>-ed` (Ed25519) and those that come later. The P-256 key stays in
-- realm_key_companions, where the previous release looks for it.
create table realm_companion_keys (
  realm_id    text   collate "C" not null,
  kid         text   collate "C" not null,
  key_id      uuid   not null,
  public_jwk  jsonb  not null,
  private_key text   not null, -- sealed PKCS#8
  created_at  bigint not null,
  constraint realm_companion_keys_pkey primary key (realm_id, kid),
  constraint realm_companion_keys_key foreign key (realm_id, key_id) references realm_keys on delete cascade
);

create index realm_companion_keys_by_key on realm_companion_keys (realm_id, key_id);
