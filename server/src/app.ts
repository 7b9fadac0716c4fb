import { registerAdminRoutes } from "./app/admin-routes.ts";
import { createJobs, createScimTargets, createWebhooks } from "./app/jobs.ts";
import { errorFormsOf, registerRealmRoutes } from "./app/realm-routes.ts";
import { createServices, type Services, version } from "./app/services.ts";
import type { Core } from "./core.ts";
import { SECOND } from "./kernel/clock.ts";
import { apiDescription, apiDocsRoutes, homeRoutes } from "./operations/api-docs/index.ts";
import { consoleRoutes } from "./operations/console/index.ts";
import { exposeGauges, monitoringRoutes, securityTxtRoutes, serverInfo } from "./operations/monitoring/index.ts";
import type { ScimSender } from "./operations/scim-targets/index.ts";
import { assetRoutes } from "./pages/index.ts";
import { watchRealmChanges } from "./platform/cache/index.ts";
import { type App, type CompiledSchemas, createServer, unitOfWorkPlugin } from "./platform/http/index.ts";
import type { JobWorker } from "./platform/jobs/index.ts";
import type { Outbound } from "./platform/outbound/index.ts";
import type { ClientActivity } from "./protocols/client-auth/index.ts";
import { createUnservedAnswer, refuseUnguardedRoutes } from "./protocols/gate/index.ts";
import { type Issuers, metadataRoutes } from "./protocols/oidc/index.ts";
import { createCertificateGuard } from "./protocols/proof/index.ts";
import { samlMetadataRoutes } from "./protocols/saml/index.ts";
import { wellKnownChangePassword } from "./signin/self-service/index.ts";
import { type Forwarder, forgetForwarder } from "./tenancy/audit/index.ts";
import type { Messages } from "./tenancy/messaging/index.ts";
import type { WebhookSender } from "./tenancy/webhooks/index.ts";

export interface Server {
  readonly app: App;
  readonly jobs: JobWorker;
  readonly messages: Messages;
  readonly activity: ClientActivity;
  readonly issuers: Issuers;
  readonly webhooks: WebhookSender;
  readonly scimTargets: ScimSender;
  readonly forwarder: Forwarder | null;
  /** Begins the background work, without which requests are served as well. */
  start(): Promise<void>;
  /** Waits until the background work has begun. */
  started(): Promise<void>;
  /** Makes the server not ready, and lets every answer end its connection. */
  drain(): void;
  /** Ends everything except the core. */
  close(): Promise<void>;
}

export interface AppOptions {
  /** Replaces the connector that the configuration describes, in tests with their own peers. */
  readonly outbound?: Outbound;
  /** The functions that servers of this process share. */
  readonly compiled?: CompiledSchemas;
}

/** Creates the whole server on a core: services, routes, jobs, life cycle. */
export async function createApp(core: Core, options: AppOptions = {}): Promise<Server> {
  let draining = false;
  const services = createServices(core, { ...options, isDraining: () => draining });
  const app = await createHttpServer(core, services, options.compiled);
  await registerRoutes(app, core, services);
  const jobs = createJobs(core, services);
  const webhooks = createWebhooks(core, services);
  const scimTargets = createScimTargets(core, services);
  const { messages, activity, issuers, audit } = services;
  return {
    ...{ app, jobs, messages, activity, issuers, webhooks, scimTargets, forwarder: audit.forwarder },
    ...lifeCycle(core, services, { app, jobs, webhooks, scimTargets }),
    drain: () => {
      draining = true;
    },
  };
}

