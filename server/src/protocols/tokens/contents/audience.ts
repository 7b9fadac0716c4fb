import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { oauthErrors } from "../../../kernel/oauth-error.ts";
import type { IssuerParts } from "../parts.ts";

/**
 * RFC 8707. Every client may request the realm itself (userinfo); any other resource must be in the client's `allowedResources`.
 */
export function assertResource({ issuer }: Pick<IssuerParts, "issuer">, client: ClientSnapshot, resource: string): void {
  if (resource !== issuer && !client.allowedResources.includes(resource)) throw oauthErrors.invalidTarget();
}

/** RFC 9068 §3: the resource, and the client's configured `audience`. */
export const audienceOf = ({ settings: { audience } }: ClientSnapshot, resource: string): readonly string[] =>
  audience.length === 0 ? [resource] : [...new Set([resource, ...audience])];

/** RFC 7519 §4.1.3: a single audience is a string. */
export const audienceClaim = (audience: readonly string[]): string | readonly string[] => (audience.length === 1 ? audience[0]! : audience);

/**
 * RFC 8707 §2.2: the one resource of an access token. `requested` is the parameter of the token request; if it is empty, the first granted
 * resource is used.
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
