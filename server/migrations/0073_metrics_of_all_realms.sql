-- The hours of all realms together, so that /admin/metrics/summary does not read those of each. Triggers add them up, for nodes of the previous
-- release as well, which add up metric_hours: so the sums have a table of their own.
create table metric_hours_of_all (
  hour    bigint not null, -- start of the hour
  metric  text   collate "C" not null,
  outcome text   collate "C" not null,
  count   bigint not null,
  constraint metric_hours_of_all_pkey primary key (hour, metric, outcome)
);
--;;
create function add_new_metric_hours() returns trigger language plpgsql as $$
begin
  insert into metric_hours_of_all as m (hour, metric, outcome, count)
  select hour, metric, outcome, sum(count)::bigint from added group by hour, metric, outcome order by 1, 2, 3
  on conflict (hour, metric, outcome) do update set count = m.count + excluded.count;
  return null;
end $$;
--;;
create trigger add_new_metric_hours after insert on metric_hours
  referencing new table as added for each statement execute function add_new_metric_hours();
--;;
create function add_changed_metric_hours() returns trigger language plpgsql as $$
begin
  insert into metric_hours_of_all as m (hour, metric, outcome, count)
  select hour, metric, outcome, sum(now.count - former.count)::bigint
  from now join former using (realm_id, hour, metric, outcome) group by hour, metric, outcome order by 1, 2, 3
  on conflict (hour, metric, outcome) do update set count = m.count + excluded.count;
  return null;
end $$;
--;;
create trigger add_changed_metric_hours after update on metric_hours
  referencing old table as former new table as now for each statement execute function add_changed_metric_hours();

insert into metric_hours_of_all (hour, metric, outcome, count)
select hour, metric, outcome, sum(count)::bigint from metric_hours group by hour, metric, outcome;
