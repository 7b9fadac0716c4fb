import { postgresBin, startPostgresOfRun } from "./index.mjs";

/** `npm test` starts Postgres itself; this serves direct calls of vitest. @param {{ name: string }} project */
export default async function setup(project) {
  if (process.env.GATEHOUSE_TEST_POSTGRES_URL) return undefined;
  // A journey that needs Postgres skips itself without it, but the project `postgres` cannot run at all.
  if (project.name !== "postgres" && !postgresBin()) return undefined;
  const postgres = await startPostgresOfRun();
  process.env.GATEHOUSE_TEST_POSTGRES_URL = postgres.url;
  return async () => {
    delete process.env.GATEHOUSE_TEST_POSTGRES_URL;
    await postgres.stop();
  };
}
