import { applicationRoutes } from "./applications/applications/index.ts";
import { claimRoutes } from "./applications/claims/index.ts";
import { clientScopeRoutes, completeRealms, createScopes } from "./applications/client-scopes/index.ts";
import { clientRoutes, createAdminOrigins, createClients } from "./applications/clients/index.ts";
import { createSubjects, subjectClaimRoutes } from "./applications/subject-claim/index.ts";
import { cleanUp } from "./cleanup.ts";
import { redactUrl } from "./config/redact.ts";
import type { Core } from "./core.ts";
import { groupRoutes, userGroupRoutes } from "./directory/groups/index.ts";
import { endAbandonedImports, userImportRoutes } from "./directory/import/index.ts";
import { organizationRoutes, userOrganizationRoutes } from "./directory/organizations/index.ts";
import { adminRoleRoutes, assertMayControl, roleRoutes } from "./directory/roles/index.ts";
import { requiredActionRoutes, userCredentialRoutes, userRoutes } from "./directory/users/index.ts";
import { HOUR, MINUTE, SECOND } from "./kernel/clock.ts";
import { manifest } from "./kernel/package.ts";
import { limitsOf } from "./limits.ts";
import { adminPreflightRoutes, guardAdminRoutes } from "./operations/admin-gate/index.ts";
import { apiDescription, apiDocsRoutes, homeRoutes } from "./operations/api-docs/index.ts";
import { gdprRoutes } from "./operations/gdpr/index.ts";
import {
  createHealth,
  exposeGauges,
  metricsSummaryRoutes,
  monitoringRoutes,
  realmMonitoringRoutes,
  serverInfo,
} from "./operations/monitoring/index.ts";
import { watchRealmChanges } from "./platform/cache/index.ts";
import { type App, answerProblem, createServer, unitOfWorkPlugin } from "./platform/http/index.ts";
import { createJobWorker, type JobWorker } from "./platform/jobs/index.ts";
import { createOutbound, type Outbound } from "./platform/outbound/index.ts";
import { createBreachedPasswords } from "./platform/passwords/index.ts";
import { createRateLimiter } from "./platform/rate-limit/index.ts";
import { startTracing } from "./platform/telemetry/tracing.ts";
import { accountAudience, accountRoutes } from "./protocols/account/index.ts";
import { type ClientActivity, createClientActivity, createClientKeys, serviceAccountSessionRoutes } from "./protocols/client-auth/index.ts";
import { guardRealmRoutes, sendOAuthError } from "./protocols/gate/index.ts";
import {
  BACKCHANNEL_JOB,
  backchannelJob,
  CIBA_PING_JOB,
  cibaPingJob,
  createIssuers,
  createLogoutRequests,
  type Issuers,
  metadataRoutes,
  oidcRoutes,
  userinfoAudience,
} from "./protocols/oidc/index.ts";
import { createCertificateGuard } from "./protocols/proof/index.ts";
import {
  createDocumentClients,
  createProvisioning,
  provisioningRoutes,
  registrationRoutes,
  sendRegistrationError,
} from "./protocols/registration/index.ts";
import { createSubjectOf } from "./protocols/tokens/index.ts";
import { transactionAudience, transactionRoutes } from "./protocols/transactions/index.ts";
import { assetRoutes } from "./signin/assets/index.ts";
import { createDeviceProver, enrollmentRoutes, pushRoutes, qrRoutes } from "./signin/enrolled-devices/index.ts";
import { authenticatorRoutes, browserFlowRoutes, createFlows, flowRoutes } from "./signin/flows/index.ts";
import { impersonateRoutes, impersonationPages } from "./signin/impersonation/index.ts";
import { invitationPageRoutes } from "./signin/invitations/index.ts";
import { createVisitors, loginRoutes } from "./signin/login/index.ts";
import { createPasswordUpgrades, localPasswords } from "./signin/passwords/index.ts";
import { selfRegistrationRoutes } from "./signin/self-registration/index.ts";
import {
  actionsEmailRoutes,
  changePasswordRoutes,
  mailLinkRoutes,
  resetRoutes,
  wellKnownChangePassword,
} from "./signin/self-service/index.ts";
import { createCookies, createCsrf, sessionRoutes, userSessionRoutes } from "./signin/sessions/index.ts";
import {
  applyRetention,
  auditConfigRoutes,
  createForwarder,
  eventRoutes,
  type Forwarder,
  forgetForwarder,
  httpReceiver,
  RETENTION_JOB,
  transports,
} from "./tenancy/audit/index.ts";
import { completeKeys, createDecryptionKeys, createSigningKeys, keyRoutes } from "./tenancy/keys/index.ts";
import {
  createMessageMetrics,
  createMessages,
  MESSAGE_JOB,
  type Messages,
  messageJob,
  providerRoutes,
  pushTokenRoutes,
  templateRoutes,
} from "./tenancy/messaging/index.ts";
import { PURGE_JOB, publicRealmRoutes, purgeRealm, realmRoutes } from "./tenancy/realms/index.ts";
import { settingsRoutes } from "./tenancy/settings/index.ts";
import { createWebhookSender, WEBHOOKS_AT_ONCE, type WebhookSender, webhookRoutes } from "./tenancy/webhooks/index.ts";

