import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { consentedScopes } from "../../../directory/consents/index.ts";
import type { Db } from "../../../platform/db/index.ts";
import type { IssuerParts } from "../parts.ts";
import { requestedResources } from "./audience.ts";

/** Tells whether the client needs the user's consent. An agent's always does: it acts by itself. */
export const needsConsent = ({ agent, settings }: ClientSnapshot): boolean =>
  agent !== null || (settings.consentRequired && !settings.firstParty);

/** An individually requested claim, as an entry in the scopes of a consent. */
export const consentToClaim = (name: string): string => `claim:${name}`;

/** Claims about the authentication and the issuer, which need no consent. */
export const IMPLIED_CLAIMS: ReadonlySet<string> = new Set(["sub", "sid", "auth_time", "acr", "amr", "iss"]);

/** The resource under which a consent is stored; null: the realm itself. */
export const consentResource = ({ issuer }: Pick<IssuerParts, "issuer">, resource: string): string | null =>
  resource === issuer ? null : resource;

/** The resources of a token that the user has to allow. An agent has to be allowed at the realm where the user decides about no resource of it. */
export function resourcesToAllow(
  { issuer }: Pick<IssuerParts, "issuer">,
  client: ClientSnapshot,
  audience: readonly string[],
): readonly string[] {
  const requested = requestedResources(client, audience);
  return client.agent !== null && requested.length === 0 ? [issuer] : requested;
}

/** Tells whether a user's token that was meant for an agent is enough for it, without a consent. */
export const isTokenEnough = ({ realm: { settings } }: Pick<IssuerParts, "realm">, { agent }: ClientSnapshot): boolean =>
  agent !== null && settings.agents.allowDelegationWithoutConsent;

export interface Wanted {
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  /** The token opens something without a scope, too, as an RPT does. */
  readonly hasPermissions?: boolean;
}

/** Tells whether the client needs no consent, or has it already for each of the resources: consent to one is no consent to another. */
export async function isAllowedByUser(
  db: Db,
  { realm: { realmId, settings }, issuer }: Pick<IssuerParts, "realm" | "issuer">,
  client: ClientSnapshot,
  userId: string,
  { scopes, resources, hasPermissions = false }: Wanted,
): Promise<boolean> {
  if (!needsConsent(client)) return true;
  // A token for the realm itself that has no scope opens nothing, unless an agent acts by it; one for an API may.
  const isHarmless = !hasPermissions && (client.agent === null || settings.agents.allowDelegationWithoutConsent);
  for (const resource of resources) {
    const at = consentResource({ issuer }, resource);
    const known = await consentedScopes(db, realmId, { userId, clientId: client.clientId, resource: at });
    const allowed = known ?? (at === null && isHarmless ? [] : null);
    if (!allowed || !scopes.every((name) => allowed.includes(name))) return false;
  }
  return true;
}
