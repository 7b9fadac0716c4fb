import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// The longest of the journeys come first, or one of them would run alone at the end. The others come as always: the largest file first.
const LONGEST = ["kill", "webhooks", "clone", "interactive-docs", "sign-in", "saml-service-providers", "sign-in-elsewhere"];
const rank = ({ moduleId }: TestSpecification) => {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/journeys/${name}.test.ts`));
  return place === -1 ? LONGEST.length : place;
};
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

// What needs no database runs once. Anything not listed here runs on both databases: forgetting a line costs time, not safety.
const plain = [
  ...[
    "kernel",
    "config",
    "platform/dns",
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
  "src/platform/db/{directory-lock,batched,pg-internals}.test.ts",
  "src/tenancy/keys/signature.test.ts",
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

// Rules of requests and pages over stores that other files try on both databases, or over none: once is enough, on the database that
// companies use. Each line says what tries its stores on the embedded one, where that is not beside it. A query past an open transaction,
// which the embedded database cannot serve, fails in tests on Postgres as well (testing/harness.ts).
const onPostgresAlone = [
  // oidc/{clients,mtls,encryption,key-rotation}, token-endpoint/{introspection,grants/direct}
  "src/protocols/oidc/{attacks,features,tokens,certification.*}.test.ts",
  "src/protocols/oidc/authorize/{deep-parameters,signing-in,client-flow,other-user}.test.ts",
  "src/protocols/token-endpoint/{code-and-refresh,client-credentials}.test.ts",
  // registration/management, oidc/clients
  "src/protocols/registration/{registration,peers}.test.ts",
  // decoupled/decoupled
  "src/protocols/decoupled/device-requests.test.ts",
  // applications/access
  "src/protocols/oidc/application-access.test.ts",
  // saml/sso/{sso,consent}, saml/slo/slo, saml/artifact
  "src/protocols/saml/{bad-input,forged-messages}.test.ts",
  "src/protocols/saml/sso/{behaviour,refusals,protection,idp-initiated}.test.ts",
  "src/protocols/saml/slo/{refused,back-channel}.test.ts",
  "src/applications/saml-clients/import.test.ts",
  // brokers/oidc, directories/sync
  "src/signin/brokers/presets.test.ts",
  "src/signin/brokers/{conformance,openid-provider}.test.ts",
  "src/signin/brokers/{upstream-faults,link-by-address}.test.ts",
  "src/signin/brokers/eid/*.test.ts",
  "src/signin/brokers/saml/{bad-input,slo}.test.ts",
  "src/signin/directories/{active-directory,groups,large,passwords,sign-in}.test.ts",
  "src/signin/identity-providers/escalation.test.ts",
  // authenticators/{otp,totp,magic-link,recovery-code}, account/own-account
  "src/signin/authenticators/conformance.test.ts",
  // journeys on the embedded database: people, sign-in, sign-in-elsewhere
  "src/signin/{impersonation/impersonation,invitations/invitations,passkeys/passkey-sign-in,enrolled-devices/push}.test.ts",
  "src/signin/{self-service/reset,self-registration/registration,required-actions/required-actions}.test.ts",
  "src/protocols/{account/account-api,transactions/transactions}.test.ts",
  "src/directory/users/user-changes.test.ts",
  // login/login, run/run, self-service/guessing
  "src/signin/run/brute-force.test.ts",
  "src/signin/login/{guards,home-realm}.test.ts",
  "src/signin/sessions/browser-cookies.test.ts",
  "src/signin/self-registration/names.test.ts",
  // self-service/reset, required-actions
  "src/signin/self-service/actions-email.test.ts",
  "src/operations/api-docs/**/*.test.ts",
  // admin-gate/cors, account/bearer
  "src/operations/admin-gate/{gate,every-route,conventions,bearer}.test.ts",
  "src/operations/monitoring/database-unavailable.test.ts",
  // messaging/messages
  "src/tenancy/messaging/{providers,templates}.test.ts",
  // webhooks/delivery
  "src/tenancy/webhooks/receivers.test.ts",
  "src/tenancy/permissions/admin-routes.test.ts",
  "src/directory/{roles,groups}/escalation.test.ts",
  // users/last-admin
  "src/directory/groups/last-admin.test.ts",
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
    sequence: { sequencer: LongestFirst },
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
          // Whole servers and a browser, after everything else. Servers start and browsers answer one after the other, so three files run at once.
          isolate: true,
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
          testTimeout: 600_000,
        },
      },
    ],
  },
});
