-- The members of a user that a scheme such as eIDAS supplied by this link: people do not change them themselves.
alter table identity_links add column supplied text[] not null default '{}';

-- The minimum data set of eIDAS always has the names of a natural person.
update identity_links l set supplied = array(select n from unnest(array['firstName', 'lastName']) n where u.attributes ? n)
from users u, identity_providers p
where p.realm_id = l.realm_id and p.provider_id = l.provider_id and p.protocol = 'eidas'
  and u.realm_id = l.realm_id and u.user_id = l.user_id and u.source = 'eidas:' || p.alias;