const { version } = manifest();

export interface Server {
  readonly app: App;
  readonly jobs: JobWorker;
  readonly messages: Messages;
  readonly activity: ClientActivity;
  readonly issuers: Issuers;
  readonly webhooks: WebhookSender;
  readonly forwarder: Forwarder | null;
  /** Begins the background work; requests are served without it. */
  start(): Promise<void>;
  /** Once the background work has begun. */
  started(): Promise<void>;
  /** From now on not ready, and every answer ends its connection. */
  drain(): void;
  /** Ends everything but the core. */
  close(): Promise<void>;
}

export interface AppOptions {
  /** Instead of the one that the configuration describes: tests bring peers of their own. */
  readonly outbound?: Outbound;
}

/** The whole server over a core: every route in one readable list. */
export async function createApp(core: Core, options: AppOptions = {}): Promise<Server> {
  const { config, log, database, db, vault, hasher, makeKeyPair, metrics, realms, work, changes, background } = core;
  const secure = config.baseUrl.startsWith("https:");
  const csrf = createCsrf(vault);
  const cookies = createCookies(secure);
  const wayOut = { allowedHosts: config.allowedHosts, allowLoopbackHttp: config.mode === "development" };
  const outbound = options.outbound ?? createOutbound(wayOut);
  // Its own, and wide: where realms share a receiver's host, one whose deliveries hang leaves connections for the others.
  const webhookOutbound = createOutbound({ ...wayOut, connections: WEBHOOKS_AT_ONCE });
  const limiter = createRateLimiter({ ...(config.redisUrl !== null && { redisUrl: config.redisUrl }), log });
  const tracing = startTracing({
    ...(config.otelEndpoint !== null && { endpoint: config.otelEndpoint }),
    serviceName: "gatehouse",
    version,
    log,
  });
  const breaches = createBreachedPasswords({ corpus: config.breachCorpus, log });
  const upgrades = createPasswordUpgrades({ db: background.db, hasher, log });
  const app = createServer({
    logger: log,
    trustProxy: config.trustProxy as boolean,
    secure,
    isDraining: () => draining,
    load: { maxInFlight: config.maxInFlight, maxLoopDelayMs: config.maxLoopDelayMs },
    // Where requests are traced, each is a span.
    ...(config.otelEndpoint === null && { onEarlyAnswer: (route, seconds) => metrics.request("GET", route, 200, seconds) }),
  });
  let draining = false;
  const health = createHealth({
    db: database.monitor,
    dataDir: config.dataDir,
    baseUrl: config.baseUrl,
    redis: config.redisUrl === null ? null : async () => (await limiter.healthy()) ?? false,
    breachCorpus: breaches.probe,
    draining: () => draining,
    log,
  });
  const messageMetrics = createMessageMetrics(metrics.registry);
  const messages = createMessages({ vault, metrics: messageMetrics });
  const audit = openForwarder(core);
  const provisioning = createProvisioning({ db, changes, baseUrl: config.baseUrl });
  const clients = createDocumentClients({
    clients: createClients({ db, vault, changes }),
    realms,
    provisioning,
    outbound,
    limiter,
    tools: { vault, baseUrl: config.baseUrl },
    log,
  });
  const scopes = createScopes({ db, changes });
  const subjects = createSubjects({ db, vault, changes });
  const signingKeys = createSigningKeys({ db, vault, work, realms });
  const decryptionKeys = createDecryptionKeys({ db, vault, realms });
  const activity = createClientActivity({ ...background, log });
  const sources = [localPasswords(db, hasher)];
  const subjectOf = createSubjectOf({ db, subjects });
  const flows = createFlows({ db, changes });
  // Whoever speaks to us directly could claim any certificate.
  const tlsClientCertHeader = config.trustProxy === false ? null : config.tlsClientCertHeader;
  const issuers = createIssuers({
    flows,
    hasher,
    breaches,
    messages,
    activity,
    db,
    work,
    sources,
    upgrades,
    vault,
    realms,
    clients,
    clientKeys: createClientKeys(outbound),
    provisioning,
    scopes,
    signingKeys,
    decryptionKeys,
    outbound,
    metrics,
    log,
    baseUrl: config.baseUrl,
    limiter,
    cookies,
    isDraining: () => draining,
    tlsClientCertHeader,
    mtlsBaseUrl: config.mtlsBaseUrl,
    subjectOf,
  });
  const visitors = createVisitors({ db, realms, csrf, cookies });
  exposeGauges(metrics.registry, { db: background.db, pool: database.pool, hasher, forwarder: audit.forwarder });

  await app.register(tracing.plugin);
  await app.register(apiDescription, { version });
  await app.register(unitOfWorkPlugin, { db, work, background });
  if (tlsClientCertHeader !== null) app.addHook("onRequest", createCertificateGuard(tlsClientCertHeader, config.trustProxy));
  app.addHook("onResponse", (request, reply, done) => {
    metrics.request(request.method, request.routeOptions.url ?? "unmatched", reply.statusCode, reply.elapsedTime / 1000);
    done();
  });

  await app.register(monitoringRoutes, { health, registry: metrics.registry, info: serverInfo(version, config.mode) });
  await app.register(
    async (protocol) => {
      const gate = guardRealmRoutes(protocol as never, {
        ...{ db, work, realms, clients, csrf, cookies, visitors, issuers, baseUrl: config.baseUrl, tlsClientCertHeader },
        devices: createDeviceProver({ db, baseUrl: config.baseUrl }),
        audiences: { account: accountAudience, transactions: transactionAudience, userinfo: userinfoAudience },
        limits: limitsOf(limiter, realms),
        errors: { page: visitors.showFailure, problem: answerProblem, oauth: sendOAuthError, registration: sendRegistrationError },
      });
      const signIn = { db, work, metrics, baseUrl: config.baseUrl, sources, upgrades, vault, hasher, breaches, messages, log };
      await protocol.register(publicRealmRoutes, { realms });
      await protocol.register(loginRoutes, { ...signIn, flows, visitors, logoutRequests: createLogoutRequests(issuers) });
      const visiting = { db, work, visitors, messages, baseUrl: config.baseUrl };
      await protocol.register(resetRoutes, visiting);
      await protocol.register(mailLinkRoutes, { ...visiting, clients, flows });
      await protocol.register(changePasswordRoutes, visiting);
      await protocol.register(selfRegistrationRoutes, { ...visiting, vault, hasher, breaches, flows });
      await protocol.register(oidcRoutes, { db, work, visitors, issuers, messages });
      await protocol.register(impersonationPages, { db, work, realms, visitors });
      const devices = { db, work, visitors, clients, baseUrl: config.baseUrl };
      await protocol.register(enrollmentRoutes, { prefix: "/device", ...devices, vault });
      await protocol.register(pushRoutes, devices);
      await protocol.register(qrRoutes, devices);
      await protocol.register(transactionRoutes, { ...devices, ...signIn, signingKeys, subjectOf });
      const account = { db, work, realms, cookies, hasher, breaches, vault, messages, log, baseUrl: config.baseUrl };
      await protocol.register(accountRoutes, { prefix: "/account", ...account });
      const registering = { db, work, vault, realms, scopes, outbound, provisioning, baseUrl: config.baseUrl };
      await protocol.register(registrationRoutes, { prefix: "/connect/register", ...registering });
      await protocol.register(invitationPageRoutes, { db, work, metrics, visitors, hasher, breaches });
      gate.answerPreflights();
    },
    { prefix: "/realms/:realm" },
  );

  await app.register(metadataRoutes, { issuers });
  await app.register(wellKnownChangePassword, { cookies });
  await app.register(assetRoutes);

  const origins = createAdminOrigins({ db, changes, baseUrl: config.baseUrl });
  await app.register(adminPreflightRoutes, { prefix: "/admin", realms, origins });
  await app.register(
    async (admin) => {
      const guarding = { db, work, realms, csrf, cookies, metrics, origins, clients, baseUrl: config.baseUrl, tlsClientCertHeader };
      guardAdminRoutes(admin, guarding);
      await admin.register(auditConfigRoutes, { prefix: "/audit", ...audit });
      await admin.register(metricsSummaryRoutes, { prefix: "/metrics" });
      await admin.register(realmRoutes, { prefix: "/realms", vault, hasher, makeKeyPair, breaches });
      await admin.register(
        async (realm) => {
          await realm.register(userImportRoutes, { prefix: "/users/import", hasher, breaches, realms });
          await realm.register(userRoutes, { prefix: "/users", hasher, breaches, realms });
          await realm.register(impersonateRoutes, { prefix: "/users", baseUrl: config.baseUrl });
          await realm.register(gdprRoutes, { prefix: "/users" });
          await realm.register(userCredentialRoutes, { prefix: "/users", hasher, breaches, realms });
          await realm.register(requiredActionRoutes, { prefix: "/users" });
          await realm.register(actionsEmailRoutes, { prefix: "/users", messages, clients, realms, baseUrl: config.baseUrl });
          await realm.register(userGroupRoutes, { prefix: "/users" });
          await realm.register(userOrganizationRoutes, { prefix: "/users" });
          await realm.register(userSessionRoutes, { prefix: "/users" });
          await realm.register(groupRoutes, { prefix: "/groups" });
          await realm.register(organizationRoutes, { prefix: "/organizations", messages, baseUrl: config.baseUrl });
          await realm.register(roleRoutes, { prefix: "/roles" });
          await realm.register(adminRoleRoutes, { prefix: "/admin-roles" });
          await realm.register(applicationRoutes, { prefix: "/applications", vault, baseUrl: config.baseUrl });
          await realm.register(clientScopeRoutes, { prefix: "/client-scopes" });
          await realm.register(claimRoutes, { prefix: "/claims" });
          await realm.register(subjectClaimRoutes, { prefix: "/subject-claim" });
          await realm.register(provisioningRoutes, { prefix: "/provisioning" });
          await realm.register(clientRoutes, { prefix: "/clients", vault, baseUrl: config.baseUrl });
          await realm.register(flowRoutes, { prefix: "/flows" });
          await realm.register(browserFlowRoutes, { prefix: "/flow" });
          await realm.register(authenticatorRoutes, { prefix: "/authenticators" });
          await realm.register(settingsRoutes, { prefix: "/settings", baseUrl: config.baseUrl });
          await realm.register(keyRoutes, { prefix: "/keys", vault });
          await realm.register(sessionRoutes, { prefix: "/sessions" });
          await realm.register(serviceAccountSessionRoutes, { prefix: "/sessions" });
          await realm.register(eventRoutes, { prefix: "/events" });
          await realm.register(webhookRoutes, { prefix: "/webhooks", vault, outbound: webhookOutbound });
          await realm.register(providerRoutes, { prefix: "/messaging/providers", vault, outbound, limiter });
          await realm.register(templateRoutes, { prefix: "/messaging/templates" });
          await realm.register(pushTokenRoutes, { prefix: "/messaging/push-tokens", vault, assertMayControl });
          await realm.register(realmMonitoringRoutes, { realms, baseUrl: config.baseUrl });
        },
        { prefix: "/realms/:realm" },
      );
    },
    { prefix: "/admin" },
  );

  await app.register(apiDocsRoutes, { realms, visitors });
  await app.register(homeRoutes, { realms, visitors });

  const jobs = createJobWorker(
    background.db,
    {
      [RETENTION_JOB]: { run: ({ realm }) => applyRetention(background, realm!) },
      [PURGE_JOB]: { run: ({ payload }) => purgeRealm(background.db, String(payload.realm)) },
      [MESSAGE_JOB]: messageJob({ db: background.db, vault, outbound, realms, metrics: messageMetrics, log }),
      [BACKCHANNEL_JOB]: backchannelJob(issuers),
      [CIBA_PING_JOB]: cibaPingJob(issuers),
      "imports.abandoned": { every: MINUTE, run: () => endAbandonedImports(background) },
      "keys.complete": { every: HOUR, run: () => completeKeys({ ...background, vault }) },
      "realms.complete": { every: MINUTE, run: () => completeRealms(background) },
      "cleanup.expired": { every: MINUTE, run: () => cleanUp(background.db) },
    },
    log,
    database.kind === "embedded",
  );
  core.onJobs((dueAt) => jobs.wake(dueAt));

  const webhooks = createWebhookSender({
    ...background,
    vault,
    outbound: webhookOutbound,
    registry: metrics.registry,
    log,
    waits: config.webhookRetrySeconds.map((seconds) => seconds * SECOND),
    alone: database.kind === "embedded",
  });
  core.onEvents(webhooks.wake);

  app.addHook("onSend", (_request, reply, payload, done) => {
    if (draining) reply.header("connection", "close");
    done(null, payload);
  });
  let watcher: { close(): Promise<void> } | undefined;
  let flushing: NodeJS.Timeout | undefined;
  let starting: Promise<void> | undefined;
  const startBackground = async () => {
    await jobs.start();
    await webhooks.start();
    await (audit.forwarder ? audit.forwarder.start() : forgetForwarder(background.db, log));
  };
  const flush = async () => {
    await metrics.flush(background.db).catch((err) => log.warn({ err }, "could not store the counters; they are kept for the next time"));
    await activity.flush().catch((err) => log.warn({ err }, "could not store what clients did; it is kept for the next time"));
  };
  return {
    app,
    jobs,
    messages,
    activity,
    issuers,
    webhooks,
    forwarder: audit.forwarder,
    async start() {
      if (config.databaseUrl)
        watcher = await watchRealmChanges({ db: database.monitor, url: config.listenUrl ?? config.databaseUrl, changes, log });
      flushing = setInterval(flush, 10 * SECOND).unref();
      starting = startBackground();
      // The embedded database takes a while for it and no request needs it; whoever waits for the port should not wait for this.
      if (config.databaseUrl) await starting;
      else starting.catch((err) => log.error({ err }, "the background work could not begin: restart the server"));
    },
    started: async () => starting,
    drain: () => {
      draining = true;
    },
    async close() {
      await app.close();
      await upgrades.settled();
      clearInterval(flushing);
      await starting?.catch(() => {}); // told when it happened
      await webhooks.stop();
      await jobs.stop();
      await audit.close();
      await flush();
      await Promise.all([
        watcher?.close(),
        limiter.close(),
        breaches.close(),
        outbound.close(),
        webhookOutbound.close(),
        tracing.shutdown(),
      ]);
    },
  };
}

/** How audit events leave the server: always by standard output, and by HTTP where a receiver is configured. */
function openForwarder({ config: { audit }, database, background: { db }, log, metrics, onEvents }: Core) {
  const { httpUrl, httpToken, categories, timeoutMs } = audit;
  const receiver = httpUrl === null ? null : httpReceiver({ httpUrl, httpToken, timeoutMs });
  const forwarder =
    receiver &&
    createForwarder({
      db,
      log,
      registry: metrics.registry,
      alone: database.kind === "embedded",
      categories,
      timeoutMs,
      send: (events) => transports.http.send(receiver, events),
    });
  if (forwarder) onEvents(forwarder.wake);
  const config = {
    enabled: true,
    transports: ["stdout", ...(receiver ? ["http"] : [])],
    httpUrl: receiver && redactUrl(receiver.url.href),
    httpConfigured: receiver !== null,
    authConfigured: receiver !== null && receiver.authorization !== null,
    categories: [...categories],
    timeoutMs,
  };
  const close = async () => {
    await forwarder?.stop();
    await receiver?.outbound.close();
  };
  return { config, forwarder, close };
}
