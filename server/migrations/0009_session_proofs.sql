-- What a session stands on: the steps that were passed, of which flow, and when. Null: a node of the release before began it, and its
-- `amr` is all that is known.
alter table sessions add column proofs jsonb;
