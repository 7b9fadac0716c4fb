import { readFileSync } from "node:fs";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { external, nativeModules } from "./test/native-modules.mjs";
import { onEmbedded } from "./test/on-embedded.mjs";

// The longest files of each project come first, or one of them would run alone at the end. The others come as always: the largest first.
const LONGEST = [
  ...["database-commands", "first-start"].map((name) => `/cli/${name}.test.ts`),
  "/api-docs/every-operation.test.ts",
  ...["console", "webhooks", "docs", "browser", "saml-service-providers", "brokers", "packed", "sign-in-elsewhere", "previous-release"].map(
    (name) => `/journeys/${name}.test.ts`,
  ),
  ...["saml-logout", "sign-in", "leaving", "first-start", "kill", "clone"].map((name) => `/journeys/${name}.test.ts`),
];
const rank = ({ moduleId }: TestSpecification) => {
  const place = LONGEST.findIndex((end) => moduleId.endsWith(end));
  return place === -1 ? LONGEST.length : place;
};
/**
 * Returns the call by which a file gets its shared server: files with equal settings come together, because one server at a time is open. Files with a server
 * of their own come first.
 */
const sharedServer = ({ moduleId }: TestSpecification) =>
  /\b(?:sharedHarness|openidBroker|directoryStage)\([^)]*\)/.exec(readFileSync(moduleId, "utf8"))?.[0] ?? "";
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // A worker serves one project: whatever goes back and forth between projects loads everything anew.
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    const order = new Map(
      sorted.map((file) => [file, [projects.indexOf(file.project.name), sharedServer(file), rank(file)] as const] as const),
    );
    return sorted.toSorted((one, other) => {
      const [a, b] = [order.get(one)!, order.get(other)!];
      return a[0] - b[0] || (a[1] < b[1] ? -1 : Number(a[1] > b[1])) || a[2] - b[2];
    });
  }
}

// Tests without a database run once. Anything not listed here runs on Postgres: forgetting a line costs time, not safety.
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
    "cli/doctor",
    "cli/documents",
  ].map((folder) => `src/${folder}/**/*.test.{ts,tsx}`),
  "src/config.test.ts",
  "src/platform/places.test.ts",
  "src/pages/*.test.{ts,tsx}",
  "src/cli/{build,cli,image,npm-scripts,npm-start,openapi,reference}.test.ts",
  "src/platform/db/{directory-lock,batched,outages,pg-internals}.test.ts",
  "src/tenancy/keys/{certificate,signature}.test.ts",
  "src/tenancy/messaging/placeholders.test.ts",
  "src/tenancy/webhooks/lanes.test.ts",
  "src/tenancy/audit/{catalogue,transports}.test.ts",
  "src/tenancy/messaging/{drivers/*,recipients}.test.ts",
  "src/applications/claims/evaluate.test.ts",
  "src/applications/authorization/evaluator/evaluate.test.ts",
  "src/applications/saml-clients/attributes.test.ts",
  "src/signin/login/return-target.test.ts",
  "src/signin/flows/check.test.ts",
  "src/operations/api-docs/operation-id.test.ts",
];

const postgresSetup = "./test/peers/global-setup.mjs";
const inCI = Boolean(process.env.CI) && process.env.CI !== "false";
/** Set by other-nodes.mjs: beside the other tests, in one process, and of the embedded database one file. */
const isQuick = process.env.QUICK_TESTS === "true";

/** While watching, vitest has to know which tests a module belongs to. */
const isRun = process.argv.includes("run");

export default defineConfig({
  plugins: isRun ? [await nativeModules()] : [],
  test: {
    server: { deps: { external: isRun ? external : [] } },
    pool: "forks",
    maxWorkers: isQuick ? 1 : 3,
    // Files share a process and what it has loaded: a fifth of the whole time. Every file closes what it opened and puts back the clock.
    isolate: false,
    // Most of what a request makes is garbage when it is answered: with more room for the young, less of it is copied.
    // Both cores are busy, so threads of the collector would only wait for each other, and a larger heap at the start saves collections while it grows.
    // A run is over before it pays to optimise code that is merely warm. Newer releases of Node do not have the last flag.
    execArgv: [
      ...["--max-semi-space-size=64", "--single-threaded-gc", "--initial-heap-size=700"],
      ...(process.version.startsWith("v20.") ? ["--interrupt-budget=600000"] : []),
    ],
    // Each project and each run would otherwise translate the same tests again. Kept by content, in node_modules.
    experimental: { fsModuleCache: true },
    // Reached by what hangs, and by nothing else: how long work takes is the machine's affair.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    allowOnly: !inCI,
    sequence: { sequencer: LongestFirst },
    // A busy machine delays everything that a test waits for.
    expect: { poll: { timeout: 90_000 } },
    projects: [
      // "none" lets the harness refuse: a test that needs a database does not belong to this project.
      { extends: true, test: { name: "plain", include: plain, env: { GATEHOUSE_TEST_DATABASE: "none" } } },
      {
        extends: true,
        test: {
          name: "postgres",
          include: ["src/**/*.test.{ts,tsx}"],
          exclude: [...configDefaults.exclude, ...plain],
          env: { GATEHOUSE_TEST_DATABASE: "postgres" },
          globalSetup: postgresSetup,
        },
      },
      // A query past an open transaction, which the embedded database cannot serve, fails in tests on Postgres as well (testing/harness.ts).
      {
        extends: true,
        test: {
          name: "embedded",
          include: isQuick ? ["src/tenancy/settings/settings.test.ts"] : onEmbedded,
          env: { GATEHOUSE_TEST_DATABASE: "embedded" },
        },
      },
      {
        extends: true,
        test: {
          name: "journeys",
          include: ["test/journeys/**/*.test.{ts,tsx}"],
          env: { GATEHOUSE_TEST_DATABASE: "embedded" },
          globalSetup: postgresSetup,
          // Whole servers and a browser, after everything else. They wait for each other nearly half of the time, so five files run at once.
          maxWorkers: 5,
          setupFiles: "./test/journeys/after-each-file.ts",
          sequence: { groupOrder: 1 },
          testTimeout: 600_000,
        },
      },
    ],
  },
});
