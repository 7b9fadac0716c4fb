import { configDefaults, defineConfig } from "vitest/config";

// What needs no database runs once. Anything not listed here runs on both databases: forgetting a line costs time, not safety.
const plain = [
  ...[
    "kernel",
    "config",
    "platform/http",
    "platform/ldap",
    "platform/outbound",
    "platform/passwords",
    "platform/rate-limit",
    "platform/telemetry",
    "platform/saml",
    "signin/pages",
    "cli/doctor",
  ].map((folder) => `src/${folder}/**/*.test.{ts,tsx}`),
  "src/config.test.ts",
  "src/cli/{cli,image,npm-scripts,npm-start,openapi,reference}.test.ts",
  "src/platform/db/{directory-lock,gathered}.test.ts",
  "src/tenancy/messaging/placeholders.test.ts",
  "src/tenancy/settings/custom-css.test.ts",
  "src/tenancy/webhooks/lanes.test.ts",
  "src/tenancy/audit/{catalogue,transports}.test.ts",
  "src/tenancy/messaging/{drivers/*,recipients}.test.ts",
  "src/applications/claims/evaluate.test.ts",
  "src/applications/saml-clients/attributes.test.ts",
  "src/signin/login/return-target.test.ts",
  "src/signin/flows/check.test.ts",
  "src/operations/api-docs/operation-id.test.ts",
];

// Long tables of requests over stores that other files try on both databases, or over none: once is enough, on the database that
// companies use.
const onPostgresAlone = [
  "src/protocols/oidc/{attacks,features,certification.*}.test.ts",
  "src/protocols/oidc/authorize/{deep-parameters,signing-in}.test.ts",
  "src/protocols/token-endpoint/{code-and-refresh,client-credentials}.test.ts",
  "src/protocols/registration/registration.test.ts",
  "src/protocols/saml/{bad-input,forged-messages}.test.ts",
  "src/protocols/saml/sso/{behaviour,refusals,protection,idp-initiated}.test.ts",
  "src/applications/saml-clients/import.test.ts",
  "src/signin/brokers/presets.test.ts",
  "src/signin/brokers/eid/*.test.ts",
  "src/signin/brokers/saml/bad-input.test.ts",
  "src/signin/brokers/saml/{bad-input,slo}.test.ts",
  "src/operations/api-docs/**/*.test.ts",
  "src/operations/admin-gate/{gate,every-route}.test.ts",
  "src/operations/monitoring/database-away.test.ts",
  "src/tenancy/messaging/providers.test.ts",
  "src/tenancy/permissions/admin-routes.test.ts",
  "src/directory/{roles,groups}/escalation.test.ts",
  "src/signin/directories/{active-directory,passwords}.test.ts",
  "src/signin/identity-providers/escalation.test.ts",
];

const onBothDatabases = { include: ["src/**/*.test.{ts,tsx}"], exclude: [...configDefaults.exclude, ...plain] };
const postgresSetup = "./test/peers/global-setup.mjs";
const inCI = Boolean(process.env.CI) && process.env.CI !== "false";

export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 2,
    // Files share a process and what it has loaded: a fifth of the whole time. Every file closes what it opened and puts back the clock.
    isolate: false,
    // Reached by what hangs, and by nothing else: how long work takes is the machine's affair.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    allowOnly: !inCI,
    // What is waited for comes when a busy machine lets it.
    expect: { poll: { timeout: 90_000 } },
    projects: [
      // "none" lets the harness refuse: a test that needs a database does not belong to this project.
      { extends: true, test: { name: "plain", include: plain, env: { GATEHOUSE_TEST_DATABASE: "none" } } },
      {
        extends: true,
        test: {
          name: "embedded",
          ...onBothDatabases,
          exclude: [...onBothDatabases.exclude, ...onPostgresAlone],
          env: { GATEHOUSE_TEST_DATABASE: "embedded" },
        },
      },
      {
        extends: true,
        test: { name: "postgres", ...onBothDatabases, env: { GATEHOUSE_TEST_DATABASE: "postgres" }, globalSetup: postgresSetup },
      },
      {
        extends: true,
        test: {
          name: "journeys",
          include: ["test/journeys/**/*.test.{ts,tsx}"],
          env: { GATEHOUSE_TEST_DATABASE: "embedded" },
          globalSetup: postgresSetup,
          // Whole servers and a browser, after everything else.
          isolate: true,
          sequence: { groupOrder: 1 },
          testTimeout: 600_000,
        },
      },
    ],
  },
});
