import { MINUTE, SECOND } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Actor } from "../../platform/context.ts";
import type { SessionProof } from "./proofs.ts";
import type { LiveSession } from "./store.ts";

/** The maximum age of a recent proof. */
export const RECENT = 10 * MINUTE;

/** The credential types that are second factors. */
export const secondFactors: readonly string[] = ["totp", "passkey", "push"];
/** The authenticators that ask for a second factor or its replacement, and the required actions that set one up. */
const asksSecondFactor = new Set([...secondFactors, "recovery-code", "CONFIGURE_TOTP", "CONFIGURE_PASSKEY"]);

/**
 * Tells whether the user has a second factor. `asked` are those that the realm's flows ask for; a credential that no flow asks for does not
 * count.
 */
export const hasSecondFactor = (credentials: ReadonlySet<string>, asked: ReadonlySet<string>): boolean =>
  secondFactors.some((type) => credentials.has(type) && asked.has(type));

/** Tells whether this step asks for the user's second factor. Without one, any step on top of the first is one, such as a code by mail. */
export const isSecondFactor = (needsSecondFactor: boolean, authenticator: string): boolean =>
  !needsSecondFactor || asksSecondFactor.has(authenticator);

type TimedProof = Pick<SessionProof, "authenticator" | "factor" | "at">;

export const recentProofs = <P extends TimedProof>(proofs: readonly P[], now: number): P[] => proofs.filter(({ at }) => at > now - RECENT);

/**
 * Tells whether the proofs of the last ten minutes are a complete sign-in, with the second factor if the user has one. A code by mail is
 * not enough for a user who has another. Second factors alone are not complete, unless one verifies its user.
 */
export function isRecentlyAuthenticated(proofs: readonly TimedProof[], needsSecondFactor: boolean, now: number): boolean {
  const recent = recentProofs(proofs, now).filter(({ factor }) => factor !== null);
  if (!needsSecondFactor) return recent.length > 0;
  if (recent.some(({ factor }) => factor === "both")) return true;
  const seconds = recent.filter(({ authenticator }) => asksSecondFactor.has(authenticator));
  return seconds.length > 0 && seconds.length < recent.length;
}

export interface StepUpNeeded {
  readonly baseUrl: string;
  /** The realm of the session. */
  readonly realm: string;
  readonly needsSecondFactor: boolean;
}

/** Returns the path of the step-up page. Its query has `return_to`. */
export const stepUpPath = (realm: string): string => `/realms/${realm}/login/step-up`;

/** Makes the challenge of RFC 9470 §3 for applications, with the page for a console that can lead its user there. */
function challengeOf(code: string, detail: string, { baseUrl, realm, needsSecondFactor }: StepUpNeeded, maxAge?: number): AppError {
  const parameters = {
    error: "insufficient_user_authentication",
    error_description: detail,
    ...(maxAge !== undefined && { max_age: String(maxAge) }),
    ...(needsSecondFactor && { acr_values: "2" }),
  };
  const challenge = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`);
  return new AppError(code, 403, detail, {
    headers: { "www-authenticate": `Bearer ${challenge.join(", ")}` },
    stepUpUrl: `${baseUrl}${stepUpPath(realm)}`,
  });
}

function recentAuthenticationRequired(needed: StepUpNeeded): AppError {
  const how = needed.needsSecondFactor ? ", with the second factor" : "";
  const detail = `This asks for a sign-in within the last 10 minutes${how}: sign in again, then repeat it`;
  return challengeOf("auth.recent_authentication_required", detail, needed, RECENT / SECOND);
}

/** Refuses a session that has proven less than the realm's own flow asks of its user now. */
export const insufficientAuthentication = (
  { realm, user }: Pick<LiveSession, "realm" | "user">,
  asked: ReadonlySet<string>,
  baseUrl: string,
): AppError => {
  const needed = { baseUrl, realm, needsSecondFactor: hasSecondFactor(user.credentials, asked) };
  const detail = "Your session has proven less than signing in to this realm asks of you: sign in again, then repeat it";
  return challengeOf("auth.insufficient_authentication", detail, needed);
};

/** Tells whether the session has recent authentication. An impersonation session has no proofs. */
export const hasRecentAuthentication = (
  { proofs, user }: Pick<LiveSession, "proofs" | "user">,
  asked: ReadonlySet<string>,
  now: number,
): boolean => isRecentlyAuthenticated(proofs, hasSecondFactor(user.credentials, asked), now);

/** Tells whether the actor has authenticated recently. `session` is null for a token without one (offline), which is never recent. */
export function recencyOf(
  session: Pick<LiveSession, "proofs" | "user"> | null,
  {
    realm,
    asked,
    baseUrl,
    now,
  }: { readonly realm: string; readonly asked: ReadonlySet<string>; readonly baseUrl: string; readonly now: number },
): Pick<Actor, "notRecent"> {
  if (session && hasRecentAuthentication(session, asked, now)) return {};
  const needsSecondFactor = session !== null && hasSecondFactor(session.user.credentials, asked);
  return { notRecent: () => recentAuthenticationRequired({ baseUrl, realm, needsSecondFactor }) };
}
