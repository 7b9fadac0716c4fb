-- The impersonator is known by their id, as the actor is: a name changes, and may be another's later. Null: recorded by an earlier release.
alter table audit_events add column impersonator_id text;
create index audit_events_by_impersonator_id on audit_events (impersonator_id) where impersonator_id is not null; -- erasure looks there
