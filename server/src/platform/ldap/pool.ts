import { clock, SECOND } from "../../kernel/clock.ts";
import { createSemaphore, SemaphoreFull } from "../../kernel/semaphore.ts";
import { type ConnectionOptions, type LdapConnection, openConnection } from "./connection.ts";
import type { LdapEntry } from "./entry.ts";
import { LdapError, RESULT } from "./errors.ts";
import type { SearchRequest } from "./messages.ts";

export interface PoolOptions extends Omit<ConnectionOptions, "url"> {
  /** The servers of one directory, which are tried in turn. */
  readonly urls: readonly string[];
  /** The service account, which searches. */
  readonly bindDn: string;
  readonly bindPassword: string;
}

/** The connections to one directory. */
export interface LdapPool {
  /** Runs searches and changes as the service account, on a connection that is kept and shared. Nothing may bind on it. */
  service<T>(work: (connection: LdapConnection) => Promise<T>): Promise<T>;
  /** Runs work on a new, still anonymous connection and closes it, for binds as a user. */
  fresh<T>(work: (connection: LdapConnection) => Promise<T>): Promise<T>;
  /** Runs work that takes long as the service account, on a connection of its own. */
  own<T>(work: (connection: LdapConnection) => Promise<T>): Promise<T>;
  /** Returns everything that a search finds. It pages, on a connection of its own, only if the directory does not send as many entries at once. */
  all(request: SearchRequest): Promise<readonly LdapEntry[]>;
  close(): void;
}

/** A server that could not be reached is tried last for this long. */
const DEAD_FOR = 30 * SECOND;
const FRESH_AT_ONCE = 20;
const FRESH_WAITING = 200;
const IDLE_MS = 60 * SECOND;
const PAGE = 500;

export function createLdapPool(options: PoolOptions): LdapPool {
  const { bindDn, bindPassword } = options;
  const deadUntil = new Map<string, number>();
  const permits = createSemaphore({ permits: FRESH_AT_ONCE, maxWaiting: FRESH_WAITING });
  let kept: Promise<LdapConnection> | null = null;
  let idle: NodeJS.Timeout | undefined;
  let using = 0;
  let isClosed = false;

  /** Connects to the first server that answers. Servers that failed a moment ago are tried last. */
  const connect = async (): Promise<LdapConnection> => {
    const now = clock.now();
    const isDead = (url: string) => (deadUntil.get(url) ?? 0) > now;
    const order = [...options.urls.filter((url) => !isDead(url)), ...options.urls.filter(isDead)];
    let failure: unknown = new LdapError("reach", "The directory has no address.");
    for (const url of order) {
      try {
        const connection = await openConnection({ ...options, url });
        deadUntil.delete(url);
        return connection;
      } catch (error) {
        deadUntil.set(url, clock.now() + DEAD_FOR);
        failure = error;
      }
    }
    throw failure;
  };

  const asService = async (): Promise<LdapConnection> => {
    const connection = await connect();
    try {
      await connection.bind(bindDn, bindPassword);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  };

  const shared = async (): Promise<LdapConnection> => {
    const current = kept;
    if (current) {
      const connection = await current;
      if (connection.isOpen) return connection;
      if (kept !== current) return shared();
    }
    const opening = asService();
    kept = opening;
    // A connection that could not be opened is not kept, so the next caller tries again.
    opening.catch(() => {
      if (kept === opening) kept = null;
    });
    return opening;
  };

  const letGo = () => {
    const current = kept;
    kept = null;
    current?.then(
      (connection) => connection.close(),
      () => {},
    );
  };

  const held = async <T>(open: () => Promise<LdapConnection>, work: (connection: LdapConnection) => Promise<T>): Promise<T> => {
    const connection = await open();
    try {
      return await work(connection);
    } finally {
      connection.close();
    }
  };

  const pool: LdapPool = {
    async service(work) {
      clearTimeout(idle);
      using += 1;
      try {
        const wasKept = kept !== null;
        try {
          return await work(await shared());
        } catch (error) {
          // The directory closed a connection that was kept from earlier, which says nothing about this request. It is tried once more.
          if (!wasKept || !(error instanceof LdapError) || error.fault !== "closed" || isClosed) throw error;
          return await work(await shared());
        }
      } finally {
        using -= 1;
        if (using === 0 && !isClosed) idle = setTimeout(letGo, IDLE_MS).unref();
      }
    },
    async fresh(work) {
      try {
        return await permits.run(() => held(connect, work));
      } catch (error) {
        throw error instanceof SemaphoreFull
          ? new LdapError("timeout", "Too many people are signing in by this directory.", { cause: error })
          : error;
      }
    },
    own: (work) => held(asService, work),
    async all(request) {
      try {
        return await pool.service((connection) => connection.search(request));
      } catch (error) {
        if (!(error instanceof LdapError) || error.resultCode !== RESULT.sizeLimitExceeded) throw error;
        return pool.own(async (connection) => {
          const found: LdapEntry[] = [];
          for await (const page of connection.pages(request, PAGE)) found.push(...page);
          return found;
        });
      }
    },
    close() {
      isClosed = true;
      clearTimeout(idle);
      letGo();
    },
  };
  return pool;
}
