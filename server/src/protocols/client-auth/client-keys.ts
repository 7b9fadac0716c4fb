import type { JWK } from "jose";
import { LRUCache } from "lru-cache";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { clock, DAY, MINUTE, SECOND } from "../../kernel/clock.ts";
import { freshFor, type Outbound } from "../../platform/outbound/index.ts";

/** The public keys of clients: from `jwks` in their configuration, or fetched from `jwksUri`. */
export interface ClientKeys {
  /** The cached keys, without a request. */
  known(client: ClientSnapshot): readonly JWK[];
  /** Fetches `jwksUri` again if the cached keys are stale. False: the keys did not change. */
  refresh(client: ClientSnapshot): Promise<boolean>;
  /** The keys at `jwksUri`, fetched again if the cached ones are stale. */
  published(client: ClientSnapshot): Promise<{ readonly keys: readonly JWK[] }>;
}

interface Published {
  keys: readonly JWK[];
  freshUntil: number;
}

const MAX_KEPT = 1_000;
/** `least` applies even if the client's `max-age` is shorter: assertions with unknown keys must not flood its server with requests. */
const LIFETIME = { least: MINUTE, most: DAY, usual: MINUTE };
/** The wait after a failed fetch. */
const RETRY = 5 * SECOND;

/** One cache for everything that verifies or encrypts with clients' keys. */
export function createClientKeys(outbound: Outbound): ClientKeys {
  const kept = new LRUCache<string, Published>({ max: MAX_KEPT });
  const reading = new Map<string, Promise<Published>>();

  const read = async (key: string, uri: string): Promise<Published> => {
    const before = kept.get(key);
    try {
      const answer = await outbound.fetch(uri, { headers: { accept: "application/json" } });
      if (answer.status !== 200) throw new Error(`unexpected status ${answer.status} of a client's JSON Web Key Set`);
      return { keys: keysIn(answer.text()), freshUntil: clock.now() + freshFor(answer.headers, LIFETIME) };
    } catch (error) {
      kept.set(key, { keys: before?.keys ?? [], freshUntil: clock.now() + RETRY });
      throw error;
    }
  };

  const current = (client: ClientSnapshot, uri: string): Promise<Published> => {
    const key = keyOf(client, uri);
    const known = kept.get(key);
    if (known && known.freshUntil > clock.now()) return Promise.resolve(known);
    const asked =
      reading.get(key) ??
      read(key, uri)
        .then((published) => {
          kept.set(key, published);
          return published;
        })
        .finally(() => reading.delete(key));
    reading.set(key, asked);
    return asked;
  };

  return {
    known(client) {
      const { jwks, jwksUri } = client.settings;
      return jwksUri === null ? ((jwks?.keys ?? []) as JWK[]) : (kept.get(keyOf(client, jwksUri))?.keys ?? []);
    },
    async refresh(client) {
      const { jwksUri } = client.settings;
      if (jwksUri === null) return false;
      const before = kept.get(keyOf(client, jwksUri));
      return (await current(client, jwksUri)) !== before;
    },
    async published(client) {
      const { jwksUri } = client.settings;
      return jwksUri === null ? { keys: [] } : current(client, jwksUri);
    },
  };
}

/** Clients with the same `jwksUri` do not share a cache entry. */
const keyOf = ({ realmId, clientId }: ClientSnapshot, uri: string): string => JSON.stringify([realmId, clientId, uri]);

/** RFC 7517 §5. Symmetric and private keys are not public keys. */
function keysIn(text: string): readonly JWK[] {
  const { keys } = JSON.parse(text) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new Error("a client's JSON Web Key Set is not valid");
  return keys.filter(
    (key): key is JWK => typeof key === "object" && key !== null && ["RSA", "EC", "OKP"].includes(key.kty) && key.d === undefined,
  );
}
