/** Returns the database of this run. It is not in the harness, so that tests which start servers as processes do not load one. */
export const testDatabase = (): "embedded" | "postgres" => {
  const kind = process.env.GATEHOUSE_TEST_DATABASE;
  if (kind === "none") throw new Error("This test needs a database, but its file is listed as plain in vitest.config.ts");
  return kind === "postgres" ? "postgres" : "embedded";
};

/** Settings with which a busy machine does not turn an answer into a 503. Tests of the deadlines set short ones. */
export const notOverloaded = {
  GATEHOUSE_MAX_LOOP_DELAY_MS: "0",
  GATEHOUSE_DATABASE_CONNECT_TIMEOUT_MS: "60000",
  GATEHOUSE_DATABASE_STATEMENT_TIMEOUT_MS: "60000",
  GATEHOUSE_DATABASE_LOCK_TIMEOUT_MS: "60000",
};
