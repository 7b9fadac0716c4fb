import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { consentedScopes } from "../../../directory/consents/index.ts";
import type { Db } from "../../../platform/db/index.ts";
import type { IssuerParts } from "../parts.ts";
import { requestedResources } from "./audience.ts";

/** Tells whether the client needs the user's consent. An agent's client always does, because the agent acts by itself. */
export const needsConsent = ({ agent, settings }: ClientSnapshot): boolean =>
  agent !== null || (settings.consentRequired && !settings.firstParty);

/** Returns the entry for an individually requested claim among the scopes of a consent. */
export const consentToClaim = (name: string): string => `claim:${name}`;

/** The claims about the authentication and the issuer, which need no consent. */
export const IMPLIED_CLAIMS: ReadonlySet<string> = new Set(["sub", "sid", "auth_time", "acr", "amr", "iss"]);

/** Returns the resource under which a consent is stored, or null for the realm itself. */
export const consentResource = ({ issuer }: Pick<IssuerParts, "issuer">, resource: string): string | null =>
  resource === issuer ? null : resource;

/** Returns the resources of a token that the user has to allow. An agent without such a resource has to be allowed at the realm itself. */
export function resourcesToAllow(
  { issuer }: Pick<IssuerParts, "issuer">,
  client: ClientSnapshot,
  audience: readonly string[],
): readonly string[] {
  const requested = requestedResources(client, audience);
  return client.agent !== null && requested.length === 0 ? [issuer] : requested;
}

/** Tells whether a user's token for an agent is enough for the agent, without a consent. */
export const isTokenEnough = ({ realm: { settings } }: Pick<IssuerParts, "realm">, { agent }: ClientSnapshot): boolean =>
  agent !== null && settings.agents.allowDelegationWithoutConsent;

export interface Wanted {
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  /** True if the token opens something even without a scope, as an RPT does. */
  readonly hasPermissions?: boolean;
}

/** Tells whether the client needs no consent, or has it for each resource. Consent to one resource does not count for another. */
export async function isAllowedByUser(
  db: Db,
  { realm: { realmId, settings }, issuer }: Pick<IssuerParts, "realm" | "issuer">,
  client: ClientSnapshot,
  userId: string,
  { scopes, resources, hasPermissions = false }: Wanted,
): Promise<boolean> {
  if (!needsConsent(client)) return true;
  // A token for the realm itself without a scope opens nothing, unless an agent acts by it. A token for an API may.
  const isHarmless = !hasPermissions && (client.agent === null || settings.agents.allowDelegationWithoutConsent);
  for (const resource of resources) {
    const at = consentResource({ issuer }, resource);
    const known = await consentedScopes(db, realmId, { userId, clientId: client.clientId, resource: at });
    const allowed = known ?? (at === null && isHarmless ? [] : null);
    if (!allowed || !scopes.every((name) => allowed.includes(name))) return false;
  }
  return true;
}
