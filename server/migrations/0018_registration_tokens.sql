-- The registration access token before the present one: it works until the present one was used.
alter table clients add column previous_registration_hash text collate "C";
