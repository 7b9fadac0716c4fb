-- Single logout: the logouts that one browser is in the middle of.
create index saml_logouts_by_browser on saml_logouts (realm_id, browser_hash, created_at) where browser_hash is not null;
