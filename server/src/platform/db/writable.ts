import { sql } from "kysely";

/**
 * Reads nothing, and fails (25006) on a host that takes no writes. The failure closes the connection, and the next one finds the new primary. A former primary
 * still answers other reads, and would say for ever that nothing has changed.
 */
export const assertWritable = sql`select from realm_versions where false for key share`;
