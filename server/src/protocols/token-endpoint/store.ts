import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import { oauthErrors } from "../../kernel/oauth-error.ts";
import type { Db } from "../../platform/db/index.ts";
import { touchInterval, touchSessionOfToken } from "../../signin/sessions/index.ts";
import { isPublic } from "../client-auth/index.ts";
import {
  addRefreshToken,
  consumeRecord,
  findRecord,
  type IssuedRefreshToken,
  issueRefreshToken,
  type LiveGrant,
  lifetimesOf,
  prolongRefreshToken,
  REFRESH_TOKEN,
  refreshLifetime,
  replaceByRefreshToken,
  type StoredRecord,
} from "../tokens/index.ts";
import { type RefreshSource, Replayed, type Source, type TokenCtx } from "./grant.ts";
import type { TokenEndpointParts } from "./parts.ts";

/** RFC 9449 §5: refresh tokens of public clients are bound like their access tokens; those of others by client authentication. */
export function refreshTokenOf({ parts, client, binding }: TokenCtx, { from, gty, grant, replaces }: RefreshSource): IssuedRefreshToken {
  return issueRefreshToken({
    realm: parts.realm.realmId,
    from,
    replaces,
    first: gty === null ? null : { gty, binding: isPublic(client) ? binding : {} },
    lifetime: refreshLifetime(grant, lifetimesOf(parts.realm.settings, client)),
  });
}

/** The new expiry of a refresh token that is used and not rotated. */
export const keptUntil = ({ parts, client }: TokenCtx, grant: LiveGrant): number =>
  clock.now() + refreshLifetime(grant, lifetimesOf(parts.realm.settings, client)) * SECOND;

/**
 * Consumes the presented grant and stores its successor in one statement. One of several concurrent requests succeeds. A refresh token may be repeated within
 * the grace period, because the response may have been lost, and gets the same successor; after that it is a replay.
 */
export async function useAndStore(
  { parts }: TokenCtx,
  { record, keptUntil }: Source,
  successor: IssuedRefreshToken | null,
): Promise<"used" | "repeated" | Replayed> {
  const { db, realm } = parts;
  const now = clock.now();
  try {
    if (record === null) {
      if (successor) await addRefreshToken(db, successor.record);
      return "used";
    }
    const key = { realm: realm.realmId, model: record.model, recordId: record.recordId };
    if (keptUntil !== undefined) {
      await prolongRefreshToken(db, key, record, keptUntil);
      return "used";
    }
    const isUsed = successor ? await replaceByRefreshToken(db, key, successor.record, now) : await consumeRecord(db, key, now);
    if (isUsed) return "used";
    const found = await findRecord(db, key, now);
    if (!found) throw oauthErrors.invalidGrant();
    const isAnsweredAgain = isRepeated(parts, record.model, found) && successor && (await isUnused(db, successor, now));
    return isAnsweredAgain ? "repeated" : new Replayed(found);
  } catch (error) {
    // The grant was revoked during the request.
    if ((error as { constraint?: string }).constraint === "oidc_records_grant") throw oauthErrors.invalidGrant();
    throw error;
  }
}

/** Within the realm's `refreshReuseGraceSeconds`. They begin when the response could be given: not while the database was unavailable. */
export function isRepeated({ realm, outages }: TokenEndpointParts, model: string, { consumedAt }: StoredRecord): boolean {
  const grace = realm.settings.tokens.refreshReuseGraceSeconds * SECOND;
  return model === REFRESH_TOKEN && consumedAt !== null && grace > 0 && clock.now() - outages.answerable(consumedAt) <= grace;
}

/** A client that has used the successor has received it: it has no reason to repeat the token before. */
async function isUnused(db: Db, { record: { realm, model, recordId } }: IssuedRefreshToken, now: number): Promise<boolean> {
  const stored = await findRecord(db, { realm, model, recordId }, now);
  return stored !== null && stored.consumedAt === null;
}

/** A refresh counts as activity of the session, even if the browser sends no request. */
export async function touchSession({ db, realm }: TokenEndpointParts, { sessionId, seenAt }: LiveGrant): Promise<void> {
  const idleMs = realm.settings.sessions.idleMinutes * MINUTE;
  const now = clock.now();
  if (sessionId !== null && seenAt !== null && seenAt <= now - touchInterval(idleMs))
    await touchSessionOfToken(db, realm.realmId, sessionId, idleMs, now);
}
