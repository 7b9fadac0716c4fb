import pg from "pg";

/** Returns the address of the run's own Postgres, for a superuser. */
export function adminUrl(): string {
  const url = process.env.GATEHOUSE_TEST_POSTGRES_URL;
  if (!url) throw new Error("GATEHOUSE_TEST_POSTGRES_URL is not set: run the tests with npm test, which starts a Postgres");
  return url;
}

export async function connected<T>(connectionString: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Runs work on a connection that may create and drop databases. */
export const asAdmin = <T>(use: (client: pg.Client) => Promise<T>) => connected(adminUrl(), use);
