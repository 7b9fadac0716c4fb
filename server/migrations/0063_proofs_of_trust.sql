-- The steps that were passed when trust in this browser began: it spares these and no others. Rows of earlier releases do not say it, so their trust ends.
alter table known_devices add column trusted_by text[] not null default '{}';
update known_devices set trusted_until = 0 where trusted_until > 0;
