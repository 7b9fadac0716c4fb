import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { oncePer } from "../../kernel/once.ts";

/** The limit of values per client, so that requests with ever new scope orders do not fill the memory. */
const MAX_KEPT = 32;

/** Caches a value per client and key until the configuration of the client or of its realm changes. */
export function perClient<Parts extends object, T>(
  make: (parts: Parts, client: ClientSnapshot, key: string) => T,
): (parts: Parts, client: ClientSnapshot, key: string) => T {
  const kept = oncePer((_parts: Parts) => oncePer((_client: ClientSnapshot) => new Map<string, T>()));
  return (parts, client, key) => {
    const ofClient = kept(parts)(client);
    const known = ofClient.get(key);
    if (known !== undefined) return known;
    const made = make(parts, client, key);
    if (ofClient.size >= MAX_KEPT) ofClient.clear();
    ofClient.set(key, made);
    // A failure is not cached.
    if (made instanceof Promise) made.catch(() => ofClient.get(key) === made && ofClient.delete(key));
    return made;
  };
}
