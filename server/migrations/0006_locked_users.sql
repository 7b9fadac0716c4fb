-- Whether too many attempts of a user failed, of whatever kind they were: asked for every user of a list, true for next to nobody.
create index login_attempts_locked_subject on login_attempts (realm_id, subject) where locked_until > 0;
