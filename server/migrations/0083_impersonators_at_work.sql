-- Every use of a token asks this of sessions that are impersonated. A function is not part of the statement's plan, to which the view of
-- permissions would add a third of the time, also where nobody is impersonated.
create function is_at_work(realm text, administrator uuid, own_session uuid, at bigint) returns boolean language sql stable as $$
  select exists (
    select 1 from sessions i join users a on a.realm_id = i.realm_id and a.user_id = i.user_id
    where i.realm_id = realm and i.session_id = own_session and i.user_id = administrator and i.impersonator is null and i.expires_at > at
      and a.enabled and not a.locked and exists (select 1 from user_permissions p
        where p.realm_id = i.realm_id and p.user_id = i.user_id and p.permission in ('manage-users', 'realm-admin')))
$$;
