import type { Pooling } from "./pooler.ts";

/** The settings that depend on the pooler. */
export interface PoolerSettings {
  readonly databaseUrl: string | null;
  readonly listenUrl: string | null;
  readonly preparedStatements: boolean;
}

const FOUND = "DATABASE_URL leads to a pooler in transaction mode, such as PgBouncer";
const DIRECT = "GATEHOUSE_LISTEN_URL to a direct connection to Postgres";

/**
 * Judges settings that do not work with a pooler in transaction mode: `refused` names those that would end in errors, `warning` those that work by polling
 * only.
 */
export function poolerVerdict(
  { databaseUrl, listenUrl, preparedStatements }: PoolerSettings,
  { byTransaction, keepsPrepared }: Pooling,
): { readonly refused: string | null; readonly warning: string | null } {
  const listens = listenUrl !== null && listenUrl !== databaseUrl;
  const isMixedUp = preparedStatements && !(listens && keepsPrepared);
  const needed = keepsPrepared ? DIRECT : `GATEHOUSE_PREPARED_STATEMENTS=false, and ${DIRECT}`;
  const refused = byTransaction && isMixedUp ? `${FOUND}: set ${needed}.` : null;
  const isUnheard = byTransaction && refused === null && !listens;
  const warning = isUnheard ? `${FOUND}, which delivers no notifications: set ${DIRECT}. Until then changes are found by polling.` : null;
  return { refused, warning };
}
