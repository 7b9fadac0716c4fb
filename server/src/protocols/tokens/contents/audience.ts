import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { oauthErrors } from "../../../kernel/oauth-error.ts";
import type { IssuerParts } from "../parts.ts";

/**
 * RFC 8707. The realm itself, at whose endpoints (userinfo) a token is used, is every client's; any other resource must be among those
 * that the client is allowed.
 */
export function assertResource({ issuer }: Pick<IssuerParts, "issuer">, client: ClientSnapshot, resource: string): void {
  if (resource !== issuer && !client.allowedResources.includes(resource)) throw oauthErrors.invalidTarget();
}

/** RFC 9068 §3: the resource, and what the client's configuration adds to it. */
export const audienceOf = ({ settings: { audience } }: ClientSnapshot, resource: string): readonly string[] =>
  audience.length === 0 ? [resource] : [...new Set([resource, ...audience])];

/** As a JWT spells it. */
export const audienceClaim = (audience: readonly string[]): string | readonly string[] => (audience.length === 1 ? audience[0]! : audience);

/**
 * RFC 8707 §2.2: the one resource of this token, among those that were granted. `requested` comes with the token request; where it is
 * empty, the first that was granted.
 */
export function resourceOf(
  parts: Pick<IssuerParts, "issuer">,
  client: ClientSnapshot,
  granted: readonly string[],
  requested: readonly string[],
): string {
  if (requested.length > 1) throw oauthErrors.invalidTarget("only one resource can be requested with a token");
  const resource = requested[0] ?? granted[0] ?? parts.issuer;
  if (granted.length > 0 && !granted.includes(resource)) throw oauthErrors.invalidTarget();
  assertResource(parts, client, resource);
  return resource;
}
