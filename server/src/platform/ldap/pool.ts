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

interface Reached {
  readonly connection: LdapConnection;
  readonly url: string;
}

const isFault = (error: unknown, fault: LdapError["fault"]): boolean => error instanceof LdapError && error.fault === fault;
/** Tells whether the directory answered: another of its servers would say the same, unless this one is not ready. */
const isAnswer = (error: unknown): boolean =>
  isFault(error, "result") && ![RESULT.busy, RESULT.unavailable].some((code) => code === (error as LdapError).resultCode);

/** A server that did not answer is tried last for this long. */
const DEAD_FOR = 30 * SECOND;
const FRESH_AT_ONCE = 20;
const FRESH_WAITING = 200;
const IDLE_MS = 60 * SECOND;
const PAGE = 500;

export function createLdapPool(options: PoolOptions): LdapPool {
  const { bindDn, bindPassword } = options;
  const deadUntil = new Map<string, number>();
  const permits = createSemaphore({ permits: FRESH_AT_ONCE, maxWaiting: FRESH_WAITING });
  let kept: Promise<Reached> | null = null;
  /** The server to which the last service connection was made. */
  let answering: string | null = null;
  let idle: NodeJS.Timeout | undefined;
  let using = 0;
  let isClosed = false;

  /**
   * Connects to the first server that answers, and to that one with which `begin` succeeds. Servers that did not answer a moment ago are tried last, and the one
   * that answered last comes first if it is `preferred`.
   */
  const connect = async (begin?: (connection: LdapConnection) => Promise<unknown>, preferred: string | null = null): Promise<Reached> => {
    const now = clock.now();
    const rank = (url: string) => ((deadUntil.get(url) ?? 0) > now ? 2 : url === preferred ? 0 : 1);
    let failure: unknown = new LdapError("reach", "The directory has no address.");
    for (const url of [...options.urls].sort((one, other) => rank(one) - rank(other))) {
      try {
        const connection = await openConnection({ ...options, url });
        if (!begin) return { connection, url };
        await begin(connection).catch((error) => {
          connection.close();
          throw error;
        });
        deadUntil.delete(url);
        return { connection, url };
      } catch (error) {
        if (isAnswer(error)) throw error;
        passOver(url);
        failure = error;
      }
    }
    throw failure;
  };

  const passOver = (url: string) => deadUntil.set(url, clock.now() + DEAD_FOR);

  const asService = async (): Promise<Reached> => {
    const reached = await connect((connection) => connection.bind(bindDn, bindPassword));
    answering = reached.url;
    return reached;
  };

  const shared = async (): Promise<Reached> => {
    const current = kept;
    if (current) {
      const reached = await current;
      if (reached.connection.isOpen) return reached;
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
      ({ connection }) => connection.close(),
      () => {},
    );
  };

  const held = async <T>(open: () => Promise<Reached>, work: (connection: LdapConnection) => Promise<T>): Promise<T> => {
    const { connection, url } = await open();
    try {
      return await work(connection);
    } catch (error) {
      if (isFault(error, "timeout")) passOver(url);
      throw error;
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
        const { connection, url } = await shared();
        try {
          return await work(connection);
        } catch (error) {
          if (isClosed) throw error;
          if (isFault(error, "timeout") && options.urls.length > 1) {
            // Other requests use the connection: it is closed, so that they try another server, too.
            passOver(url);
            letGo();
          } else if (!wasKept || !isFault(error, "closed")) throw error;
          // The directory closed a connection that was kept from earlier, or another server may answer. It is tried once more.
          return await work((await shared()).connection);
        }
      } finally {
        using -= 1;
        if (using === 0 && !isClosed) idle = setTimeout(letGo, IDLE_MS).unref();
      }
    },
    async fresh(work) {
      try {
        return await permits.run(() => held(() => connect(undefined, answering), work));
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
