import { sql } from "kysely";
import { MINUTE } from "../../kernel/clock.ts";
import { sha256, type Vault } from "../../kernel/vault.ts";
import { type Db, deleteExpired, type Tx } from "../../platform/db/index.ts";
import type { UpstreamHop } from "./broker.ts";

declare module "../../platform/db/tables.ts" {
  interface Tables {
    broker_logouts: {
      realm_id: string;
      state_hash: string;
      provider_id: string;
      browser_hash: string;
      kept: Record<string, unknown>;
      next: string;
      expires_at: number;
    };
    broker_logout_tokens: { realm_id: string; provider_id: string; token_hash: string; expires_at: number };
  }
}

const LIFETIME = 10 * MINUTE;

/** A logout that continues at a provider. */
export interface UpstreamLogout {
  readonly providerId: string;
  readonly hop: UpstreamHop;
  /** The path at which the browser continues after its return, or if it cannot reach the provider. */
  readonly next: string;
}

/** The address may contain an ID token, so it is sealed. The row is deleted when the browser returns, and expires after minutes. */
const place = (realm: string, stateHash: string) => ({ realm, table: "broker_logouts", column: "kept", row: stateHash });

export async function insertUpstreamLogout(
  tx: Tx,
  vault: Vault,
  realm: string,
  { state, browser, providerId, hop, next }: UpstreamLogout & { readonly state: string; readonly browser: string },
  now: number,
): Promise<void> {
  const hash = sha256(state);
  const kept = JSON.stringify({ sealed: vault.seal(JSON.stringify(hop), place(realm, hash)) });
  await sql`insert into broker_logouts (realm_id, state_hash, provider_id, browser_hash, kept, next, expires_at)
    values (${realm}, ${hash}, ${providerId}, ${sha256(browser)}, ${kept}::text::jsonb, ${next}, ${now + LIFETIME})`.execute(tx);
}

interface Key {
  readonly realm: string;
  readonly state: string;
  /** The tokens that identify this browser. */
  readonly browsers: readonly string[];
  readonly now: number;
}

interface Row {
  readonly provider_id: string;
  readonly kept: { readonly sealed: string };
  readonly next: string;
}

const matches = ({ realm, state, browsers, now }: Key) => sql`realm_id = ${realm} and state_hash = ${sha256(state)}
  and browser_hash = any(${browsers.map(sha256)}::text[]) and expires_at > ${now}`;

const toLogout = (vault: Vault, { realm, state }: Key, row: Row | undefined): UpstreamLogout | null =>
  row ? { providerId: row.provider_id, hop: JSON.parse(vault.open(row.kept.sealed, place(realm, sha256(state)))), next: row.next } : null;

/** Finds the logout of the browser that signed out, until it expires. */
export async function findUpstreamLogout(db: Db, vault: Vault, key: Key): Promise<UpstreamLogout | null> {
  const { rows } = await sql<Row>`select provider_id, kept, next from broker_logouts where ${matches(key)}`.execute(db);
  return toLogout(vault, key, rows[0]);
}

/** Takes the logout from which a browser returns. It succeeds once. */
export async function takeUpstreamLogout(db: Db, vault: Vault, key: Key): Promise<UpstreamLogout | null> {
  const { rows } = await sql<Row>`delete from broker_logouts where ${matches(key)} returning provider_id, kept, next`.execute(db);
  return toLogout(vault, key, rows[0]);
}

/** Returns false if the token was used before. The row decides, so of two requests at once only one succeeds. */
export async function useLogoutToken(
  tx: Tx,
  realm: string,
  { providerId, token, expiresAt }: { readonly providerId: string; readonly token: string; readonly expiresAt: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`insert into broker_logout_tokens (realm_id, provider_id, token_hash, expires_at)
    values (${realm}, ${providerId}, ${sha256(token)}, ${expiresAt}) on conflict do nothing`.execute(tx);
  return (numAffectedRows ?? 0n) > 0n;
}

export async function deleteExpiredBrokerLogouts(db: Db, now: number): Promise<void> {
  await deleteExpired(db, "broker_logouts", now);
  await deleteExpired(db, "broker_logout_tokens", now);
}
