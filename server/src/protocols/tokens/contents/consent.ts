import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { findConsent } from "../../../directory/consents/index.ts";
import type { Db } from "../../../platform/db/index.ts";

/** Whether users are asked before the client gets anything of theirs. */
export const needsConsent = (client: ClientSnapshot): boolean => client.settings.consentRequired && !client.settings.firstParty;

/** A claim that was requested by itself, as it stands among the scopes of a consent. No scope's name holds a colon and a space. */
export const consentToClaim = (name: string): string => `claim:${name}`;

/** Claims that need no consent: they say how and by whom a token was issued. */
export const IMPLIED_CLAIMS: ReadonlySet<string> = new Set(["sub", "sid", "auth_time", "acr", "amr", "iss"]);

/** Where the user cannot be asked, only earlier consent counts. */
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
