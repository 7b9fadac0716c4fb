import { test } from "vitest";
import { testDatabase } from "./test-database.ts";

/** For a long test in a file that runs on the embedded database, too: others send the same statements there, and no race is its subject. */
export const onPostgres = test.runIf(testDatabase() === "postgres");
