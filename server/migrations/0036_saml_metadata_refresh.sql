-- When the metadata of a SAML client is read again from its address; null: never.
alter table saml_clients add column metadata_due_at bigint;
create index saml_clients_metadata_due on saml_clients (metadata_due_at) where metadata_due_at is not null;
