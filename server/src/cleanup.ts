import { forgetPreviousClientSecrets } from "./applications/clients/index.ts";
import { deleteExpiredAttempts, deleteExpiredEnrollments } from "./directory/credentials/index.ts";
import { deleteOldImports } from "./directory/import/index.ts";
import { deleteExpiredInvitations } from "./directory/organizations/index.ts";
import { clock } from "./kernel/clock.ts";
import type { Db } from "./platform/db/index.ts";
import { deleteOldHours } from "./platform/telemetry/metrics.ts";
import { deleteExpiredActivity } from "./protocols/client-auth/index.ts";
import { deleteExpiredInitialTokens } from "./protocols/registration/index.ts";
import { deleteAnsweredRequests, deleteExpiredLogouts } from "./protocols/saml/index.ts";
import { deleteExpiredOAuth } from "./protocols/tokens/index.ts";
import { deleteExpiredTransactions } from "./protocols/transactions/index.ts";
import { deleteExpiredTokens } from "./signin/action-tokens/index.ts";
import { deleteEndedChallenges } from "./signin/authenticators/index.ts";
import { deleteOldRuns } from "./signin/directories/index.ts";
import { deleteExpiredTickets } from "./signin/impersonation/index.ts";
import { deleteExpiredBrowsers } from "./signin/known-browsers/index.ts";
import { deleteExpiredChallenges } from "./signin/passkeys/index.ts";
import { deleteExpiredInteractions } from "./signin/run/index.ts";
import { deleteExpiredLimits } from "./tenancy/messaging/index.ts";
import { deleteEndedDeliveries, deletePassedIntervals, forgetPreviousSecrets } from "./tenancy/webhooks/index.ts";

/** Deletes what has run out, of every feature. Each minute, on one node. */
export async function cleanUp(db: Db): Promise<void> {
  const now = clock.now();
  await deleteExpiredInteractions(db, now);
  await deleteExpiredTokens(db, now);
  await deleteExpiredAttempts(db, now);
  await deleteExpiredTickets(db, now);
  await deleteEndedChallenges(db, now);
  await deleteExpiredTransactions(db, now);
  await deleteExpiredInvitations(db, now);
  await deleteExpiredEnrollments(db, now);
  await deleteExpiredChallenges(db, now);
  await deleteExpiredBrowsers(db, now);
  await deleteOldHours(db, now);
  await deleteExpiredLimits(db, now);
  await forgetPreviousSecrets(db, now);
  await forgetPreviousClientSecrets(db, now);
  await deleteEndedDeliveries(db, now);
  await deletePassedIntervals(db);
  await deleteOldImports(db, now);
  await deleteOldRuns(db, now);
  await deleteExpiredOAuth(db, now);
  await deleteAnsweredRequests(db, now);
  await deleteExpiredLogouts(db, now);
  await deleteExpiredActivity(db, now);
  await deleteExpiredInitialTokens(db, now);
}
