-- The account's list of applications reads the SAML clients that it can offer, not all of the realm.
create index saml_clients_with_link on saml_clients (realm_id, id)
  where (settings -> 'options' ->> 'clientUri') is not null or (settings -> 'options' ->> 'idpInitiatedSsoEnabled') = 'true';
-- Without them the planner takes every client for one with a link, and reads the whole table.
create statistics saml_clients_links on (settings -> 'options' ->> 'clientUri'), (settings -> 'options' ->> 'idpInitiatedSsoEnabled') from saml_clients;
