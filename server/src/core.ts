import { type DestinationStream, type Logger, pino } from "pino";
import { keepListedByAgents, loseClient, moveReviewDates, orphanAgentsOf, suspendAgentsOf } from "./applications/agents/index.ts";
import { nameAttributeUses, refuseOpenedUses } from "./applications/attribute-uses/index.ts";
import {
  forgetSharesNaming,
  keepNamedClient,
  keepNamedGroups,
  keepNamedRoles,
  keepNamedScope,
  loseUser,
} from "./applications/authorization/index.ts";
import { seedScopes } from "./applications/client-scopes/index.ts";
import { applicationName } from "./applications/saml-clients/index.ts";
import { keepListedByCredentials } from "./applications/workload-credentials/index.ts";
import type { Config } from "./config.ts";
import { forgetConsentsAt, forgetConsentsTo } from "./directory/consents/index.ts";
import { guardInheritance } from "./directory/groups/index.ts";
import { forgetInvitationsTo } from "./directory/organizations/index.ts";
import { seedRoles } from "./directory/roles/index.ts";
import { endOwnEnrollment, seedAdmin } from "./directory/users/index.ts";
import {
  clearDisabledBySync,
  forgetEntries,
  forgetTakenGrants,
  giveRenamedRole,
  keepGivenGroups,
  keepGivenRole,
  keepMappedGrants,
  nameSupplied,
  ownGivenGrants,
  ownMappedAttributes,
  rereadEntry,
} from "./federation/index.ts";
import { SECOND } from "./kernel/clock.ts";
import type { Vault } from "./kernel/vault.ts";
import { checkVault, openVault } from "./master-key.ts";
import { forgetImports } from "./operations/gdpr/index.ts";
import { eraseAtTargets } from "./operations/scim-targets/index.ts";
import { createRealmChanges, type RealmChanges } from "./platform/cache/index.ts";
import type { Listeners } from "./platform/context.ts";
import {
  awaitPostgres,
  type Database,
  type Db,
  inTransaction,
  migrate,
  type OpenedEmbedded,
  openDatabase,
  poolerVerdict,
  poolingOf,
} from "./platform/db/index.ts";
import { keepLastingKeys } from "./platform/lasting-keys.store.ts";
import { createPasswordHasher, type PasswordHasher } from "./platform/passwords/index.ts";
import { createLog } from "./platform/telemetry/log.ts";
import { createMetrics, type Metrics } from "./platform/telemetry/metrics.ts";
import { type AuditEvent, createUnitOfWork, type UnitOfWork } from "./platform/unit-of-work.ts";
import { notifyOidcParticipants } from "./protocols/oidc/index.ts";
import { notifySamlParticipants } from "./protocols/saml/index.ts";
import { forgetManager, leaveGroupsOf, removeGroupsOf } from "./protocols/scim/index.ts";
import { endGrants, endGrantsOfSessions, forgetRequests } from "./protocols/tokens/index.ts";
import { forgetTransactionsOf } from "./protocols/transactions/index.ts";
import { endAddressChange, endMailedLinks, forgetRegistrations } from "./signin/action-tokens/index.ts";
import { endApprovals } from "./signin/authenticators/index.ts";
import { followRenamedRole, keepGroupsOfConditions, keepRoleOfConditions, keepWayIn, shareChosenFlows } from "./signin/flows/index.ts";
import { forgetTickets } from "./signin/impersonation/index.ts";
import { endAllTrust, endTrust } from "./signin/known-browsers/index.ts";
import { endSignInsOf, forgetAttemptsOf, forgetInteractions } from "./signin/run/index.ts";
import { endOtherSessions, endSessionsOfUser, forgetSessions, limitSessions } from "./signin/sessions/index.ts";
import { eraseFromTrail, insertEvents, scheduleRetention, toEventRecord, transports } from "./tenancy/audit/index.ts";
import { type MakeKeyPair, makeKeyPair, publishEdwards, seedKey } from "./tenancy/keys/index.ts";
import { forgetMessages } from "./tenancy/messaging/index.ts";
import { createRealmSnapshots, type RealmSnapshots } from "./tenancy/realms/index.ts";
import { seedSettings } from "./tenancy/settings/index.ts";
import { forgetAnswers } from "./tenancy/webhooks/index.ts";

