import { clock } from "../../kernel/clock.ts";
import { createLru } from "../../kernel/lru.ts";
import { createRereadLimit } from "./reread-limit.ts";

/** A document, with the number of milliseconds for which it is used without another request (`freshFor`). */
export interface ReadDocument<T> {
  readonly document: T;
  readonly freshMs: number;
}

/**
 * The meaning of a failed read. `down`: the server did not answer; the last document is used, and the server is left alone for a while. `refused`: the answer
 * is not acceptable; the last document is dropped at once, and the server is left alone as well. `not-asked`: no request was made; the last document is used.
 * `unexpected`: the error is thrown.
 */
export type ReadFailure = "down" | "refused" | "not-asked" | "unexpected";

export interface RemoteDocumentRules {
  /** The most documents that are kept. */
  readonly max: number;
  /** The number of milliseconds for which an expired document is still used while its server fails. */
  readonly staleMs: number;
  /** The number of milliseconds after a failure in which nothing is requested. */
  readonly pauseMs: number;
  failureOf(error: unknown): ReadFailure;
}

/** Documents of other servers, which are read over the network and kept in process. */
export interface RemoteDocuments<T> {
  /** Returns the document that is kept, or that `read` returns. Concurrent callers share a request. Throws what `read` throws, also during the pause. */
  get(key: string, read: () => Promise<ReadDocument<T>>): Promise<T>;
  /** Reads the document now, even if one is kept. */
  reread(key: string, read: () => Promise<ReadDocument<T>>): Promise<T>;
  /** Returns the last document, however old, without a request. */
  peek(key: string): T | undefined;
  /** Tells whether a request is running. */
  isReading(key: string): boolean;
  /**
   * Reads the document again because it lacks something, such as a new key: at once for the first time, then only once in a while. Returns null if it is too
   * early.
   */
  rereadIncomplete(key: string, read: () => Promise<ReadDocument<T>>): Promise<T> | null;
}

interface Kept<T> {
  readonly document: T;
  readonly freshUntil: number;
}

interface Failed {
  readonly error: unknown;
  readonly until: number;
}

export function createRemoteDocuments<T>({ max, staleMs, pauseMs, failureOf }: RemoteDocumentRules): RemoteDocuments<T> {
  const kept = createLru<Kept<T>>(max);
  // A separate cache, so that failures do not evict documents.
  const failed = createLru<Failed>(max);
  const reading = new Map<string, Promise<T>>();
  const rereadLimit = createRereadLimit(max);

  const readNow = async (key: string, read: () => Promise<ReadDocument<T>>): Promise<T> => {
    try {
      const { document, freshMs } = await read();
      kept.set(key, { document, freshUntil: clock.now() + freshMs });
      failed.delete(key);
      return document;
    } catch (error) {
      const failure = failureOf(error);
      if (failure === "down" || failure === "refused") failed.set(key, { error, until: clock.now() + pauseMs });
      if (failure === "refused") kept.delete(key);
      throw error;
    }
  };

  const reread = (key: string, read: () => Promise<ReadDocument<T>>): Promise<T> => {
    const shared = reading.get(key) ?? readNow(key, read).finally(() => reading.delete(key));
    reading.set(key, shared);
    return shared;
  };

  /** Returns the last document in place of a failure, or throws the error if that document must not be used. */
  const staleOr = (key: string, error: unknown): T => {
    const known = kept.get(key);
    const failure = failureOf(error);
    if (known && known.freshUntil + staleMs > clock.now() && (failure === "down" || failure === "not-asked")) return known.document;
    throw error;
  };

  return {
    async get(key, read) {
      const now = clock.now();
      const known = kept.get(key);
      if (known && known.freshUntil > now) return known.document;
      const failure = failed.get(key);
      if (failure && failure.until > now) return staleOr(key, failure.error);
      return reread(key, read).catch((error) => staleOr(key, error));
    },
    reread,
    peek: (key) => kept.get(key)?.document,
    isReading: (key) => reading.has(key),
    rereadIncomplete: (key, read) => (reading.has(key) || rereadLimit.take(key) ? reread(key, read) : null),
  };
}
