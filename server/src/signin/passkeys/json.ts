import type { AuthenticatorTransport } from "@simplewebauthn/server";

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
