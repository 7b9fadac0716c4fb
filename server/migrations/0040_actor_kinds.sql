-- What kind of actor an event names: a user may be called like anything else. Null: recorded by an earlier release.
alter table audit_events add column actor_kind text;
