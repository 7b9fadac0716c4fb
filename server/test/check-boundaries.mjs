// Runs dependency-cruiser over src and checks that it did its work: a run that missed files fails, and --self-test proves every rule.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const server = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
// The package exports only its module; the command is two folders further up.
const depcruise = fileURLToPath(new URL("../../bin/dependency-cruise.mjs", import.meta.resolve("dependency-cruiser")));
const config = join(server, ".dependency-cruiser.cjs");

/** @typedef {{ rule: { name: string }, from: string, to: string }} Violation */

/**
 * @param {string} folder that holds src
 * @returns {{ modules: string[], violations: Violation[] }}
 */
function cruise(folder) {
  const { stdout, stderr, error } = spawnSync(process.execPath, [depcruise, "src", "--config", config, "--output-type", "json"], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
  if (error || !stdout.startsWith("{")) throw new Error(`dependency-cruiser did not report:\n${error ?? stderr}`);
  const { modules, summary } = JSON.parse(stdout);
  const sources = modules.map((/** @type {{ source: string }} */ module) => module.source);
  return { modules: sources.filter((/** @type {string} */ source) => source.startsWith("src/")), violations: summary.violations };
}

/** @param {string} folder that holds src */
function sourceFiles(folder) {
  const entries = readdirSync(join(folder, "src"), { recursive: true, encoding: "utf8" });
  return entries.filter((entry) => /[.](ts|tsx|js|mjs)$/.test(entry)).map((entry) => `src/${entry}`);
}

/** Returns the faults, one line each. @param {{ files: string[], modules: string[], violations: Violation[] }} run */
function judge({ files, modules, violations }) {
  const problems = violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
  // With a compiler that it does not support, dependency-cruiser finds no modules and reports no fault.
  if (modules.length === 0) return [...problems, "dependency-cruiser saw 0 modules, so nothing was checked"];
  const unseen = files.filter((file) => !modules.includes(file));
  return [...problems, ...unseen.map((file) => `dependency-cruiser did not see ${file}`)];
}

/** A tree of files that keeps every rule, as the product does. */
const tidy = {
  "src/app.ts": 'import "./app/services.ts";',
  "src/app/services.ts": 'import "../directory/users/index.ts";',
  "src/kernel/clock.ts": "export const now = 1;",
  "src/platform/db/index.ts": 'export { now } from "../../kernel/clock.ts";',
  "src/tenancy/realms/index.ts": 'export * from "./store.ts";',
  "src/tenancy/realms/store.ts": 'export { now } from "../../platform/db/index.ts";',
  "src/directory/users/index.ts": 'export * from "./routes.ts";',
  "src/directory/users/routes.ts": 'export { listUsers } from "./service.ts";',
  "src/directory/users/service.ts": 'import "./store.ts";\nexport const listUsers = 1;',
  "src/directory/users/store.ts": 'import "../../tenancy/realms/index.ts";',
  "src/directory/users/users.test.ts": 'import "vitest";\nimport "../../testing/harness.ts";\nimport "./service.ts";',
  "src/testing/harness.ts": 'import "../app.ts";',
};

/** An import for every rule that breaks it: [file, its text]. @type {Record<string, [file: string, text: string]>} */
const offences = {
  "kernel-looks-up-only": ["src/kernel/up.ts", 'import "../platform/db/index.ts";'],
  "platform-looks-up-only": ["src/platform/db/up.ts", 'import type {} from "../../tenancy/realms/index.ts";'],
  "pages-looks-up-only": ["src/pages/up.tsx", 'import type {} from "../tenancy/realms/index.ts";'],
  "tenancy-looks-up-only": ["src/tenancy/realms/up.ts", 'import "../../directory/users/index.ts";'],
  "directory-looks-up-only": ["src/directory/users/up.ts", 'import "../../signin/login/index.ts";'],
  "applications-looks-up-only": ["src/applications/clients/up.ts", 'import "../../signin/login/index.ts";'],
  "federation-looks-up-only": ["src/federation/oidc/up.ts", 'import "../../signin/login/index.ts";'],
  "signin-looks-up-only": ["src/signin/login/up.tsx", 'import "../../protocols/oidc/index.ts";'],
  "protocols-looks-up-only": ["src/protocols/oidc/up.ts", 'await import("../../operations/gdpr/index.ts");'],
  "tokens-knows-the-rooms-above-only": ["src/protocols/tokens/up.ts", 'import type {} from "../token-endpoint/index.ts";'],
  "proof-knows-the-rooms-above-only": ["src/protocols/proof/up.ts", 'import "../client-auth/index.ts";'],
  "client-auth-knows-the-rooms-above-only": ["src/protocols/client-auth/up.ts", 'import "../token-endpoint/index.ts";'],
  "gate-knows-the-rooms-above-only": ["src/protocols/gate/up.ts", 'import "../oidc/index.ts";'],
  "decoupled-knows-the-rooms-above-only": ["src/protocols/decoupled/up.ts", 'import "../oidc/index.ts";'],
  "token-endpoint-knows-the-rooms-above-only": ["src/protocols/token-endpoint/up.ts", 'import "../oidc/index.ts";'],
  "delegation-knows-the-rooms-above-only": ["src/protocols/delegation/up.ts", 'import "../oidc/index.ts";'],
  "workload-knows-the-rooms-above-only": ["src/protocols/workload/up.ts", 'import "../oidc/index.ts";'],
  "signin-sessions-knows-the-steps-above-only": ["src/signin/passkeys/up.ts", 'import "../login/index.ts";'],
  "signin-authenticators-knows-the-steps-above-only": ["src/signin/authenticators/up.ts", 'import "../login/index.ts";'],
  "signin-flows-knows-the-steps-above-only": ["src/signin/required-actions/up.ts", 'import "../login/index.ts";'],
  "signin-run-knows-the-steps-above-only": ["src/signin/run/up.ts", 'import type {} from "../login/index.ts";'],
  "signin-login-knows-the-steps-above-only": ["src/signin/login/ahead.ts", 'import "../self-registration/index.ts";'],
  "signin-self-service-knows-the-steps-above-only": ["src/signin/invitations/up.ts", 'import "../self-registration/index.ts";'],
  "every-room-of-signin-has-a-step": ["src/signin/attic/a.ts", 'import "../../kernel/clock.ts";'],
  "tiers-do-not-know-the-composition": ["src/operations/gdpr/composition.ts", 'import "../../app/services.ts";'],
  "enter-a-feature-by-its-index": ["src/directory/roles/window.ts", 'import "../users/service.ts";'],
  "enter-federation-by-its-index": ["src/signin/login/window.ts", 'import "../../federation/oidc/broker.ts";'],
  "enter-pages-by-the-index": ["src/tenancy/realms/texts.ts", 'import "../../pages/messages.ts";'],
  "enter-a-room-of-oidc-by-its-index": ["src/protocols/oidc/authorize/window.ts", 'import "../engine/steps.ts";'],
  "compose-by-the-index": ["src/app/window.ts", 'import "../directory/users/service.ts";'],
  "routes-do-not-touch-sql": ["src/tenancy/realms/routes.ts", 'import "./store.ts";'],
  "services-and-stores-do-not-know-http": ["src/directory/users/list.service.ts", 'import "../../platform/http/index.ts";'],
  "product-code-does-not-import-tests": ["src/directory/users/testing.ts", 'import "./users.test.ts";'],
  "no-cycles": ["src/kernel/cycle.ts", 'import type {} from "./cycle-end.ts";'],
  "no-undeclared-packages": ["src/kernel/undeclared.ts", 'import "undeclared";'],
  "no-development-packages-in-the-product": ["src/kernel/development.ts", 'import "vitest";'],
  "only-the-engine-room-knows-oidc-provider": ["src/protocols/oidc/authorize/engine.ts", 'import "oidc-provider";'],
};

/** Files that the offences import and the tidy tree does not have. */
const accomplices = {
  "src/kernel/cycle-end.ts": 'import type {} from "./cycle.ts";',
  "src/platform/http/index.ts": "export {};",
  "src/pages/messages.ts": "export {};",
  "src/federation/oidc/broker.ts": "export {};",
  "src/signin/login/index.ts": "export {};",
  "src/signin/self-registration/index.ts": "export {};",
  "src/protocols/oidc/index.ts": "export {};",
  "src/protocols/oidc/engine/steps.ts": "export {};",
  "src/protocols/client-auth/index.ts": "export {};",
  "src/protocols/token-endpoint/index.ts": "export {};",
  "src/operations/gdpr/index.ts": "export {};",
};

/** @param {Record<string, string>} files */
function cruiseTree(files) {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-boundaries-"));
  try {
    const packages = { "package.json": JSON.stringify({ type: "module", devDependencies: { vitest: "*" } }) };
    const installed = ["vitest", "undeclared", "oidc-provider"].map((name) => [`node_modules/${name}/index.js`, ""]);
    for (const [path, text] of Object.entries({ ...packages, ...Object.fromEntries(installed), ...files })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    cpSync(join(server, "tsconfig.json"), join(folder, "tsconfig.json"));
    return cruise(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function selfTest() {
  const files = Object.keys(tidy);
  const problems = judge({ files, ...cruiseTree(tidy) }).map((problem) => `a tidy tree is refused: ${problem}`);
  const { violations } = cruiseTree({ ...tidy, ...accomplices, ...Object.fromEntries(Object.values(offences)) });
  const names = require(config).forbidden.map((/** @type {{ name: string }} */ rule) => rule.name);
  for (const name of names) {
    // A cycle is reported once, from one of its ends.
    const offence = offences[name];
    if (!offence) problems.push(`no offence proves the rule ${name}: add one to check-boundaries.mjs`);
    else if (!violations.some(({ rule, from, to }) => rule.name === name && [from, to].includes(offence[0])))
      problems.push(`${name} lets its offence pass`);
  }
  for (const name of Object.keys(offences)) if (!names.includes(name)) problems.push(`the rule ${name} is gone`);
  if (judge({ files, modules: [], violations: [] }).length === 0) problems.push("a run that saw 0 modules passes");
  if (judge({ files, modules: files.slice(1), violations: [] }).length === 0) problems.push("a run that missed a file passes");
  return { problems, summary: `${names.length} rules each refuse their offence` };
}

function product() {
  const { modules, violations } = cruise(server);
  const problems = judge({ files: sourceFiles(server), modules, violations });
  return { problems, summary: `${modules.length} modules keep to the tiers` };
}

const { problems, summary } = process.argv.includes("--self-test") ? selfTest() : product();
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? `Boundaries: ${summary}.` : `Boundaries: ${problems.length} to mend.`);
process.exitCode = problems.length === 0 ? 0 : 1;
