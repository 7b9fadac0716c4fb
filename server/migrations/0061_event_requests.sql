-- The request by which an event came about: the number on an error page finds it. Null: a job or a command, or recorded by an earlier release.
alter table audit_events add column request_id uuid;
create index audit_events_by_request on audit_events (realm_id, request_id, ts desc, event_id desc) where request_id is not null;
