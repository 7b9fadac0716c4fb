-- The groups of a directory that mappers name, and that the person of an entry was in when it was last read: a hash, empty for none. A run that
-- reads only what changed finds by it those whose groups changed while their entry did not.
alter table directory_entries add column groups text collate "C" not null default '';
