/** The database did not answer: it cannot be reached, the connection broke, or a deadline passed. The message and code of the cause are kept. */
export class DatabaseUnavailable extends Error {
  readonly code: string | undefined;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "DatabaseUnavailable";
    this.code = (cause as { code?: string } | undefined)?.code;
  }
}

/** Makes a failure of the driver or the socket a DatabaseUnavailable. */
export const asUnavailable = (cause: Error): DatabaseUnavailable =>
  cause instanceof DatabaseUnavailable ? cause : new DatabaseUnavailable(cause.message, cause);

const states = new Set([
  "57014", // query_canceled: statement_timeout
  "55P03", // lock_not_available: lock_timeout
  "25P03", // idle_in_transaction_session_timeout
  "25P04", // transaction_timeout
  "25006", // read_only_sql_transaction: the primary became a standby
]);
// The classes of connection exceptions, insufficient resources (too many connections, a full disk), and operator intervention (a restart).
const CLASSES = /^(08|53|57P)...?$/;

/**
 * Tells whether the same request could succeed once the database is back. This rule stands behind every 503 of the database. Failures below the protocol are
 * marked where they happen (postgres.ts, pglite-database.ts), because a refused connection to another host must not count.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return true;
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" && (states.has(code) || CLASSES.test(code));
}
