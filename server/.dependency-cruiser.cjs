// Read top to bottom: a tier may import itself and the tiers above it. app.ts and its lists in app/, core.ts, main.ts, cli and testing may import all.
const tiers = ["kernel", "platform", "pages", "tenancy", "directory", "applications", "federation", "signin", "protocols", "operations"];
const features = "tenancy|directory|applications|signin|protocols|operations";
const test = "[.]test[.]tsx?$";
// The same within protocols, for what tokens are made of: a room may import those above it.
const tokenRooms = ["tokens", "proof", "client-auth", "gate", "decoupled", "token-endpoint", "workload", "delegation", "oidc"];
// The rooms of signin, in steps: a room may import those of its own step and of the steps above it. The first room names the step.
const signinSteps = [
  ["sessions", "action-tokens", "known-browsers", "passkeys", "own-profile"],
  ["authenticators"],
  ["flows", "required-actions"],
  ["run"],
  ["login"],
  ["self-service", "enrolled-devices", "impersonation", "invitations", "mailbox"],
  ["self-registration"],
];

module.exports = {
  forbidden: [
    ...tiers.slice(0, -1).map((tier, i) => ({
      name: `${tier}-looks-up-only`,
      severity: "error",
      from: { path: `^src/${tier}/`, pathNot: test },
      to: { path: `^src/(${tiers.slice(i + 1).join("|")})/` },
    })),
    ...tokenRooms.slice(0, -1).map((room, i) => ({
      name: `${room}-knows-the-rooms-above-only`,
      severity: "error",
      from: { path: `^src/protocols/${room}/`, pathNot: test },
      to: { path: `^src/protocols/(${tokenRooms.slice(i + 1).join("|")})/` },
    })),
    ...signinSteps.slice(0, -1).map((rooms, i) => ({
      name: `signin-${rooms[0]}-knows-the-steps-above-only`,
      severity: "error",
      from: { path: `^src/signin/(${rooms.join("|")})/`, pathNot: test },
      to: {
        path: `^src/signin/(${signinSteps
          .slice(i + 1)
          .flat()
          .join("|")})/`,
      },
    })),
    {
      // A room without a step would be held to no order.
      name: "every-room-of-signin-has-a-step",
      severity: "error",
      from: { path: `^src/signin/(?!(${signinSteps.flat().join("|")})/)[^/]+/` },
      to: {},
    },
    {
      // Types included: a circle has no first file to read.
      name: "no-cycles",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "tiers-do-not-know-the-composition",
      severity: "error",
      from: { path: `^src/(${tiers.join("|")})/`, pathNot: test },
      to: { path: "^src/[^/]+[.]ts$|^src/(app|cli|testing)/" },
    },
    {
      name: "enter-a-feature-by-its-index",
      severity: "error",
      from: { path: "^src/([^/]+/[^/]+)/", pathNot: test },
      to: { path: `^src/(${features})/[^/]+/(?!index[.]tsx?$)`, pathNot: "^src/$1/" },
    },
    {
      // One feature, with a room for each protocol: its registry lists what the rooms describe, and they share its contracts.
      name: "enter-federation-by-its-index",
      severity: "error",
      from: { pathNot: `^src/federation/|${test}` },
      to: { path: "^src/federation/(?!index[.]ts$)" },
    },
    {
      name: "enter-pages-by-the-index",
      severity: "error",
      from: { pathNot: `^src/pages/|${test}` },
      to: { path: "^src/pages/(?!index[.]ts$)" },
    },
    {
      name: "enter-a-room-of-oidc-by-its-index",
      severity: "error",
      from: { path: "^src/protocols/oidc/([^/]+)", pathNot: test },
      to: { path: "^src/protocols/oidc/[^/]+/(?!index[.]ts$)", pathNot: "^src/protocols/oidc/$1/" },
    },
    {
      name: "compose-by-the-index",
      severity: "error",
      from: { path: "^src/([^/]+[.]ts$|(app|cli)/)", pathNot: test },
      to: { path: `^src/(${features})/[^/]+/(?!index[.]tsx?$)` },
    },
    {
      name: "routes-do-not-touch-sql",
      severity: "error",
      from: { path: "routes[.]tsx?$" },
      to: { path: "(store|platform/db/[^/]+)[.]ts$" },
    },
    {
      // Paging, versions and full states have separate folders in platform.
      name: "services-and-stores-do-not-know-http",
      severity: "error",
      from: { path: "(service|store)[.]ts$", pathNot: "^src/platform/http/" },
      to: { path: "^src/platform/http/" },
    },
    {
      name: "product-code-does-not-import-tests",
      severity: "error",
      from: { path: "^src/", pathNot: `${test}|^src/testing/` },
      to: { path: `${test}|^src/testing/` },
    },
    { name: "no-undeclared-packages", severity: "error", from: { path: "^src/" }, to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"] } },
    {
      name: "no-development-packages-in-the-product",
      severity: "error",
      from: { path: "^src/", pathNot: `${test}|^src/testing/` },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"] },
    },
    {
      name: "only-the-engine-room-knows-oidc-provider",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/protocols/oidc/engine/" },
      to: { path: "(^|/)oidc-provider(/|$)" },
    },
  ],
  options: { tsPreCompilationDeps: true, tsConfig: { fileName: "tsconfig.json" }, doNotFollow: { path: "node_modules" } },
};
