import type { FastifyRequest } from "fastify";
import type { ResourceServer, ResourceServers } from "../../applications/authorization/index.ts";
import { OAuthError } from "../../kernel/oauth-error.ts";
import type { Audience } from "../gate/index.ts";

/**
 * Accepts a token that a client got in its own name, for the realm itself (UMA's protection API token). A user's token is refused, because
 * with it every user could ask about all others.
 */
export const protectionAudience: Audience = {
  names: (issuer) => [issuer],
  invalid: "Send an access token that the resource server got in its own name, by client credentials",
  ignoresCookies: true,
  check: ({ live }) =>
    live.holder === null ? null : { error: "invalid_token", description: "The token stands for a user, not for a resource server" },
};

/** Returns the resource server of the caller, which no path or parameter selects. */
export async function resourceServerOf(servers: ResourceServers, { realmId, client }: FastifyRequest): Promise<ResourceServer> {
  const server = await servers.get(realmId, client!.id);
  if (!server) throw new OAuthError("access_denied", "authorization services are not enabled for this client", { status: 403 });
  return server;
}
