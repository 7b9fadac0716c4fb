-- Who started a sync, by id: an erased administrator is found by it whatever they were called then, in whatever realm. Null: nobody did.
alter table directory_runs add column requested_by_id uuid;
create index directory_runs_by_requester on directory_runs (requested_by_id) where requested_by_id is not null;
