-- If-Match guards the deletion of a signing key, as that of every other record.
alter table realm_keys add column version bigint not null default 1;
