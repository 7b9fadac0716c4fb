-- When a subscription was enabled, and for which events: an event is delivered by what held in its own moment, however late it is
-- fanned out. Moments are transaction ids, as those of events are (audit_events.xid).
create table webhook_intervals (
  realm_id    text   collate "C" not null,
  webhook_id  uuid   not null,
  interval_id bigint not null generated always as identity,
  event_types text   not null,
  from_xid    xid8   not null default pg_current_xact_id(),
  until_xid   xid8, -- null: it is enabled; its own transaction is outside
  constraint webhook_intervals_pkey primary key (realm_id, webhook_id, interval_id),
  constraint webhook_intervals_webhook foreign key (realm_id, webhook_id) references webhooks on delete cascade
);
create unique index webhook_intervals_one_open on webhook_intervals (realm_id, webhook_id) where until_xid is null;
create index webhook_intervals_ended on webhook_intervals (until_xid) where until_xid is not null; -- clean-up and restores, over all realms
create index webhook_intervals_begun on webhook_intervals (from_xid); -- restores

--;;
-- By trigger, so that a node of the release before keeps them, too.
create function keep_webhook_intervals() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if old.enabled = new.enabled and old.event_types = new.event_types then return null; end if;
    update webhook_intervals set until_xid = pg_current_xact_id()
      where realm_id = old.realm_id and webhook_id = old.webhook_id and until_xid is null;
  end if;
  if new.enabled then
    insert into webhook_intervals (realm_id, webhook_id, event_types) values (new.realm_id, new.webhook_id, new.event_types);
  end if;
  return null;
end $$;
--;;
create trigger keep_webhook_intervals after insert or update of enabled, event_types on webhooks
  for each row execute function keep_webhook_intervals();

-- Of the time before nothing is known: what is enabled now gets what is still to be fanned out.
insert into webhook_intervals (realm_id, webhook_id, event_types, from_xid)
  select realm_id, webhook_id, event_types, '0' from webhooks where enabled;
