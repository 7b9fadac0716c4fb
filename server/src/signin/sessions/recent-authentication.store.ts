import { sql } from "kysely";
import { MINUTE, SECOND } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { isId } from "../../kernel/ids.ts";
import type { ReadCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { levelOf, proofsOf, type SessionProof, type StoredProofs } from "./proofs.ts";
import type { LiveSession } from "./store.ts";

/** The maximum age of a recent proof. */
export const RECENT = 10 * MINUTE;

/** Credential types that are second factors. */
export const secondFactors: readonly string[] = ["totp", "passkey", "push"];
/** The authenticators that ask for a second factor or its replacement. */
const asksSecondFactor = new Set([...secondFactors, "recovery-code"]);

export const hasSecondFactor = (credentials: ReadonlySet<string>): boolean => secondFactors.some((type) => credentials.has(type));

type TimedProof = Pick<SessionProof, "authenticator" | "factor" | "at">;

export const recentProofs = <P extends TimedProof>(proofs: readonly P[], now: number): P[] => proofs.filter(({ at }) => at > now - RECENT);

/**
 * Recent authentication: the proofs of the last ten minutes are a complete sign-in, with the second factor if the user has one. A second factor alone
 * is not complete, unless it verifies its user.
 */
export function isRecentlyAuthenticated(proofs: readonly TimedProof[], needsSecondFactor: boolean, now: number): boolean {
  const recent = recentProofs(proofs, now).filter(({ factor }) => factor !== null);
  if (!needsSecondFactor) return recent.length > 0;
  if (levelOf(recent) === "2") return true;
  const names = new Set(recent.map(({ authenticator }) => authenticator));
  return names.size > 1 && [...names].some((name) => asksSecondFactor.has(name));
}

/** The challenge of RFC 9470 §3 for clients, and an error code for our own pages. */
function recentAuthenticationRequired(needsSecondFactor: boolean): AppError {
  const detail = `This asks for a sign-in within the last 10 minutes${needsSecondFactor ? ", with the second factor" : ""}: sign in again, then repeat it`;
  const parameters = {
    error: "insufficient_user_authentication",
    error_description: detail,
    max_age: String(RECENT / SECOND),
    ...(needsSecondFactor && { acr_values: "2" }),
  };
  const challenge = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`);
  return new AppError("auth.recent_authentication_required", 403, detail, {
    headers: { "www-authenticate": `Bearer ${challenge.join(", ")}` },
  });
}

/** For an API: reads the session behind the cookie or token. Offline tokens have no recent authentication. */
export async function assertRecentAuthentication({ tx, actor, now }: Pick<ReadCtx, "tx" | "actor" | "now">): Promise<void> {
  // A client credentials token has no user who could authenticate again.
  if (actor.isClient) return;
  const { proofs, needsSecondFactor } = await findAuthentication(tx, actor.realm, actor.id, actor.sessionId);
  if (!isRecentlyAuthenticated(proofs, needsSecondFactor, now)) throw recentAuthenticationRequired(needsSecondFactor);
}

/** For a page: the user signs in again by a request with `recent`. */
export async function hasRecentAuthentication(
  db: Db,
  session: Pick<LiveSession, "realm" | "userId" | "sessionId">,
  now: number,
): Promise<boolean> {
  const { proofs, needsSecondFactor } = await findAuthentication(db, session.realm, session.userId, session.sessionId);
  return isRecentlyAuthenticated(proofs, needsSecondFactor, now);
}

const NOTHING = { proofs: [], needsSecondFactor: false };

/** The proofs of a session; an impersonation session has none. */
async function findAuthentication(db: Db, realm: string, userId: string, sessionId: string | null) {
  if (!isId(userId)) return NOTHING;
  const { rows } = await sql<{ needs: boolean; auth_time: number | null; amr: string[] | null; proofs: StoredProofs | null }>`
    select exists (select 1 from credentials c where c.realm_id = u.realm_id and c.user_id = u.user_id
        and c.type = any(${secondFactors}::text[])) as needs,
      s.auth_time, s.amr, s.proofs
    from users u left join sessions s on s.realm_id = u.realm_id and s.session_id = ${sessionId}::uuid and s.user_id = u.user_id
      and s.impersonator is null
    where u.realm_id = ${realm} and u.user_id = ${userId}`.execute(db);
  const [row] = rows;
  if (!row) return NOTHING;
  const { auth_time: authTime, amr, proofs, needs } = row;
  return { needsSecondFactor: needs, proofs: authTime === null ? [] : proofsOf(proofs, { authTime, amr: amr ?? [] }) };
}
