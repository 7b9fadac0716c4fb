import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { findConsent } from "../../../directory/consents/index.ts";
import type { Db } from "../../../platform/db/index.ts";

/** Whether the client needs the user's consent. */
export const needsConsent = (client: ClientSnapshot): boolean => client.settings.consentRequired && !client.settings.firstParty;

/** An individually requested claim, as an entry in the scopes of a consent. */
export const consentToClaim = (name: string): string => `claim:${name}`;

/** Claims about the authentication and the issuer, which need no consent. */
export const IMPLIED_CLAIMS: ReadonlySet<string> = new Set(["sub", "sid", "auth_time", "acr", "amr", "iss"]);

/** Whether the client needs no consent, or has it already: for grants without a consent page. */
export async function isAllowedByUser(
  db: Db,
  realm: string,
  client: ClientSnapshot,
  userId: string,
  scopes: readonly string[],
): Promise<boolean> {
  if (!needsConsent(client)) return true;
  const allowed = new Set((await findConsent(db, realm, userId, client.clientId))?.scopes);
  return scopes.every((name) => allowed.has(name));
}
