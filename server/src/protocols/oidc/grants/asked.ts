import { errors } from "oidc-provider";
import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { findConsent } from "../../../directory/consents/index.ts";
import { AppError } from "../../../kernel/errors.ts";
import type { Db } from "../../../platform/db/index.ts";
import { refuseDirtyText } from "../../../platform/http/index.ts";
import { needsConsent } from "../interactions/consent.ts";
import type { RealmParts } from "../parts.ts";
import { defaultScopesFor, scopesFor } from "../scopes.ts";

/** RFC 6749 §5.2, with words of ours: the engine's own classes keep them to themselves. */
export const refusal = (error: "invalid_grant" | "invalid_target", description: string): errors.OIDCProviderError =>
  new errors.CustomOIDCProviderError(error, description);

/** Text that no database takes and nobody types. */
export function checkText(values: Record<string, unknown>): void {
  try {
    refuseDirtyText(values);
  } catch (error) {
    if (error instanceof AppError) throw new errors.InvalidRequest(error.message);
    throw error;
  }
}

/** What is asked for; the defaults where nothing is. What the client may not ask for is refused; what the realm does not know is gone by now. */
export function scopesAsked({ scopesOfRealm }: RealmParts, client: ClientSnapshot, scope: string | undefined): readonly string[] {
  if (scope === undefined) return defaultScopesFor(scopesOfRealm, client);
  const asked = scope.split(" ");
  const allowed = new Set(scopesFor(scopesOfRealm, client));
  const beyond = asked.find((name) => !allowed.has(name));
  if (beyond !== undefined) throw new errors.InvalidScope("requested scope is not allowed", beyond);
  return asked;
}

/** Where nobody can be asked, what the user allowed before counts, and nothing else. */
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