/** Lists the upward effects: listeners of other features, which run in the transaction of the event. Features add lines. */
const listenersOf = (vault: Vault): Listeners => ({
  "settings.changed": [
    guardInheritance,
    refuseOpenedUses,
    scheduleRetention,
    endAllTrust,
    limitSessions,
    moveReviewDates,
    (ctx, { settings }) => publishEdwards(vault)(ctx, { algs: [settings.tokens.signingAlg] }),
  ],
  "realm.created": [seedSettings, seedKey, seedRoles, seedAdmin, seedScopes],
  "user.disabled": [endSessionsOfUser, endGrants, suspendAgentsOf],
  "user.logged_out": [endGrants],
  "user.sessions_revoked": [endAddressChange, endOwnEnrollment, endApprovals],
  "sessions.ended": [endGrantsOfSessions, notifyOidcParticipants, notifySamlParticipants(vault)],
  "user.password_changed": [endOtherSessions, endGrants, endSignInsOf, endMailedLinks, endTrust],
  "user.credentials_changed": [endTrust],
  "user.enabled_set": [clearDisabledBySync],
  "user.attributes_changing": [ownMappedAttributes],
  "user.profile_changing": [nameSupplied],
  "user.way_in_given_up": [keepWayIn],
  "user.grants_given": [ownGivenGrants],
  "user.grants_removing": [keepMappedGrants, forgetTakenGrants, rereadEntry],
  "identity_provider.attributes_mapping": [nameAttributeUses],
  "user.deleted": [forgetInvitationsTo, loseUser, orphanAgentsOf],
  "user.erased": [
    orphanAgentsOf,
    forgetAnswers, // this comes before the audit trail is pseudonymised
    async (ctx, person) => void (await eraseFromTrail(ctx, person)),
    forgetMessages(vault),
    forgetAttemptsOf,
    forgetInteractions,
    forgetRegistrations,
    forgetRequests,
    forgetInvitationsTo,
    forgetImports,
    forgetSessions,
    forgetTickets,
    forgetEntries(vault),
    loseUser,
    forgetSharesNaming,
    forgetManager,
    eraseAtTargets,
  ],
  "consent.revoked": [endGrants],
  "client.flows_chosen": [shareChosenFlows],
  "client.changed": [],
  "client.signatures_chosen": [publishEdwards(vault)],
  "client.disabled": [endGrants],
  "agent.bound": [endGrants, forgetConsentsTo],
  "client.deleting": [keepNamedClient, loseClient],
  "client.deleted": [forgetConsentsTo, forgetTransactionsOf],
  "resources.moved": [forgetConsentsAt],
  "roles.deleting": [keepNamedRoles],
  "realm_role.deleting": [keepRoleOfConditions, keepGivenRole],
  "role.renamed": [followRenamedRole, giveRenamedRole],
  "groups.deleting": [keepNamedGroups, keepGroupsOfConditions, keepGivenGroups],
  "organization.member_removed": [leaveGroupsOf],
  "organization.deleting": [removeGroupsOf],
  "client_scope.deleting": [keepNamedScope, keepListedByAgents, keepListedByCredentials],
  "saml_client.disabled": [],
  "saml_client.deleted": [(ctx, { entityId }) => forgetConsentsTo(ctx, { clientId: applicationName(ctx.realm, entityId) })],
});

/** The dependencies of background work. */
export interface Background {
  readonly db: Db;
  readonly work: UnitOfWork;
}

/** The base of the server, commands and tests: the migrated database and the unit of work. */
export interface Core {
  readonly config: Config;
  readonly log: Logger;
  readonly database: Database;
  readonly db: Db;
  readonly vault: Vault;
  readonly hasher: PasswordHasher;
  readonly makeKeyPair: MakeKeyPair;
  readonly metrics: Metrics;
  readonly changes: RealmChanges;
  readonly realms: RealmSnapshots;
  readonly work: UnitOfWork;
  /** For jobs, and for requests that may take long: a separate pool with longer deadlines. */
  readonly background: Background;
  /** Called after this node has committed audit events: forwarder and webhooks read them immediately instead of at the next poll. */
  onEvents(listener: () => void): void;
  /** Called after this node has committed jobs, with the time at which the first of them is due. */
  onJobs(listener: (dueAt: number) => void): void;
  close(): Promise<void>;
}

export interface CoreOptions {
  readonly output?: DestinationStream;
  readonly template?: Uint8Array<ArrayBuffer>;
  readonly migrate?: boolean;
  /** True for commands, which may take as long as they need. */
  readonly withoutDeadlines?: boolean;
  /** The embedded database, if it is already being opened. */
  readonly embedded?: Promise<OpenedEmbedded> | undefined;
}

export async function createCore(config: Config, options: CoreOptions = {}): Promise<Core> {
  const { core, ready } = await beginCore(config, options);
  try {
    await ready;
    return core;
  } catch (error) {
    await core.close();
    throw error;
  }
}

