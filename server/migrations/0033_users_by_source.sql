-- Users by where their account comes from, in the order of their usernames. The index of 0023 leaves out local users and has no order.
create index users_by_source_name on users (realm_id, source, username_key, user_id);
