import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { assertHolds } from "../../tenancy/permissions/index.ts";
import { findServiceAccountPermissions } from "./service-accounts.store.ts";
import type { StoredClient } from "./settings.ts";
import type { ClientRow } from "./store.ts";

/** The audience of tokens that open the admin API. */
export const adminAudience = (baseUrl: string): string => `${baseUrl}/admin`;

/** Grants by which a client gets tokens that act for a user. */
const isForUsers = (grant: string): boolean => grant !== "client_credentials" && grant !== "refresh_token";

/**
 * Whether a client can get tokens of users that open the admin API: whoever says where such a client sends its users, or who it is,
 * holds what every administrator holds who signs in to it. Tokens in the client's own name are not meant: its roles bound them.
 */
export function carriesAdministrators(
  client: { readonly stored: StoredClient; readonly allowedResources: readonly string[] },
  baseUrl: string,
): boolean {
  const admin = adminAudience(baseUrl);
  const { audience, grantTypes } = client.stored;
  return grantTypes.some(isForUsers) && (audience.includes(admin) || client.allowedResources.includes(admin));
}

/** The escalation rule for a client: whoever has its secret or keys can do what its service account may. */
export async function assertMayControlClient(ctx: ReadCtx, id: string): Promise<void> {
  assertHolds(ctx.actor, await findServiceAccountPermissions(ctx.tx, ctx.realm, id));
}

export function assertMayCarryAdministrators(
  ctx: Ctx,
  baseUrl: string,
  ...states: readonly { readonly stored: StoredClient; readonly allowedResources: readonly string[] }[]
): void {
  if (states.some((state) => carriesAdministrators(state, baseUrl))) assertHolds(ctx.actor, ["realm-admin"]);
}

/** What gives control of a client, once it is changed: who it is at the token endpoint, and that it may act in its own name at all. */
export function changesControl(current: ClientRow, next: { enabled: boolean; publicClient: boolean; stored: StoredClient }): boolean {
  const actsForItself = ({ grantTypes }: StoredClient) => grantTypes.includes("client_credentials");
  const members = ["authMethod", "jwks", "jwksUri", "tlsClientAuthSubjectDn"] as const;
  return (
    current.publicClient !== next.publicClient ||
    (!current.enabled && next.enabled) ||
    (!actsForItself(current.stored) && actsForItself(next.stored)) ||
    members.some((member) => JSON.stringify(current.stored[member]) !== JSON.stringify(next.stored[member]))
  );
}
