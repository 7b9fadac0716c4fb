import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import { oauthErrors } from "../../kernel/oauth-error.ts";
import type { Db } from "../../platform/db/index.ts";
import { touchInterval, touchSessionOfToken } from "../../signin/sessions/index.ts";
import { isPublic } from "../client-auth/index.ts";
import * as tokens from "../tokens/index.ts";
import { type RefreshSource, Replayed, type Source, type TokenCtx } from "./grant.ts";
import type { TokenEndpointParts } from "./parts.ts";

/** RFC 9449 §5: issues a refresh token. It is bound like the access token for public clients; client authentication binds the others'. */
export function refreshTokenOf(
  { parts, client, binding }: TokenCtx,
  { from, gty, grant, replaces }: RefreshSource,
): tokens.IssuedRefreshToken {
  return tokens.issueRefreshToken({
    realm: parts.realm.realmId,
    from,
    replaces,
    first: gty === null ? null : { gty, binding: isPublic(client) ? binding : {} },
    lifetime: tokens.refreshLifetime(grant, tokens.lifetimesOf(parts.realm.settings, client)),
  });
}

/** Returns the new expiry of a refresh token that is used and not rotated. */
export const keptUntil = ({ parts, client }: TokenCtx, grant: tokens.LiveGrant): number =>
  clock.now() + tokens.refreshLifetime(grant, tokens.lifetimesOf(parts.realm.settings, client)) * SECOND;

/**
 * Consumes the presented source and stores its successor in one statement. One of several concurrent requests succeeds. A refresh token may
 * be repeated within the grace period, because the response may have been lost, and gets the same successor. After that it is a replay.
 */
export async function useAndStore(
  { parts }: TokenCtx,
  { record, keptUntil }: Source,
  successor: tokens.IssuedRefreshToken | null,
): Promise<"used" | "repeated" | Replayed> {
  const { db, realm } = parts;
  const now = clock.now();
  try {
    if (record === null) {
      if (successor) await tokens.addRefreshToken(db, successor.record);
      return "used";
    }
    const key = { realm: realm.realmId, model: record.model, recordId: record.recordId };
    if (keptUntil !== undefined) {
      await tokens.prolongRefreshToken(db, key, record, keptUntil);
      return "used";
    }
    const isUsed = successor
      ? await tokens.replaceByRefreshToken(db, key, successor.record, now)
      : await tokens.consumeRecord(db, key, now);
    if (isUsed) return "used";
    const found = await tokens.findRecord(db, key, now);
    if (!found) throw oauthErrors.invalidGrant();
    const isAnsweredAgain = isRepeated(parts, record.model, found) && successor && (await isUnused(db, successor, now));
    return isAnsweredAgain ? "repeated" : new Replayed(found);
  } catch (error) {
    // The grant may have been revoked during the request.
    if ((error as { constraint?: string }).constraint === "oidc_records_grant") throw oauthErrors.invalidGrant();
    throw error;
  }
}

/** Tells whether a use is within `refreshReuseGraceSeconds`. They begin once the database was available for the response. */
export function isRepeated({ realm, outages }: TokenEndpointParts, model: string, { consumedAt }: tokens.StoredRecord): boolean {
  const grace = realm.settings.tokens.refreshReuseGraceSeconds * SECOND;
  return model === tokens.REFRESH_TOKEN && consumedAt !== null && grace > 0 && clock.now() - outages.answerable(consumedAt) <= grace;
}

/** Tells whether the successor is unused. A client that has used it has received it, so has no reason to repeat the earlier token. */
async function isUnused(db: Db, { record: { realm, model, recordId } }: tokens.IssuedRefreshToken, now: number): Promise<boolean> {
  const stored = await tokens.findRecord(db, { realm, model, recordId }, now);
  return stored !== null && stored.consumedAt === null;
}

/** Counts a refresh as activity of the session, because the browser may send no request. */
export async function touchSession({ db, realm }: TokenEndpointParts, { sessionId, seenAt }: tokens.LiveGrant): Promise<void> {
  const idleMs = realm.settings.sessions.idleMinutes * MINUTE;
  const now = clock.now();
  if (sessionId !== null && seenAt !== null && seenAt <= now - touchInterval(idleMs))
    await touchSessionOfToken(db, realm.realmId, sessionId, idleMs, now);
}
