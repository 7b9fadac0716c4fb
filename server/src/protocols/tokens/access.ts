import { type AccessRefusal, type AccessRequest, refusalOf } from "../../applications/access/index.ts";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { UNAVAILABLE_SECONDS } from "../../directory/credentials/index.ts";
import { type OAuthError, oauthErrors } from "../../kernel/oauth-error.ts";
import type { IssuerParts } from "./parts.ts";

/** The request is right, but cannot be answered now. */
export const unavailable = (why: string, seconds: number): OAuthError =>
  oauthErrors.temporarilyUnavailable(`${why}: try again in a moment`, { status: 503, headers: { "retry-after": String(seconds) } });

export const directorySilent = (): OAuthError => unavailable("the user's directory does not answer", UNAVAILABLE_SECONDS);

/** Refusals of the policy step as errors of OAuth. */
const ERRORS: Readonly<Record<AccessRefusal, () => OAuthError>> = {
  "no-access": () => oauthErrors.accessDenied("the user may not use this client"),
  "agent-inactive": () => oauthErrors.invalidClient("the agent of this client is not active"),
  "user-removed": () => oauthErrors.invalidGrant("the user's account was removed or disabled"),
  "directory-unreachable": directorySilent,
  impersonated: () => oauthErrors.invalidRequest("an administrator acts as the user: only the user can do this"),
};

export const accessError = (refusal: AccessRefusal): OAuthError => ERRORS[refusal]();

type About = Omit<AccessRequest, "realm" | "application" | "agent">;

/** The policy step for an OAuth client. Its agent is read from the database, because the client's snapshot may be a second old. */
export const accessRefusal = (
  { db, realm }: Pick<IssuerParts, "db" | "realm">,
  { settings, agent }: ClientSnapshot,
  { userId, entryChecks, impersonator }: About,
) => refusalOf(db, { realm: realm.realmId, userId, application: settings, agent, entryChecks, impersonator });

export async function assertAccess(parts: Pick<IssuerParts, "db" | "realm">, client: ClientSnapshot, about: About): Promise<void> {
  const refusal = await accessRefusal(parts, client, about);
  if (refusal) throw accessError(refusal);
}
