import { oncePer } from "../../kernel/once.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { assertHolds } from "../../tenancy/permissions/index.ts";
import { adminAudience, resourceKey } from "./addresses.ts";
import { rulesOfGrantType } from "./grant-types.ts";
import type { StoredClient } from "./schema.ts";
import { findServiceAccountPermissions } from "./service-accounts.store.ts";
import type { ClientRow } from "./store.ts";

/** RFC 8705 §2.1.2: the members that can name the certificate of a client with `tls_client_auth`, which has exactly one of them. */
export const certificateNames = [
  "tlsClientAuthSubjectDn",
  "tlsClientAuthSanDns",
  "tlsClientAuthSanUri",
  "tlsClientAuthSanIp",
  "tlsClientAuthSanEmail",
] as const;

/** Tells whether a client can get a user's token by any grant or response type. */
export const getsUserTokens = ({ grantTypes, responseTypes }: Pick<StoredClient, "grantTypes" | "responseTypes">): boolean =>
  grantTypes.some((type) => rulesOfGrantType(type).givesUserTokens) || responseTypes.some((type) => type !== "code");

interface Addressing {
  readonly allowedResources: readonly string[];
  readonly settings: Pick<StoredClient, "audience">;
}

const byKey = oncePer((resources: readonly string[]) => new Map(resources.map((resource) => [resourceKey(resource), resource])));

/** Returns a resource in the spelling of the client's own list, or null if it is not listed. */
export const listedResource = ({ allowedResources }: Pick<Addressing, "allowedResources">, resource: string): string | null =>
  byKey(allowedResources).get(resourceKey(resource)) ?? null;

/**
 * Tells whether this client's tokens may have this audience: as a resource that is listed for it, or as an audience of all its tokens. An
 * API that is open to every client is not listed: the server's own APIs need more than that.
 */
export const mayAddress = (client: Addressing, audience: string): boolean =>
  listedResource(client, audience) !== null || client.settings.audience.includes(audience);

interface ClientReach {
  readonly stored: StoredClient;
  readonly allowedResources: readonly string[];
}

/**
 * Tells whether control of a client gives the rights of every administrator of the realm. It does if the client gets users' tokens for the
 * admin API, because the holder of its secret, or of its redirect URIs, then has their permissions; or if it may introspect all tokens.
 */
function reachesAdministrators({ stored, allowedResources }: ClientReach, baseUrl: string): boolean {
  return stored.introspectAll || (getsUserTokens(stored) && mayAddress({ allowedResources, settings: stored }, adminAudience(baseUrl)));
}

/** Tells whether control of a client gives permissions of the admin API: those of its service account, or of administrators by tokens. */
export async function givesPermissions(ctx: ReadCtx, client: ClientReach & { readonly id: string }, baseUrl: string): Promise<boolean> {
  return reachesAdministrators(client, baseUrl) || (await findServiceAccountPermissions(ctx.tx, ctx.realm, client.id)).length > 0;
}

/** Checks the escalation rule for a client: its secret or keys give the permissions of its service account. */
export async function assertMayControlClient(ctx: ReadCtx, id: string): Promise<void> {
  assertHolds(ctx.actor, await findServiceAccountPermissions(ctx.tx, ctx.realm, id));
}

/** Checks the escalation rule for the present and the next state of a client. */
export function assertMayReachAdministrators(ctx: Ctx, baseUrl: string, ...states: readonly ClientReach[]): void {
  if (states.some((state) => reachesAdministrators(state, baseUrl))) assertHolds(ctx.actor, ["realm-admin"]);
}

/** Tells whether a change gives control of a client: of its authentication at the token endpoint, or that it may act in its own name. */
export function changesControl(current: ClientRow, next: { enabled: boolean; publicClient: boolean; stored: StoredClient }): boolean {
  const actsForItself = ({ grantTypes }: StoredClient) => grantTypes.includes("client_credentials");
  const members = ["authMethod", "jwks", "jwksUri", ...certificateNames] as const;
  return (
    current.publicClient !== next.publicClient ||
    (!current.enabled && next.enabled) ||
    (!actsForItself(current.stored) && actsForItself(next.stored)) ||
    members.some((member) => JSON.stringify(current.stored[member]) !== JSON.stringify(next.stored[member]))
  );
}
