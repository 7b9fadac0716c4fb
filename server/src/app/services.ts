import { createResourceServers } from "../applications/authorization/index.ts";
import { createScopes } from "../applications/client-scopes/index.ts";
import { createAdminOrigins, createApis, createClients } from "../applications/clients/index.ts";
import { createSamlClients } from "../applications/saml-clients/index.ts";
import { createSubjects } from "../applications/subject-claim/index.ts";
import { createWorkloadCredentials } from "../applications/workload-credentials/index.ts";
import type { Core } from "../core.ts";
import { localPasswords } from "../directory/credentials/index.ts";
import { createHttpPasswords } from "../directory/password-source/index.ts";
import {
  createBrokers,
  createDirectoryMetrics,
  createDirectoryPasswords,
  createDirectoryPools,
  createEntryChecks,
  createIdentityProviders,
  createSeenEntries,
} from "../federation/index.ts";
import { manifest } from "../kernel/package.ts";
import { createHealth } from "../operations/monitoring/index.ts";
import { createDns } from "../platform/dns/index.ts";
import { createOutbound, type Outbound } from "../platform/outbound/index.ts";
import { createBreachedPasswords } from "../platform/passwords/index.ts";
import { openPlaces } from "../platform/places.ts";
import { createRateLimiter } from "../platform/rate-limit/index.ts";
import { startTracing } from "../platform/telemetry/tracing.ts";
import { createClientActivity, createClientKeys, createIssuerKeys } from "../protocols/client-auth/index.ts";
import { createIssuers } from "../protocols/oidc/index.ts";
import { createDocumentClients, createProvisioning } from "../protocols/registration/index.ts";
import { createSubjectOf } from "../protocols/tokens/index.ts";
import { createPasswordUpgrades } from "../signin/authenticators/index.ts";
import { createFlows } from "../signin/flows/index.ts";
import { createMessageCopies, createVisitors } from "../signin/login/index.ts";
import { createStandings } from "../signin/run/index.ts";
import { createCookies, createCsrf } from "../signin/sessions/index.ts";
import { createDecryptionKeys, createSigningKeys } from "../tenancy/keys/index.ts";
import { createChannels, createMailbox, createMessageMetrics, createMessages } from "../tenancy/messaging/index.ts";
import { WEBHOOKS_AT_ONCE } from "../tenancy/webhooks/index.ts";
import { openForwarder } from "./forwarder.ts";

export const { version } = manifest();

export interface ServiceOptions {
  /** Replaces the connector that the configuration describes, in tests with their own peers. */
  readonly outbound?: Outbound;
  /** Tells whether the server is about to stop. */
  isDraining(): boolean;
}

export type Services = ReturnType<typeof createServices>;

