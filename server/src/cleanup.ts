import { forgetPreviousClientSecrets } from "./applications/clients/index.ts";
import { deleteExpiredAttempts, deleteExpiredEnrollments } from "./directory/credentials/index.ts";
import { deleteOldImports } from "./directory/import/index.ts";
import { deleteExpiredInvitations } from "./directory/organizations/index.ts";
import { deleteExpiredAnswers, deleteExpiredBrokerLogouts, deleteOldRuns } from "./federation/index.ts";
import { clock, MINUTE } from "./kernel/clock.ts";
import { deleteGoneObjects } from "./operations/scim-targets/index.ts";
import type { Db } from "./platform/db/index.ts";
import { deleteOldHours } from "./platform/telemetry/metrics.ts";
import { deleteExpiredActivity } from "./protocols/client-auth/index.ts";
import { deleteExpiredInitialTokens } from "./protocols/registration/index.ts";
import { deleteAnsweredRequests, deleteExpiredLogouts } from "./protocols/saml/index.ts";
import { deleteExpiredScimTokens } from "./protocols/scim/index.ts";
import { deleteExpiredOAuth } from "./protocols/tokens/index.ts";
import { deleteExpiredTransactions } from "./protocols/transactions/index.ts";
import { deleteExpiredTokens } from "./signin/action-tokens/index.ts";
import { deleteEndedChallenges } from "./signin/authenticators/index.ts";
import { deleteExpiredTickets } from "./signin/impersonation/index.ts";
import { deleteExpiredBrowsers } from "./signin/known-browsers/index.ts";
import { deleteExpiredChallenges } from "./signin/passkeys/index.ts";
import { deleteExpiredInteractions } from "./signin/run/index.ts";
import { deleteExpiredDrafts } from "./tenancy/brand-drafts/index.ts";
import { deleteExpiredLimits } from "./tenancy/messaging/index.ts";
import { deleteEndedDeliveries, deletePassedIntervals, forgetPreviousSecrets } from "./tenancy/webhooks/index.ts";

const steps: readonly ((db: Db, now: number) => Promise<void>)[] = [
  deleteExpiredInteractions,
  deleteExpiredTokens,
  deleteExpiredAttempts,
  deleteExpiredTickets,
  deleteEndedChallenges,
  deleteExpiredTransactions,
  deleteExpiredInvitations,
  deleteExpiredEnrollments,
  deleteExpiredChallenges,
  deleteExpiredBrowsers,
  deleteOldHours,
  deleteExpiredLimits,
  deleteExpiredDrafts,
  forgetPreviousSecrets,
  forgetPreviousClientSecrets,
  deleteEndedDeliveries,
  deletePassedIntervals,
  deleteOldImports,
  deleteOldRuns,
  deleteExpiredAnswers,
  deleteExpiredOAuth,
  deleteAnsweredRequests,
  deleteExpiredLogouts,
  deleteExpiredBrokerLogouts,
  deleteExpiredActivity,
  deleteExpiredInitialTokens,
  deleteExpiredScimTokens,
  deleteGoneObjects,
];

/**
 * The time that expired rows are kept. Otherwise a node whose clock is ahead would delete the record that a proof was used or a token revoked, while other
 * nodes still accept that proof or token.
 */
const CLOCKS_APART = 5 * MINUTE;

/**
 * Deletes expired rows of every feature. It runs each minute, on one node. If a step fails, the others still run, and the step is tried again with the next
 * run.
 */
export async function cleanUp(db: Db): Promise<void> {
  const now = clock.now() - CLOCKS_APART;
  const failures: unknown[] = [];
  for (const step of steps) await step(db, now).catch((error) => failures.push(error));
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} of ${steps.length} steps of the clean-up failed: ${failures[0]}`);
}
