import { sha256 } from "../../kernel/vault.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";

/** The relying party that browsers and passkeys see. */
export interface RelyingParty {
  readonly id: string;
  readonly name: string;
  readonly origin: string;
}

/** Our own origin and no other; a realm may name a parent of its host, so that passkeys survive a move within that domain. */
export function relyingPartyOf({ realmId, settings }: RealmSnapshot, baseUrl: string): RelyingParty {
  const { hostname, origin } = new URL(baseUrl);
  return { id: settings.passkeys.rpId ?? hostname, name: settings.displayName ?? realmId, origin };
}

/** The user handle: the same for all passkeys of a user, without personal data (WebAuthn §14.6.1). */
export const userHandleOf = (realm: string, userId: string): string => sha256(`${realm}\u0000${userId}`);
