// The files that run on the embedded database too; all others run on Postgres alone. PGlite is Postgres, so it parses and plans the same SQL.
// It differs by its driver (types of parameters and columns), its one connection (transactions, loops beside requests), no notifications, and
// by a folder that one process holds. So the list has what tries these, and for each feature with a store one file that goes through it.
export const onEmbedded = [
  // Drivers, transactions, loops, caches, maintenance: all of them.
  "src/platform/cache/realm-cache.test.ts",
  "src/platform/cache/record-cache.test.ts",
  "src/platform/cache/watcher.test.ts",
  "src/platform/db/maintenance.test.ts",
  "src/platform/db/postgres.test.ts",
  "src/platform/jobs/jobs.test.ts",
  "src/testing/lent-databases.test.ts",
  // The folder: commands, first start, stop, restart.
  "src/cli/database-commands.test.ts",
  "src/cli/first-start.test.ts",
  "src/cli/key.test.ts",
  "src/cli/stop.test.ts",
  "src/signin/login/restart.test.ts",
  // Loops and batches of features.
  "src/directory/import/import-resume.test.ts",
  "src/operations/monitoring/aging.test.ts",
  "src/operations/scim-targets/targets.test.ts",
  "src/operations/transfer/prune.test.ts",
  "src/directory/password-source/password-source.test.ts",
  "src/federation/ldap/sync.test.ts",
  "src/signin/sessions/expiry.test.ts",
  "src/tenancy/audit/forwarder.test.ts",
  "src/tenancy/audit/retention.test.ts",
  "src/tenancy/audit/stream.test.ts",
  "src/tenancy/brand-drafts/brand-drafts.test.ts",
  "src/tenancy/images/images.test.ts",
  "src/tenancy/webhooks/delivery.test.ts",
  "src/tenancy/webhooks/intervals.test.ts",
  // Every table, every column.
  "src/operations/gdpr/erasure.test.ts",
  "src/operations/gdpr/export.test.ts",
  // The server's own checks of its database.
  "src/operations/monitoring/health.test.ts",
  "src/operations/monitoring/metrics.test.ts",
  // Races that one connection decides otherwise.
  "src/directory/users/user-names.test.ts",
  "src/directory/users/user-profile.test.ts",
  "src/signin/run/interactions.test.ts",
  // Stores, one file each.
  "src/applications/access/access.test.ts",
  "src/applications/applications/applications.test.ts",
  "src/applications/authorization/authorization.test.ts",
  "src/applications/claims/claims.test.ts",
  "src/applications/client-scopes/client-scopes.test.ts",
  "src/applications/clients/clients.test.ts",
  "src/applications/saml-clients/saml-clients.test.ts",
  "src/applications/subject-claim/subject-claim.test.ts",
  "src/applications/agents/agents.test.ts",
  "src/applications/workload-credentials/workload-credentials.test.ts",
  "src/directory/groups/groups.test.ts",
  "src/directory/organizations/organizations.test.ts",
  "src/directory/roles/roles.test.ts",
  "src/directory/users/credentials.test.ts",
  "src/directory/users/user-lookup.test.ts",
  "src/protocols/account/access/applications.test.ts",
  "src/protocols/account/own-account.test.ts",
  "src/protocols/decoupled/decoupled.test.ts",
  "src/protocols/oidc/logout/backchannel.test.ts",
  "src/protocols/registration/management.test.ts",
  "src/protocols/scim/filters.test.ts",
  "src/protocols/scim/groups.test.ts",
  "src/protocols/saml/artifact/artifact.test.ts",
  "src/protocols/saml/slo/slo.test.ts",
  "src/protocols/saml/sso/consent.test.ts",
  "src/protocols/token-endpoint/client-credentials.test.ts",
  "src/protocols/tokens/records/successor.store.test.ts",
  "src/protocols/transactions/transactions.test.ts",
  "src/signin/authenticators/magic-link.test.ts",
  "src/federation/oidc/logout.test.ts",
  "src/federation/saml/saml.test.ts",
  "src/signin/enrolled-devices/enrollment.test.ts",
  "src/signin/flows/flows.test.ts",
  "src/federation/providers/links.test.ts",
  "src/signin/known-browsers/known-browsers.test.ts",
  "src/signin/sessions/of-user.test.ts",
  "src/tenancy/audit/audit.test.ts",
  "src/tenancy/keys/keys.test.ts",
  "src/tenancy/messaging/push-tokens.test.ts",
  "src/tenancy/realms/realms.test.ts",
  "src/tenancy/settings/settings.test.ts",
  "src/tenancy/webhooks/webhooks.test.ts",
];

/** Features whose stores are tried on the embedded database by a file that is not beside them. */
export const storesTriedBy = {
  "src/applications/attribute-uses": "src/directory/users/user-profile.test.ts",
  "src/directory/consents": "src/protocols/saml/sso/consent.test.ts",
  "src/directory/credentials": "src/directory/users/credentials.test.ts",
  "src/federation/brokers": "src/federation/oidc/logout.test.ts",
  "src/protocols/client-auth": "src/protocols/token-endpoint/client-credentials.test.ts",
  "src/signin/action-tokens": "src/signin/authenticators/magic-link.test.ts",
  "src/signin/impersonation": "test/journeys/people.test.ts",
  "src/signin/own-profile": "src/directory/users/user-profile.test.ts",
  "src/signin/passkeys": "test/journeys/passkeys.test.ts",
};

const isStore = (/** @type {string} */ path) => /(^|\/)([\w-]+[.])?store[.]ts$/.test(path);
const featureOf = (/** @type {string} */ path) => path.split("/").slice(0, 3).join("/");

/**
 * A store that no listed file tries would meet the embedded database at a customer first.
 * @param {string[]} paths below server @param {string[]} listed @param {Record<string, string>} elsewhere
 */
export function checkOnEmbedded(paths, listed, elsewhere) {
  const present = new Set(paths);
  const triedBeside = new Set(listed.map(featureOf));
  const features = new Set(paths.filter((path) => path.startsWith("src/") && isStore(path)).map(featureOf));
  const at = "test/on-embedded.mjs";
  return [
    ...[...new Set([...listed, ...Object.values(elsewhere)])]
      .filter((path) => !present.has(path))
      .map((path) => `${at}: ${path} does not exist`),
    ...listed.filter((path, i) => listed.indexOf(path) < i).map((path) => `${at}: ${path} is listed twice`),
    ...Object.entries(elsewhere)
      .filter(([, path]) => path.startsWith("src/") && !listed.includes(path))
      .map(([feature, path]) => `${at}: ${path}, which is said to try ${feature}, is not listed`),
    ...Object.keys(elsewhere)
      .filter((feature) => !features.has(feature) || triedBeside.has(feature))
      .map((feature) => `${at}: ${feature} needs no file elsewhere: it has no store, or a file of its own`),
    ...[...features]
      .filter((feature) => !triedBeside.has(feature) && !(feature in elsewhere))
      .map((feature) => `${feature}: no file tries its store on the embedded database: list one in ${at}`),
  ];
}
