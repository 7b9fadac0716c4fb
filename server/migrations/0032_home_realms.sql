-- Domains of organizations that are proven by DNS, and the identity providers that they lead to.

alter table organization_domains
  -- Published as a TXT record, it proves the domain. Rows of a release that does not know it get one, too.
  add column token uuid not null default gen_random_uuid(),
  -- dns or admin; null with `verified`: the word of an administrator, by an earlier release.
  add column verified_by text collate "C",
  -- The record of a domain that was proven by it has been missing since then.
  add column missing_since bigint,
  -- When the record is looked up again; null where nothing is to be looked up.
  add column check_at bigint;
create index organization_domains_to_check on organization_domains (check_at) where check_at is not null;

create index organizations_by_provider on organizations (realm_id, identity_provider) where identity_provider is not null;