/** Begins a core whose database may still be opening. It may be passed on, but must not be queried before `ready`. */
export async function beginCore(config: Config, options: CoreOptions = {}): Promise<{ core: Core; ready: Promise<void> }> {
  const output = options.output ?? pino.destination({ fd: 1, sync: false });
  const log = createLog(config.logLevel, output);
  const vault = await openVault(config);
  const database = await openDatabase({
    url: config.databaseUrl,
    dataDir: config.dataDir,
    pool: config.databasePool,
    preparedStatements: config.preparedStatements,
    isPooled: isPooled(config),
    ...(!options.withoutDeadlines && { deadlines: deadlinesOf(config) }),
    template: options.template,
    embedded: options.embedded,
    onIdleError: (err) => log.warn({ err }, "an idle database connection broke; the pool opens another"),
    onMaintenanceError: (err) => log.warn({ err }, "the embedded database could not be checkpointed or vacuumed; it is tried again"),
  });
  const getReady = async () => {
    if (!options.withoutDeadlines) await expectPostgres(config, log);
    if (options.migrate ?? true) await database.withoutDeadlines(migrate);
    const masterKeyId = await checkVault(database.db, vault);
    if (options.migrate ?? true) await inTransaction(database.db, (tx) => keepLastingKeys(tx, vault, masterKeyId));
  };
  const ready = getReady();
  ready.catch(() => {}); // the caller, who may be busy, will see the error
  return { core: assembleCore({ config, log, output, vault, database }), ready };
}

/** Waits for the database before a server starts, and refuses a pooler that would mix up the prepared statements of sessions. */
async function expectPostgres(config: Config, log: Logger): Promise<void> {
  const { databaseUrl, listenUrl, databaseStartTimeoutSeconds } = config;
  if (databaseUrl === null) return;
  const waiting = { withinMs: databaseStartTimeoutSeconds * SECOND, limitedBy: "GATEHOUSE_DATABASE_START_TIMEOUT_SECONDS", log };
  await awaitPostgres({ url: databaseUrl, setting: "DATABASE_URL" }, waiting);
  if (listenUrl !== null && listenUrl !== databaseUrl) await awaitPostgres({ url: listenUrl, setting: "GATEHOUSE_LISTEN_URL" }, waiting);
  const { refused, warning } = poolerVerdict(config, await poolingOf(databaseUrl));
  if (refused !== null) throw new Error(refused);
  if (warning !== null) log.warn(warning);
}

/** Tells whether there is a pooler: a separate listen URL, or disabled prepared statements, imply one. See docs/configuration.md. */
const isPooled = ({ databaseUrl, listenUrl, preparedStatements }: Config): boolean =>
  !preparedStatements || (listenUrl !== null && listenUrl !== databaseUrl);

/** No write should hold a lock for longer than this. */
const BACKGROUND_LOCK = 30 * SECOND;

const deadlinesOf = (config: Config) => ({
  requests: {
    connectMs: config.databaseConnectTimeoutMs,
    statementMs: config.databaseStatementTimeoutMs,
    lockMs: config.databaseLockTimeoutMs,
  },
  background: {
    connectMs: config.databaseConnectTimeoutMs,
    statementMs: config.databaseBackgroundTimeoutMs,
    lockMs: Math.min(BACKGROUND_LOCK, config.databaseBackgroundTimeoutMs),
  },
});

/** Assembles the rest of a core, with an open database or one that is never queried. */
export function assembleCore({
  config,
  log,
  output,
  vault,
  database,
}: Pick<Core, "config" | "log" | "vault" | "database"> & { readonly output: DestinationStream }): Core {
  const { db } = database;
  const changes = createRealmChanges();
  const metrics = createMetrics();
  const eventListeners: (() => void)[] = [];
  const jobListeners: ((dueAt: number) => void)[] = [];
  const parts = {
    listeners: listenersOf(vault),
    changes,
    storeEvents: insertEvents,
    published: (events: readonly AuditEvent[]) => {
      transports.stdout.send(output, events.map(toEventRecord));
      if (events.length > 0) for (const listener of eventListeners) listener();
    },
    enqueued: (dueAt: number) => {
      for (const listener of jobListeners) listener(dueAt);
    },
  };
  const hasher = createPasswordHasher();
  return {
    config,
    log,
    database,
    db,
    vault,
    hasher,
    makeKeyPair,
    metrics,
    changes,
    realms: createRealmSnapshots(db, changes),
    work: createUnitOfWork({ db, ...parts }),
    background: { db: database.background, work: createUnitOfWork({ db: database.background, ...parts }) },
    onEvents: (listener) => void eventListeners.push(listener),
    onJobs: (listener) => void jobListeners.push(listener),
    close: () => database.close(),
  };
}
