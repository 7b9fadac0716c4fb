-- Applications that people can open, for the list in their account.
create index clients_with_link on clients (realm_id, client_key, id) where enabled and settings ->> 'clientUri' is not null;
