import type { JWK } from "jose";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { DAY, MINUTE, SECOND } from "../../kernel/clock.ts";
import { isObject } from "../../kernel/json.ts";
import { isAffordableJwk } from "../../kernel/jws.ts";
import { createRemoteDocuments, freshFor, type Outbound } from "../../platform/outbound/index.ts";

/** The public keys of clients. They come from `jwks` in their configuration, or from `jwksUri`. */
export interface ClientKeys {
  /** Returns the cached keys, without a request. */
  known(client: ClientSnapshot): readonly JWK[];
  /** Fetches `jwksUri` again if the cached keys are stale. Returns false if the keys did not change. */
  refresh(client: ClientSnapshot): Promise<boolean>;
  /** Returns the keys at `jwksUri`, which are fetched again if the cached ones are stale. */
  published(client: ClientSnapshot): Promise<{ readonly keys: readonly JWK[] }>;
}

const MAX_KEPT = 1_000;
/** `least` applies even if the client's `max-age` is shorter: assertions with unknown keys must not flood its server with requests. */
const LIFETIME = { least: MINUTE, most: DAY, usual: MINUTE };
/** The wait after a failed fetch. */
const RETRY = 5 * SECOND;

/** Creates the one cache for everything that verifies or encrypts with clients' keys. */
export function createClientKeys(outbound: Outbound): ClientKeys {
  // The keys stay in use while the client's server fails, because the client still has their private keys.
  const sets = createRemoteDocuments<{ readonly keys: readonly JWK[] }>({
    ...{ max: MAX_KEPT, staleMs: Number.POSITIVE_INFINITY, pauseMs: RETRY },
    failureOf: () => "down",
  });

  const read = async (uri: string) => {
    const answer = await outbound.fetch(uri, { headers: { accept: "application/json" } });
    if (answer.status !== 200) throw new Error(`unexpected status ${answer.status} of a client's JSON Web Key Set`);
    return { document: { keys: keysIn(answer.text()) }, freshMs: freshFor(answer.headers, LIFETIME) };
  };
  const current = (client: ClientSnapshot, uri: string) => sets.get(keyOf(client, uri), () => read(uri));

  return {
    known(client) {
      const { jwks, jwksUri } = client.settings;
      return jwksUri === null ? ((jwks?.keys ?? []) as JWK[]) : (sets.peek(keyOf(client, jwksUri))?.keys ?? []);
    },
    async refresh(client) {
      const { jwksUri } = client.settings;
      if (jwksUri === null) return false;
      const before = sets.peek(keyOf(client, jwksUri));
      return (await current(client, jwksUri)) !== before;
    },
    async published(client) {
      const { jwksUri } = client.settings;
      return jwksUri === null ? { keys: [] } : current(client, jwksUri);
    },
  };
}

/** Returns the key of a cache entry. Clients with the same `jwksUri` do not share one. */
const keyOf = ({ realmId, clientId }: ClientSnapshot, uri: string): string => JSON.stringify([realmId, clientId, uri]);

/** The most keys of a set that are used. Whoever presents a signature in the name of the client makes this server try them. */
const MAX_KEYS = 50;

/** RFC 7517 §5: returns the public keys of a set. Symmetric and private keys are left out, and those that cost too much. */
function keysIn(text: string): readonly JWK[] {
  const { keys } = JSON.parse(text) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new Error("a client's JSON Web Key Set is not valid");
  const isTaken = (key: unknown): key is JWK =>
    isObject(key) && ["RSA", "EC", "OKP"].includes(key.kty as string) && key.d === undefined && isAffordableJwk(key);
  return keys.filter(isTaken).slice(0, MAX_KEYS);
}
