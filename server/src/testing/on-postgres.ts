import { test } from "vitest";
import { testDatabase } from "./test-database.ts";

/**
 * For a long test in a file that runs on the embedded database, too: its subject is no race, and it needs no database of that kind, or others
 * send the same statements there.
 */
export const onPostgres = test.runIf(testDatabase() === "postgres");
