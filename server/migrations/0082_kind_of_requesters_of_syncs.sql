-- The event at the end of a run names its requester, also where the node of the run died.
alter table directory_runs add column requested_by_kind text collate "C";
