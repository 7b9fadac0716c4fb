import { sql } from "kysely";
import { clock } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Vault } from "../../kernel/vault.ts";
import { type Db, deleteRows, findRow, type Tx } from "../../platform/db/index.ts";

declare module "../../platform/db/tables.ts" {
  interface Tables {
    identity_link_tokens: {
      realm_id: string;
      link_token_id: string;
      user_id: string;
      provider_id: string;
      sealed: string;
      expires_at: number | null;
      stored_at: number;
      refreshing_until: number | null;
    };
  }
}

/** Tokens of a provider that are kept for a user (`storeTokens`). */
export interface LinkTokens {
  readonly accessToken: string;
  readonly tokenType: string;
  readonly refreshToken: string | null;
  readonly idToken: string | null;
  readonly scope: string | null;
  /** The expiry of the access token, or null if the provider did not state it. */
  readonly expiresAt: number | null;
}

export interface LinkKey {
  readonly userId: string;
  readonly providerId: string;
}

const place = (realm: string, row: string) => ({ realm, table: "identity_link_tokens", column: "sealed", row });

/** Stores tokens in the transaction of the sign-in or the link. The link must exist, because the tokens are deleted with it. */
export async function keepLinkTokens(
  tx: Tx,
  vault: Vault,
  realm: string,
  { userId, providerId }: LinkKey,
  tokens: LinkTokens,
  now: number,
) {
  const rowId = newId();
  const { expiresAt, ...kept } = tokens;
  const sealed = vault.seal(JSON.stringify(kept), place(realm, rowId));
  await sql`
    insert into identity_link_tokens (realm_id, link_token_id, user_id, provider_id, sealed, expires_at, stored_at)
    values (${realm}, ${rowId}, ${userId}, ${providerId}, ${sealed}, ${expiresAt}, ${now})
    on conflict (realm_id, user_id, provider_id) do update set
      link_token_id = excluded.link_token_id, sealed = excluded.sealed, expires_at = excluded.expires_at, stored_at = excluded.stored_at,
      refreshing_until = null`.execute(tx);
}

export async function findLinkTokens(db: Db, vault: Vault, realm: string, { userId, providerId }: LinkKey): Promise<LinkTokens | null> {
  const row = await findRow(db, "identity_link_tokens", ["link_token_id", "sealed", "expires_at"], {
    realm_id: realm,
    user_id: userId,
    provider_id: providerId,
  });
  return row ? { ...JSON.parse(vault.open(row.sealed, place(realm, row.link_token_id))), expiresAt: row.expires_at } : null;
}

/** Lets one request at a time refresh the tokens that it read, on all nodes. Returns false if another request refreshes them or has refreshed them. */
export async function beginRefresh(
  tx: Db,
  realm: string,
  { userId, providerId }: LinkKey,
  { expiresAt }: LinkTokens,
  leaseMs: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update identity_link_tokens set refreshing_until = ${clock.shared() + leaseMs}
    where realm_id = ${realm} and user_id = ${userId} and provider_id = ${providerId} and expires_at = ${expiresAt}
      and (refreshing_until is null or refreshing_until <= ${clock.shared()})`.execute(tx);
  return (numAffectedRows ?? 0n) > 0n;
}

export async function endRefresh(tx: Db, realm: string, { userId, providerId }: LinkKey): Promise<void> {
  await sql`update identity_link_tokens set refreshing_until = null
    where realm_id = ${realm} and user_id = ${userId} and provider_id = ${providerId}`.execute(tx);
}

export async function dropLinkTokens(tx: Db, realm: string, { userId, providerId }: LinkKey): Promise<void> {
  await sql`delete from identity_link_tokens
    where realm_id = ${realm} and user_id = ${userId} and provider_id = ${providerId}`.execute(tx);
}

/** Deletes all tokens of a provider, because its configuration no longer keeps them. */
export async function dropTokensOfProvider(tx: Tx, realm: string, providerId: string): Promise<void> {
  await deleteRows(tx, "identity_link_tokens", { realm_id: realm, provider_id: providerId });
}
