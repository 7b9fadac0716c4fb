import pg from "pg";
import { type PostgresAddress, readPostgresUrl } from "../../kernel/postgres-url.ts";
import { asUnavailable, DatabaseUnavailable, isDatabaseUnavailable } from "./unavailable.ts";

/** The hosts of a database URL. They are tried in turn, as libpq does: a host that cannot be reached or has the wrong role is skipped. */
export interface Hosts {
  readonly count: number;
  /** The URL of the host that was last usable. */
  current(): string;
  failed(url: string): void;
  /** Refuses a connection to a host that `target_session_attrs` excludes. Null if every host will do. */
  readonly check: ((client: pg.ClientBase) => Promise<void>) | null;
}

/** Reads a URL that the configuration has already accepted. */
export function addressOf(url: string): PostgresAddress {
  const address = readPostgresUrl(url);
  if (typeof address === "string") throw new Error(address);
  return address;
}

export function hostsOf(url: string): Hosts {
  const { urls, attrs } = addressOf(url);
  let at = 0;
  return {
    count: urls.length,
    current: () => urls[at]!,
    failed(url) {
      // When several connections to the same host fail at once, only the first failure moves on to the next host.
      if (urls[at] === url) at = (at + 1) % urls.length;
    },
    check: attrs === "any" ? null : (client) => checkAttrs(client, attrs),
  };
}

async function checkAttrs(client: pg.ClientBase, attrs: "read-write" | "primary"): Promise<void> {
  const { rows } = await client.query(
    "select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as read_only",
  );
  if (rows[0].standby) throw new DatabaseUnavailable("the host is a standby");
  if (attrs === "read-write" && rows[0].read_only) throw new DatabaseUnavailable("the host takes no writes");
}

/** Tells whether to try the next host, as libpq does: if this host cannot be reached or does not serve, but not if it refuses the password. */
export const isHostFailure = (error: Error): boolean =>
  error instanceof pg.DatabaseError ? isDatabaseUnavailable(error) : error.message !== "timeout exceeded when trying to connect";

/** Opens a connection outside of the pools, to the first suitable host. */
export async function connectDirectly(url: string, config: pg.ClientConfig): Promise<pg.Client> {
  const hosts = hostsOf(url);
  for (let left = hosts.count; ; left--) {
    const at = hosts.current();
    const client = new pg.Client({ ...config, connectionString: at });
    client.on("error", () => {}); // the query that needs the connection reports it
    try {
      await client.connect();
      await hosts.check?.(client);
      return client;
    } catch (error) {
      // The socket is destroyed without a goodbye, because a goodbye on a dead connection would wait for an answer.
      (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
      if (left <= 1 || !isHostFailure(error as Error)) throw error instanceof pg.DatabaseError ? error : asUnavailable(error as Error);
      hosts.failed(at);
    }
  }
}
