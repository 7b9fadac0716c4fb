import type { AuthenticatorTransport } from "@simplewebauthn/server";
import { isObject } from "../../kernel/json.ts";
import { sha256 } from "../../kernel/vault.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";

/** The relying party that browsers and passkeys see. */
export interface RelyingParty {
  readonly id: string;
  readonly name: string;
  readonly origin: string;
}

/**
 * Returns the relying party, with our own origin only. A realm may name a parent domain of its host, so that passkeys survive a move within
 * that domain.
 */
export function relyingPartyOf({ realmId, settings }: RealmSnapshot, baseUrl: string): RelyingParty {
  const { hostname, origin } = new URL(baseUrl);
  return { id: settings.passkeys.rpId ?? hostname, name: settings.displayName ?? realmId, origin };
}

/** Returns the user handle: the same for all passkeys of a user, without personal data (WebAuthn §14.6.1). */
export const userHandleOf = (realm: string, userId: string): string => sha256(`${realm}\u0000${userId}`);

/** Returns exactly these members, or null if one of them is no text. */
export function textMembers<const N extends string>(value: unknown, names: readonly N[]): Record<N, string> | null {
  if (!isObject(value)) return null;
  const members = names.map((name) => [name, value[name]] as const);
  return members.every(([, member]) => typeof member === "string") ? (Object.fromEntries(members) as Record<N, string>) : null;
}

const TRANSPORTS: readonly string[] = ["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"];

/** Returns the known transports, which are only a hint for the browser. */
export const transportsOf = (transports: unknown): AuthenticatorTransport[] =>
  Array.isArray(transports) ? TRANSPORTS.filter((name): name is AuthenticatorTransport => transports.includes(name)) : [];

type Library = typeof import("@simplewebauthn/server") & typeof import("@simplewebauthn/server/helpers");

let loading: Promise<Library> | undefined;

/** Loads the library that verifies what devices sign. It is large, so it is loaded when the first passkey is used, not at every start. */
export function webauthn(): Promise<Library> {
  loading ??= load().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<Library> {
  // This import comes first, because @peculiar/x509, which the library uses, needs it.
  await import("reflect-metadata");
  const [server, helpers] = await Promise.all([import("@simplewebauthn/server"), import("@simplewebauthn/server/helpers")]);
  return { ...server, ...helpers };
}
