/** The database of this run. Apart from the harness, so that tests that start servers as processes do not load one. */
export const testDatabase = (): "embedded" | "postgres" => {
  const kind = process.env.GATEHOUSE_TEST_DATABASE;
  if (kind === "none") throw new Error("This test needs a database, but its file is listed as plain in vitest.config.ts");
  return kind === "postgres" ? "postgres" : "embedded";
};