/** Creates a server without routes, with the rules for every request. */
async function createHttpServer(core: Core, services: Services, compiled: CompiledSchemas | undefined): Promise<App> {
  const { config, db, log, work, background, metrics } = core;
  const { isDraining, tlsClientCertHeader, tracing } = services;
  const app = createServer({
    logger: log,
    trustProxy: config.trustProxy as boolean,
    secure: config.baseUrl.startsWith("https:"),
    isDraining,
    compiled,
    answerUnserved: createUnservedAnswer({ realms: core.realms, errors: errorFormsOf(services) }),
    load: { maxInFlight: config.maxInFlight, maxLoopDelayMs: config.maxLoopDelayMs },
    // With tracing each request is a span, so none is answered early.
    ...(config.otelEndpoint === null && { onEarlyAnswer: (route, seconds) => metrics.request("GET", route, 200, seconds) }),
  });
  await app.register(tracing.plugin);
  await app.register(apiDescription, { version });
  await app.register(unitOfWorkPlugin, { db, work, background });
  if (tlsClientCertHeader !== null) app.addHook("onRequest", createCertificateGuard(tlsClientCertHeader, config.trustProxy));
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (isDraining()) reply.header("connection", "close");
    done(null, payload);
  });
  app.addHook("onResponse", (request, reply, done) => {
    metrics.request(request.method, request.routeOptions.url ?? "unmatched", reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
  return app;
}

/** Registers all routes: those outside of realms and of the admin API come first and last. */
async function registerRoutes(app: App, core: Core, services: Services): Promise<void> {
  const { background, config, database, hasher, metrics, realms } = core;
  const { audit, cookies, health, issuers, signingKeys, visitors } = services;
  exposeGauges(metrics.registry, { db: background.db, pool: database.pool, hasher, forwarder: audit.forwarder });
  refuseUnguardedRoutes(app as never);
  await app.register(monitoringRoutes, { health, registry: metrics.registry, info: serverInfo(version, config.mode) });
  await registerRealmRoutes(app, core, services);
  await app.register(metadataRoutes, { issuers });
  await app.register(samlMetadataRoutes, { realms, signingKeys, baseUrl: config.baseUrl });
  await app.register(wellKnownChangePassword, { cookies });
  await app.register(securityTxtRoutes, { contacts: config.securityContacts, baseUrl: config.baseUrl });
  await app.register(assetRoutes);
  await registerAdminRoutes(app, core, services);
  await app.register(apiDocsRoutes, { realms, visitors });
  await app.register(consoleRoutes);
  await app.register(homeRoutes, { realms, visitors });
}

type Running = Pick<Server, "app" | "jobs" | "webhooks" | "scimTargets">;

/** Returns the functions that begin the background work and end everything in order. */
function lifeCycle(core: Core, services: Services, { app, jobs, webhooks, scimTargets }: Running) {
  const { background, changes, config, database, log, metrics } = core;
  const { activity, audit, upgrades, closeConnections } = services;
  let watcher: { close(): Promise<void> } | undefined;
  let flushing: NodeJS.Timeout | undefined;
  let starting: Promise<void> | undefined;
  const startBackground = async () => {
    await jobs.start();
    await webhooks.start();
    await scimTargets.start();
    await (audit.forwarder ? audit.forwarder.start() : forgetForwarder(background.db, log));
  };
  const flush = async () => {
    await metrics.flush(background.db).catch((err) => log.warn({ err }, "could not store the counters; they are kept for the next time"));
    await activity.flush().catch((err) => log.warn({ err }, "could not store what clients did; it is kept for the next time"));
  };
  return {
    async start() {
      if (config.databaseUrl)
        watcher = await watchRealmChanges({
          ...{ db: database.monitor, url: config.listenUrl ?? config.databaseUrl },
          ...{ changes, outages: database.outages, log },
        });
      flushing = setInterval(flush, 10 * SECOND).unref();
      starting = startBackground();
      // On the embedded database this takes a while, and no request needs it, so the port opens first.
      if (config.databaseUrl) await starting;
      else starting.catch((err) => log.error({ err }, "the background work could not begin: restart the server"));
    },
    started: async () => starting,
    async close() {
      await app.close();
      await upgrades.settled();
      clearInterval(flushing);
      await starting?.catch(() => {}); // logged when it happened
      await webhooks.stop();
      await scimTargets.stop();
      await jobs.stop();
      await audit.close();
      await flush();
      await Promise.all([watcher?.close(), closeConnections()]);
    },
  };
}
