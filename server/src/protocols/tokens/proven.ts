import type { Db } from "../../platform/db/index.ts";
import { findSignInUser } from "../../signin/authenticators/index.ts";
import { type LiveSession, unstoredSession } from "../../signin/sessions/index.ts";
import type { LiveToken } from "./liveness.ts";
import { findLiveGrant } from "./records/grants.store.ts";

/**
 * Returns the proofs behind a token whose grant was made without a session and without a page (the password grant, an identity assertion).
 * They have the form of a session, so that the same rule judges them. Returns null for other grants.
 */
export async function provenWithoutSession(db: Db, { realm, holder, grantId }: LiveToken, now: number): Promise<LiveSession | null> {
  if (!holder || holder.sessionId !== null || grantId === null) return null;
  const proven = (await findLiveGrant(db, realm, grantId, now))?.payload.proven;
  const user = proven ? await findSignInUser(db, realm, holder.userId, now) : null;
  return proven && user ? unstoredSession(realm, user, proven) : null;
}
