import type { ClientSnapshot } from "../../applications/clients/index.ts";

/** A client that asks for its scopes in ever new orders has things made anew, and fills no memory. */
const MAX_KEPT = 32;

/** Keeps what is the same in all answers to a client for one key, until the client's or its realm's configuration changes. */
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
    // What could not be made is tried again.
    if (made instanceof Promise) made.catch(() => ofClient.get(key) === made && ofClient.delete(key));
    return made;
  };
}
