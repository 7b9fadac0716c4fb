import { test } from "vitest";
import { testDatabase } from "./test-database.ts";

/**
 * Runs a long test on Postgres only, in a file that also runs on the embedded database. This is right for a test that is not about a race and does not need the
 * embedded database, or whose statements other tests send there.
 */
export const onPostgres = test.runIf(testDatabase() === "postgres");
