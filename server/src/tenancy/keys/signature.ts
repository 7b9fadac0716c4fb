import { createPrivateKey, type KeyObject, sign } from "node:crypto";

export interface SignatureOptions {
  /** Null if the algorithm has a digest of its own. */
  readonly digest: "sha256" | null;
  readonly options?: { readonly dsaEncoding?: "ieee-p1363"; readonly padding?: number; readonly saltLength?: number };
}

export type Sign = (data: Uint8Array) => Promise<Buffer>;

interface Waiting {
  readonly signNow: () => Buffer;
  readonly resolve: (signature: Buffer) => void;
  readonly reject: (error: unknown) => void;
}

/** The number of signatures that are made at a time, which takes about two milliseconds. */
const MOST_AT_ONCE = 32;
let waiting: Waiting[] = [];

/**
 * Returns a function that signs. A P-256 or Ed25519 signature takes less time than passing it to another thread, so it is made in the event loop: after all
 * requests that have arrived were read, and all together. One by one, between the other steps of each request, signatures cost more (docs/performance.md). An
 * RSA signature takes ten times as long and goes to the thread pool, by node's own `sign`: WebCrypto would check and copy its arguments.
 */
export function signWith(pkcs8: Buffer, { digest, options }: SignatureOptions): Sign {
  const key = { ...options, key: createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" }) };
  return isFast(key.key)
    ? (data) => new Promise((resolve, reject) => signSoon({ signNow: () => sign(digest, data, key), resolve, reject }))
    : (data) => new Promise((resolve, reject) => sign(digest, data, key, (error, made) => (error ? reject(error) : resolve(made))));
}

const isFast = ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean =>
  asymmetricKeyType === "ed25519" || asymmetricKeyDetails?.namedCurve === "prime256v1";

function signSoon(one: Waiting): void {
  if (waiting.push(one) === 1) setImmediate(signWaiting);
}

/** Makes the waiting signatures. The rest follows after the requests that have arrived in the meantime. */
function signWaiting(): void {
  const now = waiting.slice(0, MOST_AT_ONCE);
  waiting = waiting.slice(MOST_AT_ONCE);
  if (waiting.length > 0) setImmediate(signWaiting);
  for (const { signNow, resolve, reject } of now) {
    try {
      resolve(signNow());
    } catch (error) {
      reject(error);
    }
  }
}
