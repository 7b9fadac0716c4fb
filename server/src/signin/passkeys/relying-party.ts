import type { AuthenticatorTransport } from "@simplewebauthn/server";
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

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/** Null for anything that is not an object. */
export function parsedObject(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null; // The caller answers that it did not work.
  }
}

/** Exactly these members, all of them texts; null where one is not. */
export function textMembers<const N extends string>(value: unknown, names: readonly N[]): Record<N, string> | null {
  if (!isObject(value)) return null;
  const members = names.map((name) => [name, value[name]] as const);
  return members.every(([, member]) => typeof member === "string") ? (Object.fromEntries(members) as Record<N, string>) : null;
}

const TRANSPORTS: readonly string[] = ["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"];

/** The known transports; they are only a hint for the browser. */
export const transportsOf = (transports: unknown): AuthenticatorTransport[] =>
  Array.isArray(transports) ? TRANSPORTS.filter((name): name is AuthenticatorTransport => transports.includes(name)) : [];

type Library = typeof import("@simplewebauthn/server") & typeof import("@simplewebauthn/server/helpers");

let loading: Promise<Library> | undefined;

/** The library that checks what devices sign. It is large, so it is read when the first passkey is answered, not at every start. */
export function webauthn(): Promise<Library> {
  loading ??= load().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<Library> {
  // Imported first: @peculiar/x509, which the library uses, needs it.
  await import("reflect-metadata");
  const [server, helpers] = await Promise.all([import("@simplewebauthn/server"), import("@simplewebauthn/server/helpers")]);
  return { ...server, ...helpers };
}
