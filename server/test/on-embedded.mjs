// The files that also run on the embedded database; all others run on Postgres only. PGlite is Postgres, so it parses and plans the same SQL, and
// test/journeys/embedded-statements.test.ts sends it every statement of the other files. It differs in three ways: it has one connection (transactions, loops
// beside requests), it has no notifications, and one process holds its folder.
export const onEmbedded = [
  // All tests of drivers, transactions, loops, caches and maintenance.
  "src/platform/cache/realm-cache.test.ts",
  "src/platform/cache/record-cache.test.ts",
  "src/platform/cache/watcher.test.ts",
  "src/platform/db/maintenance.test.ts",
  "src/platform/db/postgres.test.ts",
  "src/platform/jobs/jobs.test.ts",
  "src/testing/lent-databases.test.ts",
  // The folder: commands, first start, stop.
  "src/cli/database-commands.test.ts",
  "src/cli/first-start.test.ts",
  "src/cli/key.test.ts",
  "src/cli/stop.test.ts",
  // Loops and batches of features.
  "src/directory/import/import-resume.test.ts",
  "src/operations/monitoring/aging.test.ts",
  "src/federation/ldap/sync.test.ts",
  "src/tenancy/audit/forwarder.test.ts",
  "src/tenancy/audit/retention.test.ts",
  "src/tenancy/audit/stream.test.ts",
  "src/tenancy/webhooks/delivery.test.ts",
  "src/tenancy/webhooks/intervals.test.ts",
  // The server's own checks of its database.
  "src/operations/monitoring/health.test.ts",
  "src/operations/monitoring/metrics.test.ts",
  // Races that one connection decides differently.
  "src/directory/users/user-names.test.ts",
  "src/signin/run/interactions.test.ts",
];
