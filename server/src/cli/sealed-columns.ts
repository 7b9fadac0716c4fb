/** A column of ciphertexts, with the parts of its additional data: see `Place` in kernel/vault.ts. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The column whose value, as text, is `row` in the place. */
  readonly rowKey: string;
  /** The column with the realm. Null for a table of the server itself. */
  readonly realm: string | null;
  /** The type of the sealed rows, in a table that also has other rows. */
  readonly type?: string;
}

/** Every column that is sealed under the master key. A feature that adds such a column adds its line. The canary stays last: see key.ts. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: "realm_keys", column: "private_key", rowKey: "key_id", realm: "realm_id" },
  { table: "messaging_providers", column: "secret", rowKey: "provider_id", realm: "realm_id" },
  { table: "push_tokens", column: "token", rowKey: "push_token_id", realm: "realm_id" },
  { table: "jobs", column: "sealed", rowKey: "job_id", realm: "realm_id" },
  { table: "webhooks", column: "secret", rowKey: "webhook_id", realm: "realm_id" },
  { table: "webhooks", column: "previous_secret", rowKey: "webhook_id", realm: "realm_id" },
  { table: "realm_key_companions", column: "private_key", rowKey: "key_id", realm: "realm_id" },
  { table: "realm_companion_keys", column: "private_key", rowKey: "kid", realm: "realm_id" },
  { table: "realm_oidc", column: "pairwise_salt", rowKey: "realm_id", realm: "realm_id" },
  { table: "clients", column: "secret", rowKey: "id", realm: "realm_id" },
  { table: "clients", column: "previous_secret", rowKey: "id", realm: "realm_id" },
  { table: "oidc_records", column: "sealed", rowKey: "record_id", realm: "realm_id" },
  { table: "credentials", column: "secret", rowKey: "credential_id", realm: "realm_id", type: "totp" },
  { table: "identity_provider_secrets", column: "sealed", rowKey: "secret_key", realm: "realm_id" },
  { table: "broker_answers", column: "sealed", rowKey: "answer_id", realm: "realm_id" },
  { table: "brokered_sessions", column: "sealed", rowKey: "brokered_session_id", realm: "realm_id" },
  { table: "identity_link_tokens", column: "sealed", rowKey: "link_token_id", realm: "realm_id" },
  { table: "password_sources", column: "secret", rowKey: "realm_id", realm: "realm_id" },
  { table: "scim_targets", column: "secret", rowKey: "target_id", realm: "realm_id" },
  { table: "lasting_keys", column: "sealed", rowKey: "purpose", realm: null },
  { table: "vault_canary", column: "sealed", rowKey: "canary_id", realm: null },
];
