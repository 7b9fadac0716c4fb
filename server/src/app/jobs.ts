import { remindOwners } from "../applications/agents/index.ts";
import { completeRealms } from "../applications/client-scopes/index.ts";
import { refreshSamlMetadata } from "../applications/saml-clients/index.ts";
import { cleanUp } from "../cleanup.ts";
import type { Core } from "../core.ts";
import { endAbandonedImports } from "../directory/import/index.ts";
import { recheckDomains } from "../directory/organizations/index.ts";
import {
  endAbandonedRuns,
  enqueueSyncs,
  FORGET_LINKS_JOB,
  forgetLinks,
  SYNC_JOB,
  syncJob,
  UNRECORDED_JOB,
  unrecordedJob,
} from "../federation/index.ts";
import { HOUR, MINUTE, SECOND } from "../kernel/clock.ts";
import { createScimSender, type ScimSender } from "../operations/scim-targets/index.ts";
import { refreshStatistics } from "../platform/db/index.ts";
import { createJobWorker, type JobWorker } from "../platform/jobs/index.ts";
import { CIBA_PING_JOB, cibaPingJob } from "../protocols/decoupled/index.ts";
import { BACKCHANNEL_JOB, backchannelJob } from "../protocols/oidc/index.ts";
import { SAML_LOGOUT_JOB, samlLogoutJob } from "../protocols/saml/index.ts";
import { endExpiredSessions } from "../signin/sessions/index.ts";
import { applyRetention, hasUnforwarded, RETENTION_JOB } from "../tenancy/audit/index.ts";
import { completeKeys } from "../tenancy/keys/index.ts";
import { MESSAGE_JOB, messageJob } from "../tenancy/messaging/index.ts";
import { PURGE_JOB, purgeRealm } from "../tenancy/realms/index.ts";
import { createWebhookSender, type WebhookSender } from "../tenancy/webhooks/index.ts";
import type { Services } from "./services.ts";

/** Lists every job: those that requests enqueue, and those that recur. */
export function createJobs(core: Core, services: Services): JobWorker {
  const { brokers, dns, identityProviders, issuers, mailbox, messageMetrics, outbound, samlClients, signingKeys } = services;
  const { background, config, database, log, metrics, realms, vault } = core;
  const saml = {
    db: background.db,
    baseUrl: config.baseUrl,
    registry: metrics.registry,
    vault,
    outbound,
    realms,
    samlClients,
    signingKeys,
    log,
  };
  const jobs = createJobWorker(
    background.db,
    {
      [RETENTION_JOB]: { run: ({ realm }) => applyRetention(background, realm!) },
      [PURGE_JOB]: { run: ({ payload }) => purgeRealm(background.db, String(payload.realm), hasUnforwarded) },
      [MESSAGE_JOB]: messageJob({ db: background.db, vault, outbound, realms, metrics: messageMetrics, mailbox, log }),
      [BACKCHANNEL_JOB]: backchannelJob(issuers),
      [SAML_LOGOUT_JOB]: samlLogoutJob(saml),
      [CIBA_PING_JOB]: cibaPingJob(issuers),
      [FORGET_LINKS_JOB]: { run: ({ realm, payload }) => forgetLinks(background.db, realm!, String(payload.providerId)) },
      [SYNC_JOB]: syncJob({ ...services.directoryParts, ...background }),
      [UNRECORDED_JOB]: unrecordedJob(background),
      "domains.recheck": { every: 10 * MINUTE, run: () => recheckDomains({ ...background, dns }) },
      "directories.abandoned": { every: MINUTE, run: () => endAbandonedRuns({ ...background, metrics: services.directoryParts.metrics }) },
      "directories.due": { every: MINUTE, run: () => enqueueSyncs(background) },
      "brokers.metadata": { every: 10 * MINUTE, run: () => brokers.tools.saml.upstreams.rereadDue(identityProviders) },
      "agents.reviews": {
        every: 10 * MINUTE,
        run: () => remindOwners({ ...background, messages: services.messages, baseUrl: config.baseUrl, log }),
      },
      "saml-clients.metadata": {
        every: 10 * MINUTE,
        run: () => refreshSamlMetadata({ ...background, outbound, baseUrl: config.baseUrl }),
      },
      "imports.abandoned": { every: MINUTE, run: () => endAbandonedImports(background) },
      "keys.complete": { every: HOUR, run: () => completeKeys({ ...background, vault }) },
      "realms.complete": { every: MINUTE, run: () => completeRealms(background) },
      "sessions.expired": { every: MINUTE, run: () => endExpiredSessions(background.work) },
      "database.statistics": { every: 10 * SECOND, run: () => refreshStatistics(background.db) },
      "cleanup.expired": { every: MINUTE, run: () => cleanUp(background.db) },
    },
    log,
    database.kind === "embedded",
  );
  core.onJobs((dueAt) => jobs.wake(dueAt));
  return jobs;
}

export function createWebhooks(core: Core, { webhookOutbound }: Services): WebhookSender {
  const { background, config, database, log, metrics, vault } = core;
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
  return webhooks;
}

export function createScimTargets(core: Core, { outbound }: Services): ScimSender {
  const { background, database, log, metrics, vault } = core;
  const sender = createScimSender({ ...background, vault, outbound, registry: metrics.registry, log, alone: database.kind === "embedded" });
  core.onEvents(sender.wake);
  return sender;
}
