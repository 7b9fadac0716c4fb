-- Users by an attribute's exact value. Realm, name and value are hashed together: the realm comes first as in every index, without an
-- extension, and long values fit. What the index finds is compared with the attributes themselves.
create function user_attribute_keys(realm text, attributes jsonb) returns bigint[] language sql immutable parallel safe as $$
  select coalesce(array_agg(distinct hashtextextended((realm || chr(1) || a.key || chr(1) || v.value) collate "C", 0)), '{}')
  from jsonb_each(attributes) a
  cross join lateral jsonb_array_elements_text(case jsonb_typeof(a.value) when 'array' then a.value else jsonb_build_array(a.value) end) v
$$;
--;;
create index users_by_attribute on users using gin (user_attribute_keys(realm_id, attributes));

-- Whose address is confirmed, or not, in the order of their usernames.
create index users_by_email_verified on users (realm_id, email_verified, username_key, user_id);
