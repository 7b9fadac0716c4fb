import type { ClientSnapshot } from "../../applications/clients/index.ts";
import type { Issuer } from "./provider.ts";

/** A client that asks for its scopes in ever new orders has things made anew, and fills no memory. */
const MAX_KEPT = 32;

/** What is the same in all answers to a client for one scope, until its own or its realm's configuration changes. */
export function keptPerClient<T>(
  make: (issuer: Issuer, client: ClientSnapshot, scope: string) => T,
): (issuer: Issuer, client: ClientSnapshot, scope: string) => T {
  const kept = new WeakMap<Issuer, WeakMap<ClientSnapshot, Map<string, T>>>();
  return (issuer, client, scope) => {
    const ofIssuer = kept.get(issuer) ?? new WeakMap<ClientSnapshot, Map<string, T>>();
    kept.set(issuer, ofIssuer);
    const ofClient = ofIssuer.get(client) ?? new Map<string, T>();
    ofIssuer.set(client, ofClient);
    const known = ofClient.get(scope);
    if (known !== undefined) return known;
    const made = make(issuer, client, scope);
    if (ofClient.size >= MAX_KEPT) ofClient.clear();
    ofClient.set(scope, made);
    // What could not be made is tried again.
    if (made instanceof Promise) made.catch(() => ofClient.get(scope) === made && ofClient.delete(scope));
    return made;
  };
}
