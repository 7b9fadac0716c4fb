import type { ClientSnapshot } from "../../applications/clients/index.ts";

/** Per client, so that requests with ever new scope orders do not fill the memory. */
const MAX_KEPT = 32;

/** Caches a value per client and key until the configuration of the client or of its realm changes. */
export function perClient<Parts extends object, T>(
  make: (parts: Parts, client: ClientSnapshot, key: string) => T,
): (parts: Parts, client: ClientSnapshot, key: string) => T {
  const kept = new WeakMap<Parts, WeakMap<ClientSnapshot, Map<string, T>>>();
  return (parts, client, key) => {
    const ofRealm = kept.get(parts) ?? new WeakMap<ClientSnapshot, Map<string, T>>();
    kept.set(parts, ofRealm);
    const ofClient = ofRealm.get(client) ?? new Map<string, T>();
    ofRealm.set(client, ofClient);
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