/** Creates the services that routes and jobs share, each once. */
export function createServices(core: Core, options: ServiceOptions) {
  const { config, log, db, vault, hasher, metrics, realms, work, changes, background } = core;
  const { baseUrl } = config;
  const { isDraining } = options;
  const connections = openConnections(core, options);
  const { outbound, limiter, breaches } = connections;
  // The header is ignored without trusted proxies: a caller that reaches this server directly could present any certificate in it.
  const tlsClientCertHeader = config.trustProxy === false ? null : config.tlsClientCertHeader;
  // The URL is announced only if certificates are read.
  const mtlsBaseUrl = tlsClientCertHeader === null ? null : config.mtlsBaseUrl;
  const cookies = createCookies(baseUrl.startsWith("https:"));
  const csrf = createCsrf(vault);
  const messageMetrics = createMessageMetrics(metrics.registry);
  const mailbox = createMailbox(config);
  const messages = createMessages({ baseUrl, vault, metrics: messageMetrics, channels: createChannels({ db, changes }), mailbox });
  const provisioning = createProvisioning({ db, changes, baseUrl });
  const apis = createApis({ db, changes });
  const clients = createDocumentClients({
    apis,
    clients: createClients({ db, vault, changes }),
    realms,
    provisioning,
    outbound,
    limiter,
    tools: { vault, baseUrl },
    log,
  });
  const identityProviders = createIdentityProviders({ db, vault, changes });
  const { directories } = connections;
  const signingKeys = createSigningKeys({ db, vault, work, realms });
  const directoryMetrics = createDirectoryMetrics(metrics.registry);
  const directoryParts = {
    ...{ db, work, vault, hasher, providers: identityProviders, pools: directories, metrics: directoryMetrics, log },
    seen: createSeenEntries(),
  };
  const directoryPasswords = createDirectoryPasswords(directoryParts);
  const signIn = {
    brokers: createBrokers({
      ...{ providers: identityProviders, outbound, registry: metrics.registry, log },
      ...{ db, vault, realms, signingKeys, baseUrl, timeoutMs: config.providerTimeoutMs },
    }),
    flows: createFlows({ db, changes }),
    places: openPlaces(config.geoipFile, log),
    directoryPasswords,
    entryChecks: createEntryChecks(directoryParts),
    sources: [directoryPasswords, localPasswords(db, hasher), createHttpPasswords({ db, work, vault, changes, outbound, hasher, log })],
    upgrades: createPasswordUpgrades({ db: background.db, hasher, log }),
  };
  const signInParts = { ...signIn, db, work, metrics, baseUrl, vault, hasher, breaches, messages, log };
  const standings = createStandings(signInParts, signIn.flows);
  const tokens = {
    scopes: createScopes({ db, changes }),
    signingKeys,
    decryptionKeys: createDecryptionKeys({ db, vault, realms }),
    apis,
    subjectOf: createSubjectOf({ db, subjects: createSubjects({ db, vault, changes }) }),
    activity: createClientActivity({ ...background, log }),
  };
  const resourceServers = createResourceServers({ db, changes });
  const issuers = createIssuers({
    ...{ db, work, realms, vault, hasher, breaches, metrics, log, outbound, limiter, messages, cookies, clients, provisioning },
    ...{ baseUrl, mtlsBaseUrl, tlsClientCertHeader, isDraining, outages: core.database.outages },
    ...signIn,
    ...tokens,
    standings,
    resourceServers,
    clientKeys: createClientKeys(outbound),
    workloads: createWorkloadCredentials({ db, changes }),
    issuerKeys: createIssuerKeys(outbound),
  });
  return {
    ...connections,
    ...signIn,
    ...tokens,
    ...{
      identityProviders,
      directoryParts,
      tlsClientCertHeader,
      mtlsBaseUrl,
      cookies,
      csrf,
      standings,
      messageMetrics,
      messages,
      mailbox,
      provisioning,
      clients,
      issuers,
      isDraining,
    },
    resourceServers,
    samlClients: createSamlClients({ db, changes }),
    visitors: createVisitors({ db, realms, csrf, cookies, mailbox, copies: createMessageCopies(vault), work, limiter }),
    adminOrigins: createAdminOrigins({ db, changes, baseUrl }),
    audit: openForwarder(core),
    health: createHealth({
      db: core.database.monitor,
      dataDir: config.dataDir,
      baseUrl,
      redis: config.redisUrl === null ? null : async () => (await limiter.healthy()) ?? false,
      breachCorpus: breaches.probe,
      draining: isDraining,
      log,
    }),
  };
}

/** Opens the connections out of the process, which are closed with the server. */
function openConnections({ config, log }: Core, options: ServiceOptions) {
  const outboundPolicy = { allowedHosts: config.allowedHosts, allowLoopbackHttp: config.mode === "development" };
  const outbound = options.outbound ?? createOutbound(outboundPolicy);
  // Webhooks have their own connector with many connections to a host: if realms share it, a receiver that hangs leaves connections for the others.
  const webhookOutbound = createOutbound({ ...outboundPolicy, connections: WEBHOOKS_AT_ONCE });
  const limiter = createRateLimiter({ ...(config.redisUrl !== null && { redisUrl: config.redisUrl }), log });
  const breaches = createBreachedPasswords({ corpus: config.breachCorpus, log });
  const tracing = startTracing({
    ...(config.otelEndpoint !== null && { endpoint: config.otelEndpoint }),
    serviceName: "gatehouse",
    version,
    log,
  });
  const directories = createDirectoryPools(outbound);
  const closeConnections = async () => {
    directories.close();
    await Promise.all([limiter.close(), breaches.close(), outbound.close(), webhookOutbound.close(), tracing.shutdown()]);
  };
  const dns = createDns({ servers: config.dnsServers });
  return { outbound, dns, directories, webhookOutbound, limiter, breaches, tracing, closeConnections };
}
