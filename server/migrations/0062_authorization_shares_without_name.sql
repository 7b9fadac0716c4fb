-- Sharing again by a name that had moved to another user left the former user's share, which the owner could no longer see or end.
delete from authz_shares s where s.status = 'GRANTED' and not exists (
  select 1 from authz_share_names n where n.realm_id = s.realm_id and n.client_id = s.client_id and n.resource_id = s.resource_id
    and n.user_id = s.user_id and s.scope = any(n.scopes));
