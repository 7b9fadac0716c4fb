-- For the list of a webhook's deliveries, searched by event.
create index webhook_deliveries_by_event on webhook_deliveries (realm_id, webhook_id, event_id);
