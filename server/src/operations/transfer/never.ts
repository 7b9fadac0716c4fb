/** The tables that no section carries, with the reasons. A house check refuses a table with `realm_id` that is neither here nor in a section. */
export const neverExported = [
  // These belong to one server: names of realms, versions of caches, cursors, counters, jobs.
  ...["realms", "realm_versions", "jobs", "metric_hours", "message_limits", "managed_objects"],
  // Sessions, sign-ins in progress, and their data.
  ...[
    "sessions",
    "session_participants",
    "interactions",
    "action_tokens",
    "login_attempts",
    "known_devices",
    "impersonation_tickets",
    "branding_drafts",
  ],
  ...["brokered_sessions", "broker_answers", "broker_logouts", "broker_logout_tokens", "saml_answered_requests", "saml_logouts"],
  ...["saml_logout_participants", "device_challenges", "spent_challenges", "transactions", "push_tokens"],
  // Tokens and grants: applications ask for new ones.
  ...["oidc_grants", "oidc_records", "revoked_tokens", "initial_access_tokens", "identity_link_tokens", "client_activity"],
  // The audit trail and its deliveries.
  ...["audit_events", "webhook_deliveries", "webhook_intervals"],
  // These follow from other tables.
  ...["group_member_counts", "organization_member_counts", "identity_provider_metadata"],
  // Runs of directories and imports, which are repeated, and grants of mappers, which the next sign-in gives: users are exported without them.
  ...["directory_entries", "directory_erasures", "directory_runs", "user_imports", "identity_provider_grants"],
  // Personal data: earlier passwords, consents, and accounts and names elsewhere.
  ...["password_history", "consents", "resource_consents", "terms_acceptances", "saml_name_ids", "identity_links"],
  // SCIM: tokens are created anew, and the next run of a connection brings its data of users and groups.
  ...["scim_tokens", "scim_users", "scim_user_emails", "scim_user_ids", "scim_group_ids"],
  ...["scim_organization_user_ids", "scim_organization_group_ids"],
  // Shares of resources that users own at applications.
  ...["authz_shares", "authz_share_names"],
  // The state of SCIM targets: a target elsewhere compares everything.
  ...["scim_target_states", "scim_objects", "scim_members", "scim_changes"],
  // These belong to a move that is under way: imported users wait for their passwords anew, and the source is configured again.
  ...["password_sources", "awaited_passwords"],
  // Invitations are sent again.
  "organization_invitations",
] as const;
